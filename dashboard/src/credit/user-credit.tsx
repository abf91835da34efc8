import { useState } from "react"
import type { CreateCredit, UserDetail } from "../api/operations.ts"
import { useChange } from "../api/query.ts"
import { choicesOf } from "../api/words.ts"
import { OperatorEditDialog } from "../operator/edit-dialog.tsx"
import { operatorNameOf } from "../operator/parts.tsx"
import { Select, TextArea, TextInput } from "../ui/field.tsx"
import { toast } from "../ui/toast.tsx"
import { Money } from "../ui/values.tsx"

const REASONS = choicesOf<CreateCredit["reason"]>({
  admin_grant: "Grant",
  admin_action: "Correction (may be negative)",
  operator_topup: "Top-up by the operator",
  manual_topup: "Top-up by hand, bought",
  credit_purchase: "Purchase",
  signup_credit: "For signing up",
  referral_signup_credit: "For a referral",
})

/** Books credit or a correction. Pressing twice books once. */
export function OperatorUserCredit({ of, onClose }: { of: UserDetail; onClose: () => void }) {
  const change = useChange("creditUser", {
    changes: ["getUser", "getUserEnergy", "listUsers", "listAudit", "getOverview"],
  })
  const [key] = useState(() => crypto.randomUUID())
  const [reason, setReason] = useState<CreateCredit["reason"]>("admin_grant")
  const [amount, setAmount] = useState("")
  const [note, setNote] = useState("")
  const usd = amount.trim() === "" ? Number.NaN : Number(amount)
  const save = () =>
    change.mutate(
      { path: { user_id: of.user_id }, body: { reason, amount_usd: usd, note }, idempotencyKey: key },
      {
        onSuccess: () => {
          toast(`Booked for ${operatorNameOf(of)}.`)
          onClose()
        },
      },
    )
  return (
    <OperatorEditDialog
      title={`Book credit for ${operatorNameOf(of)}`}
      about="One row of the ledger. Nothing removes it again; a correction is another row."
      verb="Book"
      change={change}
      save={save}
      onClose={onClose}
      disabled={Number.isNaN(usd) || usd === 0 || note.trim() === ""}
    >
      <Select
        label="Kind"
        name="reason"
        value={reason}
        options={REASONS}
        error={change.error}
        onChange={({ target }) => setReason(target.value as CreateCredit["reason"])}
      />
      <TextInput
        label="Amount, USD"
        name="amount_usd"
        inputMode="decimal"
        value={amount}
        error={amount.trim() !== "" && Number.isNaN(usd) ? "This is not a number." : change.error}
        hint={
          Number.isNaN(usd) ? undefined : (
            <>
              The balance becomes <Money usd={of.wallet.balance_usd + usd} />
            </>
          )
        }
        onChange={({ target }) => setAmount(target.value)}
      />
      <TextArea
        label="Note"
        name="note"
        rows={2}
        hint="The account's owner sees it beside the entry."
        value={note}
        error={change.error}
        onChange={({ target }) => setNote(target.value)}
      />
    </OperatorEditDialog>
  )
}
