import { StubPage } from "../ui/stub-page.tsx"
import { operatorPages } from "./pages.ts"

export function OperatorSpacePage() {
  return <StubPage page={operatorPages.space} />
}
