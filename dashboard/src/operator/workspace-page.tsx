import { StubPage } from "../ui/stub-page.tsx"
import { operatorPages } from "./pages.ts"

export function OperatorWorkspacePage() {
  return <StubPage page={operatorPages.workspace} />
}
