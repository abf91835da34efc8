import { StubPage } from "../ui/stub-page.tsx"
import { providersPages } from "./pages.ts"

export function ProviderSignInPage() {
  return <StubPage page={providersPages.signIn} />
}
