import { StubPage } from "../ui/stub-page.tsx"
import { analyticsPages } from "./pages.ts"

export function AnalyticsContextPage() {
  return <StubPage page={analyticsPages.context} />
}
