import type { InfraBilling } from "../api/operations.ts"
import { useChange } from "../api/query.ts"
import { ConfirmDialog } from "../ui/dialog.tsx"
import { counted } from "../ui/numbers.ts"
import { Money } from "../ui/values.tsx"

interface Props {
  /** The result of a dry run. */
  of: InfraBilling
  onClose: () => void
  onBilled: (billed: InfraBilling) => void
}

export function SystemBillDialog({ of, onClose, onBilled }: Props) {
  const change = useChange("billInfra", { changes: ["getSystem"] })
  return (
    <ConfirmDialog
      open
      onClose={onClose}
      title={`Bill containers and storage of ${counted(of.accounts, "account")}?`}
      about={
        <>
          This charges about <Money usd={of.billed_usd} /> to their balances. The amount includes usage up to now, so it
          is slightly more than in the dry run. Each account gets one ledger row, which only a correction can undo.
        </>
      }
      verb="Bill now"
      typed="bill"
      busy={change.isPending}
      error={change.error}
      onConfirm={() => change.mutate({}, { onSuccess: onBilled })}
    />
  )
}
