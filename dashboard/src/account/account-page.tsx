import { StubPage } from "../ui/stub-page.tsx"
import { accountPages } from "./pages.ts"

export function AccountPage() {
  return <StubPage page={accountPages.account} />
}
