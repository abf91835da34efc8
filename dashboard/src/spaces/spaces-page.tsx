import { StubPage } from "../ui/stub-page.tsx"
import { spacesPages } from "./pages.ts"

export function SpacesPage() {
  return <StubPage page={spacesPages.list} />
}
