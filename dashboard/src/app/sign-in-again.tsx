import { useQueryClient } from "@tanstack/react-query"
import { useRouteContext, useRouter } from "@tanstack/react-router"
import type { User } from "../api/operations.ts"
import { queryOf } from "../api/query.ts"
import { setSessionOver } from "../api/session-over.ts"
import { SignInPassword } from "../sign-in/sign-in-page.tsx"
import { dropDrafts } from "../ui/draft.ts"
import { OutLink } from "../ui/link.tsx"
import { toast } from "../ui/toast.tsx"
import { TopDialog } from "../ui/top-dialog.tsx"

/** Shown over a page whose session has ended. The page and everything typed into it stay. */
export function SignInAgain() {
  const { user } = useRouteContext({ from: "/app" })
  const client = useQueryClient()
  const router = useRouter()
  const enter = (next: User) => {
    // Another user must not see the page of the first one.
    if (next.user_id !== user.user_id) {
      dropDrafts()
      return location.assign("/")
    }
    client.setQueryData(queryOf("getCurrentUser").queryKey, next)
    setSessionOver(false)
    void client.invalidateQueries()
    toast("You are signed in again. Repeat what you were doing.")
  }
  return (
    <TopDialog
      title="Your session has ended"
      about="Sign in to continue on this page. What you typed is still here."
      // Escape does nothing, because the page does not work without a session.
      onCancel={() => {}}
    >
      <SignInPassword email={user.email ?? ""} onEnter={enter} />
      <p className="text-muted text-xs">
        No password?{" "}
        <OutLink href={`/sign-in?next=${encodeURIComponent(router.state.location.href)}`}>Sign in another way</OutLink>.
        You then return to this page.
      </p>
    </TopDialog>
  )
}
