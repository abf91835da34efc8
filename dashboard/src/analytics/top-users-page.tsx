import { StubPage } from "../ui/stub-page.tsx"
import { analyticsPages } from "./pages.ts"

export function AnalyticsTopUsersPage() {
  return <StubPage page={analyticsPages.topUsers} />
}
