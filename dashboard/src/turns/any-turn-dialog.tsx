import { useState } from "react"
import type { Turn } from "../api/operations.ts"
import { useChange } from "../api/query.ts"
import { CancelAnyTurnRules } from "../api/rules.ts"
import { Button } from "../ui/button.tsx"
import { AnswerDialog, DismissButton } from "../ui/dialog.tsx"
import { ErrorState } from "../ui/error-state.tsx"
import { TextInput } from "../ui/field.tsx"
import { toast } from "../ui/toast.tsx"
import { enoughFor } from "./wait-words.ts"

interface DialogProps {
  turn: Turn
  what: "cancel" | "raise"
  onClose: () => void
}

const { minLength, maxLength } = CancelAnyTurnRules.reason

/** Cancels an open turn of any account or raises its limit, with a reason for the audit log. */
export function AnyTurnDialog({ turn, what, onClose }: DialogProps) {
  const isRaise = what === "raise"
  const cancel = useChange("cancelAnyTurn")
  const raise = useChange("raiseAnyTurn")
  const limit = turn.waiting?.limit
  const [amount, setAmount] = useState(() => (limit?.kind === "max_cost" ? enoughFor(limit) : ""))
  const [reason, setReason] = useState("")
  const { error, isPending } = isRaise ? raise : cancel
  const path = { turn_id: turn.turn_id }
  const onSuccess = () => {
    toast(isRaise ? "The limit is raised." : "The turn is being cancelled.")
    onClose()
  }
  const send = () =>
    isRaise
      ? raise.mutate({ path, body: { max_cost_usd: Number(amount), reason } }, { onSuccess })
      : cancel.mutate({ path, body: { reason } }, { onSuccess })
  const isReady = reason.trim().length >= minLength && (!isRaise || Number(amount) > 0)
  return (
    <AnswerDialog
      open
      onClose={onClose}
      onSubmit={send}
      title={isRaise ? "Raise the limit of this turn?" : "Cancel this turn?"}
      about={
        isRaise
          ? "The account pays for what the turn does then. Its owner sees the change in Activity."
          : "The turn stops at its next step, and its usage until then is billed. Its owner sees it in Activity."
      }
      actions={
        <>
          <DismissButton>{isRaise ? "Cancel" : "Keep running"}</DismissButton>
          <Button type="submit" kind={isRaise ? "primary" : "danger"} busy={isPending} disabled={!isReady}>
            {isRaise ? "Raise the limit" : "Cancel turn"}
          </Button>
        </>
      }
    >
      {isRaise && (
        <TextInput
          label="Max cost (USD)"
          inputMode="decimal"
          hint={`It is ${turn.max_cost_usd} now, and can only be raised.`}
          value={amount}
          error={raise.error}
          onChange={({ target }) => setAmount(target.value)}
        />
      )}
      <TextInput
        label="Reason"
        hint="For the audit log. The owner does not see it."
        maxLength={maxLength}
        value={reason}
        error={error}
        onChange={({ target }) => setReason(target.value)}
      />
      {error && <ErrorState error={error} />}
    </AnswerDialog>
  )
}
