import { StubPage } from "../ui/stub-page.tsx"
import { playgroundPages } from "./pages.ts"

export function PlaygroundPage() {
  return <StubPage page={playgroundPages.playground} />
}
