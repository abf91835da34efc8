import { StubPage } from "../ui/stub-page.tsx"
import { analyticsPages } from "./pages.ts"

export function AnalyticsEnergyPage() {
  return <StubPage page={analyticsPages.energy} />
}
