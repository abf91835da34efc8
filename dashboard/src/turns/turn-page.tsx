import { StubPage } from "../ui/stub-page.tsx"
import { turnsPages } from "./pages.ts"

export function TurnPage() {
  return <StubPage page={turnsPages.detail} />
}
