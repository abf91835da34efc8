import { StubPage } from "../ui/stub-page.tsx"
import { analyticsPages } from "./pages.ts"

export function AnalyticsTopSpacesPage() {
  return <StubPage page={analyticsPages.topSpaces} />
}
