import type { AdminLedgerEntry } from "../api/operations.ts"
import { useChange } from "../api/query.ts"
import { EditDialog } from "../operator/edit-dialog.tsx"
import { useDraft } from "../ui/draft.ts"
import { TextArea } from "../ui/field.tsx"
import { toast } from "../ui/toast.tsx"
import { Money } from "../ui/values.tsx"

/** Refunds the charge of a turn. */
export function Refund({ of, onClose }: { of: AdminLedgerEntry; onClose: () => void }) {
  const draft = useDraft(`refund.${of.turn_id}`)
  const change = useChange("refundTurn", { draft })
  const [note, setNote] = draft.useField("note", "")
  const save = () =>
    change.mutate(
      { path: { turn_id: of.turn_id ?? "" }, body: { note } },
      {
        onSuccess: () => {
          toast("The turn is refunded.")
          onClose()
        },
      },
    )
  return (
    <EditDialog
      draft={draft}
      title={`Refund the turn ${of.turn_id}?`}
      about={
        <>
          The full charge of <Money usd={of.amount_usd === null ? null : -of.amount_usd} /> is credited to the account.
        </>
      }
      verb="Refund"
      change={change}
      save={save}
      onClose={onClose}
      disabled={note.trim() === ""}
    >
      <TextArea
        label="Note"
        name="note"
        rows={2}
        hint="The account's owner sees this note next to the entry."
        value={note}
        error={change.error}
        onChange={({ target }) => setNote(target.value)}
      />
    </EditDialog>
  )
}
