import { useQuery } from "@tanstack/react-query"
import { useSearch } from "@tanstack/react-router"
import { useEffect, useState } from "react"
import { needsSignIn } from "../api/call.ts"
import { leaveChosenAccount, setPageUser } from "../api/page-user.ts"
import { queryOf } from "../api/query.ts"
import { buttonLook } from "../ui/button.tsx"
import { ErrorState } from "../ui/error-state.tsx"
import { ButtonLink } from "../ui/link.tsx"
import { Skeleton } from "../ui/skeleton.tsx"
import { AccountList, titleOf } from "./account-list.tsx"
import { PublicFrame } from "./frame.tsx"

const REASONS = {
  no_member: "You are no longer a member of the account that this tab showed. Choose another one.",
  no_factor: "The account that you opened requires a second factor of its members.",
} as const

/** Chooses an account, also for a person who may not act for the one that the tab showed. */
export function AccountsPage() {
  const { barred } = useSearch({ from: "/accounts" })
  // The page shows no account, so its requests name none.
  const [isFree, setIsFree] = useState(false)
  useEffect(() => {
    if (barred) leaveChosenAccount()
    setPageUser(null)
    setIsFree(true)
  }, [barred])
  const session = useQuery({ ...queryOf("getCurrentUser"), enabled: isFree, retry: false })
  return (
    <PublicFrame narrow>
      <title>Accounts · Turnpike</title>
      <div>
        <h1 className="text-lg">Choose an account</h1>
        {session.data && <p className="text-muted">You are signed in as {titleOf(session.data)}.</p>}
      </div>
      {barred && <p role="alert">{REASONS[barred]}</p>}
      {barred === "no_factor" && (
        // A full page load, which opens the person's own account.
        <a href="/account" className={`${buttonLook("primary")} self-start`}>
          Set up a second factor
        </a>
      )}
      {session.data ? (
        <AccountList user={session.data} />
      ) : needsSignIn(session.error) ? (
        <ButtonLink kind="primary" to="/sign-in" search={{ next: "/accounts" }} className="self-start">
          Sign in
        </ButtonLink>
      ) : session.error ? (
        <ErrorState error={session.error} />
      ) : (
        <Skeleton rows={3} />
      )}
    </PublicFrame>
  )
}
