import { StubPage } from "../ui/stub-page.tsx"
import { operatorPages } from "./pages.ts"

export function OperatorSpacesPage() {
  return <StubPage page={operatorPages.spaces} />
}
