import { StubPage } from "../ui/stub-page.tsx"
import { providersPages } from "./pages.ts"

export function ProviderMediaPage() {
  return <StubPage page={providersPages.media} />
}
