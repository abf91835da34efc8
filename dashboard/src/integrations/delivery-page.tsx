import { StubPage } from "../ui/stub-page.tsx"
import { integrationsPages } from "./pages.ts"

export function DeliveryPage() {
  return <StubPage page={integrationsPages.delivery} />
}
