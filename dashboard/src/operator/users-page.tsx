import { StubPage } from "../ui/stub-page.tsx"
import { operatorPages } from "./pages.ts"

export function OperatorUsersPage() {
  return <StubPage page={operatorPages.users} />
}
