import { StubPage } from "../ui/stub-page.tsx"
import { operatorPages } from "./pages.ts"

export function OperatorSessionsPage() {
  return <StubPage page={operatorPages.sessions} />
}
