import { StubPage } from "../ui/stub-page.tsx"
import { integrationsPages } from "./pages.ts"

export function WebhooksPage() {
  return <StubPage page={integrationsPages.webhooks} />
}
