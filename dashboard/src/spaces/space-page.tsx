import { StubPage } from "../ui/stub-page.tsx"
import { spacesPages } from "./pages.ts"

export function SpacePage() {
  return <StubPage page={spacesPages.detail} />
}
