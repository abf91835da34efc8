import { StubPage } from "../ui/stub-page.tsx"
import { analyticsPages } from "./pages.ts"

export function AnalyticsErrorsPage() {
  return <StubPage page={analyticsPages.errors} />
}
