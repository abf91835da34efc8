import { StubPage } from "../ui/stub-page.tsx"
import { providersPages } from "./pages.ts"

export function ProviderCapacityPage() {
  return <StubPage page={providersPages.capacity} />
}
