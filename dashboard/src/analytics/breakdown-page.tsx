import { StubPage } from "../ui/stub-page.tsx"
import { analyticsPages } from "./pages.ts"

export function AnalyticsBreakdownPage() {
  return <StubPage page={analyticsPages.breakdown} />
}
