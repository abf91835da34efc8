import type { CreateCredit, UserDetail } from "../api/operations.ts"
import { useChange } from "../api/query.ts"
import { choicesOf } from "../api/words.ts"
import { EditDialog } from "../operator/edit-dialog.tsx"
import { nameOf } from "../operator/parts.tsx"
import { useDraft } from "../ui/draft.ts"
import { Select, TextArea, TextInput } from "../ui/field.tsx"
import { toast } from "../ui/toast.tsx"
import { Money } from "../ui/values.tsx"

/** The kinds of credit, as options. */
export const CREDIT_REASONS = choicesOf<CreateCredit["reason"]>({
  admin_grant: "Grant",
  admin_action: "Correction (may be negative)",
  operator_topup: "Operator top-up",
  manual_topup: "Manual top-up (paid)",
  credit_purchase: "Purchase",
  signup_credit: "Sign-up credit",
  referral_signup_credit: "Referral credit",
})

/** Adds credit or a correction to the ledger. */
export function UserCredit({ of, onClose }: { of: UserDetail; onClose: () => void }) {
  const draft = useDraft(`credit.${of.user_id}`)
  const change = useChange("creditUser", {
    changes: ["getUser", "getUserEnergy", "listUsers", "listAudit", "getOverview"],
    draft,
  })
  const [reason, setReason] = draft.useField<CreateCredit["reason"]>("reason", "admin_grant")
  const [amount, setAmount] = draft.useField("amount", "")
  const [note, setNote] = draft.useField("note", "")
  const usd = amount.trim() === "" ? Number.NaN : Number(amount)
  const save = () =>
    change.mutate(
      { path: { user_id: of.user_id }, body: { reason, amount_usd: usd, note } },
      {
        onSuccess: () => {
          toast(`The ledger entry of ${nameOf(of)} is added.`)
          onClose()
        },
      },
    )
  return (
    <EditDialog
      draft={draft}
      title={`Add credit for ${nameOf(of)}`}
      about="This adds an entry to the ledger. Entries cannot be removed; add another entry to correct one."
      verb="Add credit"
      change={change}
      save={save}
      onClose={onClose}
      disabled={Number.isNaN(usd) || usd === 0 || note.trim() === ""}
    >
      <Select
        label="Reason"
        name="reason"
        value={reason}
        options={CREDIT_REASONS}
        error={change.error}
        onChange={({ target }) => setReason(target.value as CreateCredit["reason"])}
      />
      <TextInput
        label="Amount (USD)"
        name="amount_usd"
        inputMode="decimal"
        value={amount}
        error={amount.trim() !== "" && Number.isNaN(usd) ? "This is not a number." : change.error}
        hint={
          Number.isNaN(usd) ? undefined : (
            <>
              New balance: <Money usd={of.wallet.balance_usd + usd} />
            </>
          )
        }
        onChange={({ target }) => setAmount(target.value)}
      />
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
