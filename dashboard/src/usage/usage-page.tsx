import { StubPage } from "../ui/stub-page.tsx"
import { usagePages } from "./pages.ts"

export function UsagePage() {
  return <StubPage page={usagePages.usage} />
}
