import { StubPage } from "../ui/stub-page.tsx"
import { usagePages } from "./pages.ts"

export function EnergyPage() {
  return <StubPage page={usagePages.energy} />
}
