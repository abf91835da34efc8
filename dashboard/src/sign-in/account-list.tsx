import { useQuery } from "@tanstack/react-query"
import { useState } from "react"
import type { Membership, User } from "../api/operations.ts"
import { chooseAccount, pageAccount } from "../api/page-user.ts"
import { queryOf } from "../api/query.ts"
import { dropDrafts, hasUnsaved } from "../ui/draft.ts"
import { Read } from "../ui/read.tsx"
import { ROLE_WORDS } from "../ui/rights.ts"

/** The name of an account or of a person. */
export const titleOf = ({ name, email, user_id }: { name: string | null; email?: string | null; user_id: number }) =>
  name ?? email ?? `User ${user_id}`

interface ListProps {
  user: User
  /** Marks the account that the page shows. */
  current?: boolean
}

/** The accounts for which the signed-in person may act. A press opens one in this tab. */
export function AccountList({ user, current = false }: ListProps) {
  const accounts = useQuery({ ...queryOf("listMemberships"), staleTime: 0 })
  const [isUnsaved] = useState(hasUnsaved)
  const shown = current ? (pageAccount()?.user_id ?? user.user_id) : null
  const open = ({ own, user_id, name }: Membership) => {
    // The people of another account must not see what was typed.
    dropDrafts()
    chooseAccount(user, own ? null : { user_id, name })
    // A full page load discards all data of the account in memory.
    location.assign("/home")
  }
  return (
    <Read of={accounts} rows={3}>
      {({ items }) =>
        items.length === 0 ? (
          <p>You belong to no account now. Ask an owner for an invitation.</p>
        ) : (
          <>
            {current && isUnsaved && <p>If you open another account, what you typed is discarded.</p>}
            <ul aria-label="Accounts" className="flex flex-col rounded-md border border-line">
              {items.map((account) => (
                <li key={account.user_id} className="border-line not-first:border-t">
                  <button
                    type="button"
                    aria-current={account.user_id === shown ? "true" : undefined}
                    onClick={() => open(account)}
                    className="flex min-h-11 w-full flex-wrap items-center gap-x-3 px-3 py-1 text-left hover:bg-hover"
                  >
                    <span className="min-w-0 grow break-words font-strong">
                      {titleOf({ ...account, email: account.own ? user.email : null })}
                    </span>
                    <span className="text-muted text-xs">
                      {account.user_id === shown && "open · "}
                      {account.own && "your own · "}
                      {ROLE_WORDS[account.role]}
                    </span>
                  </button>
                </li>
              ))}
            </ul>
          </>
        )
      }
    </Read>
  )
}
