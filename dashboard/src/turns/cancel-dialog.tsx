import { useSearch } from "@tanstack/react-router"
import { useChange } from "../api/query.ts"
import { ConfirmDialog } from "../ui/dialog.tsx"
import { toast } from "../ui/toast.tsx"

export function CancelTurnDialog({ turnId, onClose }: { turnId: string; onClose: () => void }) {
  const { test } = useSearch({ from: "/app" })
  const cancel = useChange("cancelTurn")
  const done = () => {
    toast("The turn is being cancelled.")
    onClose()
  }
  return (
    <ConfirmDialog
      open
      onClose={onClose}
      title={`Cancel the turn ${turnId}?`}
      about="The turn stops at its next step. Its usage until then is billed."
      verb="Cancel turn"
      dismiss="Keep running"
      busy={cancel.isPending}
      error={cancel.error}
      onConfirm={() =>
        cancel.mutate({ path: { turn_id: turnId }, query: { test: test && "true" } }, { onSuccess: done })
      }
    />
  )
}
