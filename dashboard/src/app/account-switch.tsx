import { useRouteContext } from "@tanstack/react-router"
import { Suspense, useState } from "react"
import { useRead } from "../api/query.ts"
import { Icon } from "../ui/icon.tsx"
import { lazyPart } from "../ui/lazy-part.tsx"
import { ROLE_WORDS } from "../ui/rights.ts"

const AccountsDialog = lazyPart(() =>
  import("./accounts-dialog.tsx").then((module) => ({ default: module.AccountsDialog })),
)

/** Shows for which account the page acts, and in which role. A press shows the other accounts. */
export function AccountSwitch({ className = "" }: { className?: string }) {
  const { user } = useRouteContext({ from: "/app" })
  const { data: me } = useRead("getMe")
  const [open, setOpen] = useState(false)
  const account = me?.user ?? user
  const title = account.name ?? account.email ?? `Account ${account.user_id}`
  return (
    <>
      <button
        type="button"
        onClick={() => setOpen(true)}
        className={`flex min-h-9 items-center gap-2 rounded-md px-2 py-1 text-left hover:bg-hover ${className}`}
      >
        <span className="min-w-0 grow leading-tight">
          <span className="block truncate font-strong">
            <span className="sr-only">Account </span>
            {title}
          </span>
          {me && (me.person || me.account_role !== "owner") && (
            <span className="block truncate text-muted text-xs">Your role: {ROLE_WORDS[me.account_role]}</span>
          )}
        </span>
        <span className="sr-only">Switch the account</span>
        <Icon name="down" />
      </button>
      <Suspense>{open && <AccountsDialog user={user} onClose={() => setOpen(false)} />}</Suspense>
    </>
  )
}
