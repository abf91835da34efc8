import { StubPage } from "../ui/stub-page.tsx"
import { integrationsPages } from "./pages.ts"

export function KeyPage() {
  return <StubPage page={integrationsPages.key} />
}
