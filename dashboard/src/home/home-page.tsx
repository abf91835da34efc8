import { StubPage } from "../ui/stub-page.tsx"
import { homePages } from "./pages.ts"

export function HomePage() {
  return <StubPage page={homePages.home} />
}
