import { useChange } from "../api/query.ts"
import { Button } from "../ui/button.tsx"
import { ConfirmDialog, Dialog } from "../ui/dialog.tsx"
import { SystemPass } from "./reconciliations.tsx"

/** Starts a reconciliation, and shows its findings. */
export function SystemReconcileDialog({ onClose }: { onClose: () => void }) {
  const change = useChange("reconcile")
  if (change.data)
    return (
      <Dialog
        open
        wide
        onClose={onClose}
        title={change.data.finished_at ? "Reconciliation finished" : "Reconciliation is still running"}
        about={
          change.data.finished_at
            ? undefined
            : "It takes longer than one request. Its findings will appear on this page."
        }
        actions={<Button onClick={onClose}>Close</Button>}
      >
        <SystemPass title="This reconciliation" of={change.data} />
      </Dialog>
    )
  return (
    <ConfirmDialog
      open
      safe
      onClose={onClose}
      title="Start a reconciliation?"
      about="It compares balances, ledger, turns and counters, and repairs differences whose cause is certain. Turns keep running."
      verb="Start"
      busy={change.isPending}
      error={change.error}
      onConfirm={() => change.mutate({})}
    />
  )
}
