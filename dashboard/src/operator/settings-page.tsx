import { StubPage } from "../ui/stub-page.tsx"
import { operatorPages } from "./pages.ts"

export function OperatorSettingsPage() {
  return <StubPage page={operatorPages.settings} />
}
