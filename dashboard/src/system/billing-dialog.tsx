import type { InfraBilling } from "../api/operations.ts"
import { useChange } from "../api/query.ts"
import { ConfirmDialog } from "../ui/dialog.tsx"
import { Money } from "../ui/values.tsx"

interface Props {
  /** What a dry run has said. */
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
      title={`Bill containers and storage of ${of.accounts === 1 ? "1 account" : `${of.accounts.toLocaleString("en-US")} accounts`}?`}
      about={
        <>
          About <Money usd={of.billed_usd} /> goes out of their balances: what they have used up to now, so a little
          more than the dry run says. Each account has one row in its ledger, and nothing takes it back but a
          correction.
        </>
      }
      verb="Bill it"
      typed="bill"
      busy={change.isPending}
      error={change.error}
      onConfirm={() => change.mutate({}, { onSuccess: onBilled })}
    />
  )
}
