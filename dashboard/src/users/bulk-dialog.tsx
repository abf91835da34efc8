import { useState } from "react"
import type { BulkAct, CreateCredit, UsersChange } from "../api/operations.ts"
import { useChange } from "../api/query.ts"
import { choicesOf } from "../api/words.ts"
import { CREDIT_REASONS } from "../credit/user-credit.tsx"
import { nameOf, PersonName } from "../operator/parts.tsx"
import { PlanTimeFields, planTimeBody } from "../subscriptions/plan-fields.tsx"
import { Button } from "../ui/button.tsx"
import { Dialog, DismissButton } from "../ui/dialog.tsx"
import { useDraft } from "../ui/draft.ts"
import { ErrorState } from "../ui/error-state.tsx"
import { Form, Select, TextArea, TextInput } from "../ui/field.tsx"
import { counted } from "../ui/numbers.ts"
import { Status } from "../ui/status.tsx"
import { type Column, Table } from "../ui/table.tsx"
import { toast } from "../ui/toast.tsx"
import { Money } from "../ui/values.tsx"

const ACTS = choicesOf<BulkAct["kind"]>({ credit: "Add credit", plan: "Assign a plan", disable: "Disable accounts" })

const TONES = { changed: "ok", unchanged: "none", refused: "warn" } as const

const COLUMNS: Column<UsersChange["items"][number]>[] = [
  { title: "User", cell: (user) => <PersonName of={user} /> },
  { title: "Result", cell: ({ outcome }) => <Status word={outcome} tone={TONES[outcome]} /> },
  { title: "Why", cell: (user) => user.detail || effectOf(user) || <span className="text-muted">–</span> },
  { title: "New balance", right: true, cell: ({ balance_after_usd }) => <Money usd={balance_after_usd} /> },
]

const effectOf = ({ only_owner_of: accounts }: UsersChange["items"][number]) =>
  accounts.length > 0 && `No owner of ${accounts.map(nameOf).join(", ")} can sign in then.`

interface Props {
  userIds: readonly number[]
  onClose: () => void
  onDone: () => void
}

/** Acts on many users: a preview of what happens to each, then the act with its reason. */
export function BulkDialog({ userIds, onClose, onDone }: Props) {
  const draft = useDraft("users.bulk")
  const preview = useChange("previewUsersChange", { changes: [] })
  const change = useChange("changeUsers", { draft })
  const [kind, setKind] = draft.useField<BulkAct["kind"]>("kind", "credit")
  const [credit, setCredit] = draft.useField("credit", { reason: "admin_grant", amount: "" })
  const [plan, setPlan] = draft.useField("plan", { plan: "", ends: "" })
  const [note, setNote] = draft.useField("note", "")
  const [seen, setSeen] = useState<{ act: BulkAct; result: UsersChange } | null>(null)
  const act = actOf(kind, credit, plan)
  // A preview of another act is not what the user confirms.
  const shown = seen && JSON.stringify(seen.act) === JSON.stringify(act) ? seen : null
  const user_ids = [...userIds]
  const look = () =>
    act && preview.mutate({ body: { act, user_ids } }, { onSuccess: (result) => setSeen({ act, result }) })
  const apply = ({ act, result }: NonNullable<typeof seen>) =>
    change.mutate(
      { body: { act, user_ids, state: result.state, note } },
      {
        onSuccess: ({ changed }) => {
          toast(`${counted(changed, "user")} changed.`)
          onDone()
          onClose()
        },
      },
    )
  return (
    <Dialog
      open
      onClose={onClose}
      wide
      draft={draft}
      title={`Change ${counted(userIds.length, "user")}`}
      about="Look at the preview first. Then confirm it with a reason."
    >
      <Form
        label="Act"
        onSubmit={shown ? () => apply(shown) : look}
        actions={
          <>
            {shown && (
              <Button busy={preview.isPending} onClick={look}>
                Preview again
              </Button>
            )}
            <Button
              type="submit"
              kind={shown && kind === "disable" ? "danger" : "primary"}
              busy={shown ? change.isPending : preview.isPending}
              disabled={!act || (shown !== null && (note.trim() === "" || shown.result.changed === 0))}
            >
              {shown ? `Change ${counted(shown.result.changed, "user")}` : "Preview"}
            </Button>
            <DismissButton />
          </>
        }
      >
        <Select
          label="Act"
          value={kind}
          options={ACTS}
          onChange={({ target }) => setKind(target.value as BulkAct["kind"])}
        />
        {kind === "credit" && <CreditFields of={credit} onChange={setCredit} />}
        {kind === "plan" && <PlanTimeFields text={plan} onChange={setPlan} error={preview.error} />}
        {shown && (
          <TextArea
            label="Reason"
            name="note"
            rows={2}
            hint="It is in the audit log. Owners see it with a ledger entry."
            value={note}
            error={change.error}
            onChange={({ target }) => setNote(target.value)}
          />
        )}
        {preview.error || change.error ? <ErrorState error={change.error ?? preview.error} /> : null}
      </Form>
      {shown && (
        <>
          <p role="status">
            {counted(shown.result.changed, "user")} will change, {counted(shown.result.unchanged, "user")} will stay as
            they are, {counted(shown.result.refused, "user")} will be refused.
          </p>
          <Table
            caption="What happens to each user"
            columns={COLUMNS}
            rows={shown.result.items}
            rowKey={({ user_id }) => user_id}
          />
        </>
      )}
    </Dialog>
  )
}

interface CreditText {
  reason: string
  amount: string
}

function CreditFields({ of, onChange }: { of: CreditText; onChange: (text: CreditText) => void }) {
  return (
    <>
      <Select
        label="Kind of credit"
        value={of.reason}
        options={CREDIT_REASONS}
        onChange={({ target }) => onChange({ ...of, reason: target.value })}
      />
      <TextInput
        label="Amount for each user (USD)"
        inputMode="decimal"
        value={of.amount}
        error={of.amount.trim() !== "" && Number.isNaN(Number(of.amount)) ? "This is not a number." : undefined}
        onChange={({ target }) => onChange({ ...of, amount: target.value })}
      />
    </>
  )
}

/** The act of the form; null while it is not complete. */
function actOf(
  kind: BulkAct["kind"],
  { reason, amount }: CreditText,
  plan: { plan: string; ends: string },
): BulkAct | null {
  if (kind === "disable") return { kind }
  if (kind === "plan") return plan.plan ? { kind, ...planTimeBody(plan) } : null
  const amount_usd = Number(amount)
  return amount.trim() === "" || Number.isNaN(amount_usd) || amount_usd === 0
    ? null
    : { kind, reason: reason as CreateCredit["reason"], amount_usd }
}
