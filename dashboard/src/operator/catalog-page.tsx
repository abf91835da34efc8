import { StubPage } from "../ui/stub-page.tsx"
import { operatorPages } from "./pages.ts"

export function OperatorCatalogPage() {
  return <StubPage page={operatorPages.catalog} />
}
