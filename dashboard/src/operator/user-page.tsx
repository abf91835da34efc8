import { StubPage } from "../ui/stub-page.tsx"
import { operatorPages } from "./pages.ts"

export function OperatorUserPage() {
  return <StubPage page={operatorPages.user} />
}
