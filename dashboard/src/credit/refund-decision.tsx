import type { AdminRefundRequest, DecideRefund } from "../api/operations.ts"
import { useChange } from "../api/query.ts"
import { DecideRefundRules } from "../api/rules.ts"
import { EditDialog } from "../operator/edit-dialog.tsx"
import { useDraft } from "../ui/draft.ts"
import { TextArea } from "../ui/field.tsx"
import { toast } from "../ui/toast.tsx"
import { Money } from "../ui/values.tsx"

export type RefundDecision = DecideRefund["decision"]

interface DecideProps {
  of: AdminRefundRequest
  decision: RefundDecision
  onClose: () => void
}

/** Refunds a turn that its owner asked a refund for, or declines, with an answer. */
export function DecideRefundDialog({ of, decision, onClose }: DecideProps) {
  const draft = useDraft(`refund-decision.${of.turn_id}`)
  const change = useChange("decideRefund", { draft })
  const [answer, setAnswer] = draft.useField("answer", "")
  const isRefund = decision === "refund"
  const save = () =>
    change.mutate(
      { path: { turn_id: of.turn_id }, body: { decision, answer: answer.trim() } },
      {
        onSuccess: () => {
          toast(isRefund ? "The turn is refunded." : "The request is declined.")
          onClose()
        },
      },
    )
  return (
    <EditDialog
      draft={draft}
      title={isRefund ? "Refund this turn?" : "Decline this request?"}
      about={
        isRefund ? (
          <>
            <Money usd={of.amount_usd} /> are credited to the account.
          </>
        ) : (
          "Nothing is booked. You can still refund the turn later."
        )
      }
      verb={isRefund ? "Refund" : "Decline"}
      change={change}
      save={save}
      onClose={onClose}
      disabled={answer.trim().length < DecideRefundRules.answer.minLength}
    >
      <p className="break-words rounded-md border border-line bg-panel p-3">{of.reason}</p>
      <TextArea
        label="Answer"
        name="answer"
        rows={3}
        hint="The owner reads it."
        maxLength={DecideRefundRules.answer.maxLength}
        value={answer}
        error={change.error}
        onChange={({ target }) => setAnswer(target.value)}
      />
    </EditDialog>
  )
}
