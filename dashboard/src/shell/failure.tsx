import { type ErrorComponentProps, useRouter } from "@tanstack/react-router"
import { ErrorState } from "../ui/error-state.tsx"
import { isPartMissing } from "../ui/lazy-part.tsx"
import { TextLink } from "../ui/link.tsx"
import { Page } from "../ui/page.tsx"

export function Failure({ error, reset }: ErrorComponentProps) {
  const router = useRouter()
  const retry = () => {
    // A new version may have replaced the files. Only a reload finds the new ones, and drafts survive it.
    if (isPartMissing(error) && navigator.onLine) return location.reload()
    reset()
    void router.invalidate()
  }
  return (
    <main className="mx-auto max-w-[720px] p-4">
      <ErrorState error={error} onRetry={retry} />
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
