import { StubPage } from "../ui/stub-page.tsx"
import { systemPages } from "./pages.ts"

export function SystemPage() {
  return <StubPage page={systemPages.system} />
}
