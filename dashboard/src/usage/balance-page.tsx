import { StubPage } from "../ui/stub-page.tsx"
import { usagePages } from "./pages.ts"

export function BalancePage() {
  return <StubPage page={usagePages.balance} />
}
