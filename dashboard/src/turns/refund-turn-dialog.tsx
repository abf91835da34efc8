import type { ReactNode } from "react"
import type { AdminLedgerEntry } from "../api/operations.ts"
import { useChange } from "../api/query.ts"
import { Button } from "../ui/button.tsx"
import { Dialog, DismissButton } from "../ui/dialog.tsx"
import { useDraft } from "../ui/draft.ts"
import { ErrorState } from "../ui/error-state.tsx"
import { Form, TextArea } from "../ui/field.tsx"
import { toast } from "../ui/toast.tsx"
import { Money } from "../ui/values.tsx"
import { TurnLedger } from "./turn-ledger.tsx"

interface RefundTurnDialogProps {
  turnId: string
  /** The whole charge, in USD. */
  amount: number
  entries: readonly AdminLedgerEntry[]
  /** The effect on the wallet of the end user. */
  wallet: ReactNode
  onClose: () => void
}

/** Refunds the charge of a turn, once. It shows the turn's ledger and what will happen. */
export function RefundTurnDialog({ turnId, amount, entries, wallet, onClose }: RefundTurnDialogProps) {
  const draft = useDraft(`refund.${turnId}`)
  const change = useChange("refundTurn", { draft })
  const [note, setNote] = draft.useField("note", "")
  const title = `Refund the turn ${turnId}?`
  const save = () =>
    change.mutate(
      { path: { turn_id: turnId }, body: { note } },
      {
        onSuccess: () => {
          toast("The turn is refunded.")
          onClose()
        },
      },
    )
  return (
    <Dialog
      open
      wide
      onClose={onClose}
      title={title}
      draft={draft}
      about={
        <>
          The full charge of <Money usd={amount} /> returns to the account's balance. {wallet} The bill and the spend of
          limits stay as they are. A refund cannot be undone.
        </>
      }
    >
      <Form
        label={title}
        onSubmit={save}
        actions={
          <>
            <Button type="submit" kind="primary" busy={change.isPending} disabled={note.trim() === ""}>
              Refund
            </Button>
            <DismissButton />
          </>
        }
      >
        <TurnLedger entries={entries} />
        <TextArea
          label="Reason"
          name="note"
          rows={2}
          hint="The account's owner sees it next to the entry in the ledger."
          value={note}
          error={change.error}
          onChange={({ target }) => setNote(target.value)}
        />
        {change.error && <ErrorState error={change.error} />}
      </Form>
    </Dialog>
  )
}
