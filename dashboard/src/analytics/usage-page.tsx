import { StubPage } from "../ui/stub-page.tsx"
import { analyticsPages } from "./pages.ts"

export function AnalyticsUsagePage() {
  return <StubPage page={analyticsPages.usage} />
}
