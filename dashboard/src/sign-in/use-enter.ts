import { useQueryClient } from "@tanstack/react-query"
import { useRouter } from "@tanstack/react-router"
import type { User } from "../api/operations.ts"
import { setPageUser } from "../api/page-user.ts"
import { queryOf } from "../api/query.ts"
import { setSessionOver } from "../api/session-over.ts"

/** Continues as this user: discards the data of an earlier session, then opens `next` or the home page. */
export function useEnter(next: string | undefined) {
  const client = useQueryClient()
  const router = useRouter()
  return (user: User) => {
    client.clear()
    setPageUser(user)
    setSessionOver(false)
    client.setQueryData(queryOf("getCurrentUser").queryKey, user)
    // The docs are files of their own, and no pages of this app.
    if (next && /^\/(?:api\/)?docs(?:[/?#]|$)/.test(next)) return location.assign(next)
    router.history.push(next ?? (user.role === "admin" ? "/operator" : "/home"))
  }
}
