import { StubPage } from "../ui/stub-page.tsx"
import { endUsersPages } from "./pages.ts"

export function EndUsersPage() {
  return <StubPage page={endUsersPages.list} />
}
