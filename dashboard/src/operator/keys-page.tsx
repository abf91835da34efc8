import { StubPage } from "../ui/stub-page.tsx"
import { operatorPages } from "./pages.ts"

export function OperatorKeysPage() {
  return <StubPage page={operatorPages.keys} />
}
