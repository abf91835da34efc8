import { StubPage } from "../ui/stub-page.tsx"
import { analyticsPages } from "./pages.ts"

export function AnalyticsBalancesPage() {
  return <StubPage page={analyticsPages.balances} />
}
