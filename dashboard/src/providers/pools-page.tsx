import { StubPage } from "../ui/stub-page.tsx"
import { providersPages } from "./pages.ts"

export function ProviderPoolsPage() {
  return <StubPage page={providersPages.pools} />
}
