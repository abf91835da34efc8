import { StubPage } from "../ui/stub-page.tsx"
import { analyticsPages } from "./pages.ts"

export function AnalyticsSubscriptionsPage() {
  return <StubPage page={analyticsPages.subscriptions} />
}
