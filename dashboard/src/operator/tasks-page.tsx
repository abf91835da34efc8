import { StubPage } from "../ui/stub-page.tsx"
import { operatorPages } from "./pages.ts"

export function OperatorTasksPage() {
  return <StubPage page={operatorPages.tasks} />
}
