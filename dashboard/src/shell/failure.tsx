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
      <Page title="Page not found" about="This page does not exist, or this account has no access to it.">
        <TextLink to="/">Go to the start page</TextLink>
      </Page>
    </main>
  )
}
