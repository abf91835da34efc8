import { StubPage } from "../ui/stub-page.tsx"
import { integrationsPages } from "./pages.ts"

export function KeysPage() {
  return <StubPage page={integrationsPages.keys} />
}
