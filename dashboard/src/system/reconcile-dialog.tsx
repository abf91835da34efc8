import { useChange } from "../api/query.ts"
import { Button } from "../ui/button.tsx"
import { ConfirmDialog, Dialog } from "../ui/dialog.tsx"
import { SystemPass } from "./reconciliations.tsx"

/** Starts a pass over the books, and shows what it has found. */
export function SystemReconcileDialog({ onClose }: { onClose: () => void }) {
  const change = useChange("reconcile")
  if (change.data)
    return (
      <Dialog
        open
        wide
        onClose={onClose}
        title={change.data.finished_at ? "The books are checked" : "The pass over the books goes on"}
        about={change.data.finished_at ? undefined : "It is longer than one request. Its findings appear on this page."}
        actions={<Button onClick={onClose}>Close</Button>}
      >
        <SystemPass title="This pass" of={change.data} />
      </Dialog>
    )
  return (
    <ConfirmDialog
      open
      safe
      onClose={onClose}
      title="Check the books now?"
      about="It compares balances, ledger, turns and counters, and repairs what can be repaired without a doubt. Turns go on meanwhile."
      verb="Check them"
      busy={change.isPending}
      error={change.error}
      onConfirm={() => change.mutate({})}
    />
  )
}
