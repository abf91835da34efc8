import { StubPage } from "../ui/stub-page.tsx"
import { analyticsPages } from "./pages.ts"

export function AnalyticsRatesPage() {
  return <StubPage page={analyticsPages.rates} />
}
