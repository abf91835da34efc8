import { StubPage } from "../ui/stub-page.tsx"
import { operatorPages } from "./pages.ts"

export function OperatorOverviewPage() {
  return <StubPage page={operatorPages.overview} />
}
