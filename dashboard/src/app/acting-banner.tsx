import { useQueryClient } from "@tanstack/react-query"
import { call } from "../api/call.ts"
import { useRead } from "../api/query.ts"
import { Button } from "../ui/button.tsx"

/** Shown while an admin looks at somebody's account. */
export function ActingBanner() {
  const me = useRead("getMe")
  const queryClient = useQueryClient()
  if (!me.data?.acting_admin) return null
  const { user } = me.data
  const stop = async () => {
    await call("endActing", { path: { user_id: user.user_id } }).catch(() => null)
    queryClient.clear()
    location.assign(`/operator/users/${user.user_id}`)
  }
  return (
    <div role="status" className="flex flex-wrap items-center gap-3 bg-warn-soft px-4 py-2 text-warn sm:px-6">
      <span className="grow">
        You look at the account of <b>{user.name ?? user.email ?? `user ${user.user_id}`}</b>, and cannot change it.
      </span>
      <Button onClick={() => void stop()}>Stop looking</Button>
    </div>
  )
}
