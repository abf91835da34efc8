import { StubPage } from "../ui/stub-page.tsx"
import { operatorPages } from "./pages.ts"

export function OperatorWorkspacesPage() {
  return <StubPage page={operatorPages.workspaces} />
}
