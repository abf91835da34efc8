import { StubPage } from "../ui/stub-page.tsx"
import { systemPages } from "./pages.ts"

export function SystemBillingPage() {
  return <StubPage page={systemPages.billing} />
}
