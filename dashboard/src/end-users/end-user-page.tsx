import { StubPage } from "../ui/stub-page.tsx"
import { endUsersPages } from "./pages.ts"

export function EndUserPage() {
  return <StubPage page={endUsersPages.detail} />
}
