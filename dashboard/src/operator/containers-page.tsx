import { StubPage } from "../ui/stub-page.tsx"
import { operatorPages } from "./pages.ts"

export function OperatorContainersPage() {
  return <StubPage page={operatorPages.containers} />
}
