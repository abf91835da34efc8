import { useMutation, useQueryClient } from "@tanstack/react-query"
import { useNavigate } from "@tanstack/react-router"
import { useState } from "react"
import type { ApiError } from "../api/api-error.ts"
import { call } from "../api/call.ts"
import type { EndUser } from "../api/operations.ts"
import { readAgain, useChange } from "../api/query.ts"
import { send } from "../api/send.ts"
import { ConfirmDialog } from "../ui/dialog.tsx"
import { counted } from "../ui/numbers.ts"
import { toast } from "../ui/toast.tsx"

interface EndUserDialogProps {
  endUser: EndUser
  test: true | undefined
  onClose: () => void
}

export function BlockEndUserDialog({ endUser: { end_user_ref, limits }, test, onClose }: EndUserDialogProps) {
  const client = useQueryClient()
  const input = { path: { end_user_ref }, query: { test: test && ("true" as const) } }
  const put = useMutation<unknown, ApiError, boolean>({
    // The other limits are read now, because they may have changed since the page was read, or before Undo.
    mutationFn: async (isBlocked) => {
      const now = await call("getEndUser", input)
      return send("putEndUserLimits", { ...input, body: { ...now.limits, blocked: isBlocked } })
    },
    onSuccess: () => readAgain(client, ["getEndUser", "listEndUsers"]),
  })
  // Kept from the first render, because the end user is read again before the dialog closes.
  const [blocked] = useState(!limits.blocked)
  const done = () => {
    const undo = () => void put.mutateAsync(!blocked).catch((error: Error) => toast(error.message, { bad: true }))
    toast(blocked ? `${end_user_ref} is blocked.` : `${end_user_ref} may send turns again.`, { undo })
    onClose()
  }
  return (
    <ConfirmDialog
      open
      onClose={onClose}
      safe={!blocked}
      title={`${blocked ? "Block" : "Unblock"} the end user ${end_user_ref}?`}
      about={
        blocked
          ? "New turns of this end user are rejected with END_USER_BLOCKED. Running turns continue, and the caps stay."
          : "New turns of this end user are accepted again, within their caps."
      }
      verb={blocked ? "Block end user" : "Unblock end user"}
      busy={put.isPending}
      error={put.error}
      onConfirm={() => put.mutate(blocked, { onSuccess: done })}
    />
  )
}

export function EraseEndUserDialog({ endUser: { end_user_ref, turns }, test, onClose }: EndUserDialogProps) {
  const erase = useChange("eraseEndUser")
  const navigate = useNavigate()
  return (
    <ConfirmDialog
      open
      onClose={onClose}
      title={`Erase the data of ${end_user_ref}?`}
      about={`The texts, files, conversations and steps of ${counted(turns, "turn")} are deleted permanently. Export them first if you need a copy.`}
      verb="Erase data"
      typed={end_user_ref}
      busy={erase.isPending}
      error={erase.error}
      onConfirm={() =>
        erase.mutate(
          { path: { end_user_ref }, query: { test: test && "true" } },
          {
            onSuccess: ({ erasure_id }) => {
              onClose()
              void navigate({
                to: "/end-users/$endUserRef",
                params: { endUserRef: end_user_ref },
                search: { test, erasure: erasure_id },
              })
            },
          },
        )
      }
    />
  )
}
