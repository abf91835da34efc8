import { StubPage } from "../ui/stub-page.tsx"
import { operatorPages } from "./pages.ts"

export function OperatorTeamPage() {
  return <StubPage page={operatorPages.team} />
}
