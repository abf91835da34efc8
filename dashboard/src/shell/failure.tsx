import { type ErrorComponentProps, useRouter } from "@tanstack/react-router"
import { ErrorState } from "../ui/error-state.tsx"
import { TextLink } from "../ui/link.tsx"
import { Page } from "../ui/page.tsx"

export function Failure({ error }: ErrorComponentProps) {
  const router = useRouter()
  return (
    <main className="mx-auto max-w-[720px] p-4">
      <ErrorState error={error} onRetry={() => void router.invalidate()} />
    </main>
  )
}

export function NotFound() {
  return (
    <main className="mx-auto max-w-[720px] p-4">
      <Page title="Nothing here" about="There is no page at this address, or it is not for this account.">
        <TextLink to="/">Go to the start</TextLink>
      </Page>
    </main>
  )
}
