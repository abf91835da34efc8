import { useState } from "react"
import type { Turn } from "../api/operations.ts"
import { useChange } from "../api/query.ts"
import { Button } from "../ui/button.tsx"
import { AnswerDialog, DismissButton } from "../ui/dialog.tsx"
import { ErrorState } from "../ui/error-state.tsx"
import { TextInput } from "../ui/field.tsx"
import { toast } from "../ui/toast.tsx"
import { Money } from "../ui/values.tsx"
import { enoughFor, WAIT_READS } from "./wait-words.ts"

type Raised = Pick<Turn, "turn_id" | "max_cost_usd" | "waiting">

/** Raises the limit of a turn's own cost. */
export function RaiseDialog({ turn, test, onClose }: { turn: Raised; test: true | undefined; onClose: () => void }) {
  const raise = useChange("patchTurn", { changes: [...WAIT_READS, "getBalance"] })
  const limit = turn.waiting?.limit
  const [amount, setAmount] = useState(() => (limit?.kind === "max_cost" ? enoughFor(limit) : ""))
  const { error } = raise
  const send = () =>
    raise.mutate(
      {
        path: { turn_id: turn.turn_id },
        query: { test: test && "true" },
        body: { max_cost_usd: Number(amount) },
      },
      {
        onSuccess: ({ waiting }) => {
          toast(`The limit is raised. The turn ${waiting ? "still waits" : "continues"}.`)
          onClose()
        },
      },
    )
  return (
    <AnswerDialog
      open
      onClose={onClose}
      onSubmit={send}
      title="Raise the limit?"
      about={
        <>
          The whole turn can cost <Money usd={turn.max_cost_usd} /> now. The limit can only be raised.
        </>
      }
      actions={
        <>
          <DismissButton />
          <Button kind="primary" type="submit" busy={raise.isPending} disabled={!(Number(amount) > 0)}>
            Raise the limit
          </Button>
        </>
      }
    >
      <TextInput
        label="Max cost (USD)"
        name="max_cost_usd"
        inputMode="decimal"
        hint={limit?.kind === "max_cost" ? "The turn continues at this amount." : undefined}
        value={amount}
        error={error}
        onChange={({ target }) => setAmount(target.value)}
      />
      {error && error.faultOf("max_cost_usd") === undefined && <ErrorState error={error} />}
    </AnswerDialog>
  )
}
