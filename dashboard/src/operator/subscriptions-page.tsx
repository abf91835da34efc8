import { StubPage } from "../ui/stub-page.tsx"
import { operatorPages } from "./pages.ts"

export function OperatorSubscriptionsPage() {
  return <StubPage page={operatorPages.subscriptions} />
}
