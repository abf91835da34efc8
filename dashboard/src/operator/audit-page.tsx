import { StubPage } from "../ui/stub-page.tsx"
import { operatorPages } from "./pages.ts"

export function OperatorAuditPage() {
  return <StubPage page={operatorPages.audit} />
}
