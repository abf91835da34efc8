import { StubPage } from "../ui/stub-page.tsx"
import { integrationsPages } from "./pages.ts"

export function WebhookPage() {
  return <StubPage page={integrationsPages.webhook} />
}
