import { StubPage } from "../ui/stub-page.tsx"
import { operatorPages } from "./pages.ts"

export function OperatorTeamsPage() {
  return <StubPage page={operatorPages.teams} />
}
