import { StubPage } from "../ui/stub-page.tsx"
import { turnsPages } from "./pages.ts"

export function TurnsPage() {
  return <StubPage page={turnsPages.list} />
}
