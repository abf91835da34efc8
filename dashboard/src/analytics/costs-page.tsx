import { StubPage } from "../ui/stub-page.tsx"
import { analyticsPages } from "./pages.ts"

export function AnalyticsCostsPage() {
  return <StubPage page={analyticsPages.costs} />
}
