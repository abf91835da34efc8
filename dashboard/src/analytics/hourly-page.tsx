import { StubPage } from "../ui/stub-page.tsx"
import { analyticsPages } from "./pages.ts"

export function AnalyticsHourlyPage() {
  return <StubPage page={analyticsPages.hourly} />
}
