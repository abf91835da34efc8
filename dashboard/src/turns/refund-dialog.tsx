import type { Turn } from "../api/operations.ts"
import { useChange } from "../api/query.ts"
import { CreateRefundRequestRules } from "../api/rules.ts"
import { Button } from "../ui/button.tsx"
import { AnswerDialog, DismissButton } from "../ui/dialog.tsx"
import { useDraft } from "../ui/draft.ts"
import { ErrorState } from "../ui/error-state.tsx"
import { TextArea } from "../ui/field.tsx"
import { toast } from "../ui/toast.tsx"
import { Money } from "../ui/values.tsx"

/** Asks the operator to refund a turn. */
export function AskForRefundDialog({ turn, onClose }: { turn: Turn; onClose: () => void }) {
  const draft = useDraft(`refund-request.${turn.turn_id}`)
  const [reason, setReason] = draft.useField("reason", "")
  const ask = useChange("requestRefund", { draft, changes: ["listRefundRequests", "listActivity"] })
  const { error } = ask
  const save = () =>
    ask.mutate(
      { path: { turn_id: turn.turn_id }, body: { reason: reason.trim() } },
      {
        onSuccess: () => {
          toast("The operator has your request.")
          onClose()
        },
      },
    )
  return (
    <AnswerDialog
      open
      onClose={onClose}
      onSubmit={save}
      draft={draft}
      title="Ask for a refund?"
      about={
        <>
          The operator decides about the <Money usd={turn.billed_cost_usd} /> that this turn was billed. The answer
          appears here, and your webhooks get the event <code>refund.decided</code>.
        </>
      }
      actions={
        <>
          <DismissButton />
          <Button
            kind="primary"
            type="submit"
            busy={ask.isPending}
            disabled={reason.trim().length < CreateRefundRequestRules.reason.minLength}
          >
            Ask for a refund
          </Button>
        </>
      }
    >
      <TextArea
        label="Reason"
        rows={3}
        hint="The operator reads it, and not the texts of the turn."
        maxLength={CreateRefundRequestRules.reason.maxLength}
        value={reason}
        error={error}
        onChange={({ target }) => setReason(target.value)}
      />
      {error && error.faultOf("reason") === undefined && <ErrorState error={error} />}
    </AnswerDialog>
  )
}
