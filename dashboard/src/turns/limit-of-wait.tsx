import { useState } from "react"
import type { WaitingTurn } from "../api/operations.ts"
import { useChange } from "../api/query.ts"
import { Button } from "../ui/button.tsx"
import { ErrorState } from "../ui/error-state.tsx"
import { KeyValues } from "../ui/facts.tsx"
import { Form, TextInput } from "../ui/field.tsx"
import { TextLink } from "../ui/link.tsx"
import { toast } from "../ui/toast.tsx"
import { Money, Time } from "../ui/values.tsx"
import type { WaitProps } from "./call-decision.tsx"
import { limitName, WAIT_READS } from "./wait-words.ts"

type Limit = NonNullable<WaitingTurn["waiting"]["limit"]>

/** The limit that a turn waits for, and how it can continue. */
export function LimitOfWait({ of, limit, test }: WaitProps & { limit: Limit }) {
  const isOwn = limit.kind === "max_cost"
  const isWallet = limit.kind === "balance" || limit.kind === "end_user_credit"
  return (
    <>
      <KeyValues
        entries={[
          ["Limit", limitName(limit.kind)],
          [isWallet ? "Must be available there" : "Must be left", <Money key="needed" usd={limit.needed_usd} />],
          ["Its value", limit.limit_usd === null ? undefined : <Money key="limit" usd={limit.limit_usd} />],
          ["Continues at", limit.continue_at_usd === null ? undefined : <Money key="at" usd={limit.continue_at_usd} />],
          ["Resets", limit.resets_at ? <Time key="resets" at={limit.resets_at} /> : "does not reset by itself"],
        ]}
      />
      {isOwn && of.role === "owner" ? (
        <RaiseLimit of={of} limit={limit} test={test} />
      ) : (
        <p className="text-muted [&_a]:decoration-current">
          {isOwn ? (
            "Only the owner of the space raises the limit of the turn."
          ) : limit.kind === "balance" ? (
            <>
              The turn continues when credit is booked. <TextLink to="/balance">Balance</TextLink>
            </>
          ) : limit.kind === "end_user_credit" ? (
            "The turn continues when that much credit of this customer is available. The amount is what the customer is charged."
          ) : (
            "The turn continues when the cap resets or is raised."
          )}
        </p>
      )}
    </>
  )
}

/** A limit that lets the next model call run, rounded up to a cent. */
const enoughFor = ({ continue_at_usd }: Limit) => String(Math.ceil((continue_at_usd ?? 0) * 100 + 1) / 100)

function RaiseLimit({ of, limit, test }: WaitProps & { limit: Limit }) {
  const raise = useChange("patchTurn", { changes: [...WAIT_READS, "getBalance"] })
  const [isOpen, setOpen] = useState(false)
  const [amount, setAmount] = useState(() => enoughFor(limit))
  if (!isOpen) {
    return (
      <div>
        <Button kind="primary" onClick={() => setOpen(true)}>
          Raise the limit
        </Button>
      </div>
    )
  }
  const { error } = raise
  const send = async () => {
    try {
      const body = { max_cost_usd: Number(amount) }
      const turn = await raise.mutateAsync({ path: { turn_id: of.turn_id }, query: { test: test && "true" }, body })
      toast(`The limit is raised. The turn ${turn.waiting ? "still waits" : "continues"}.`)
    } catch {
      // The form shows the error.
    }
  }
  return (
    <Form
      label="Raise the limit"
      onSubmit={() => void send()}
      actions={
        <>
          <Button kind="primary" type="submit" busy={raise.isPending} disabled={!(Number(amount) > 0)}>
            Raise the limit
          </Button>
          <Button onClick={() => setOpen(false)}>Cancel</Button>
        </>
      }
    >
      <TextInput
        label="Max cost (USD)"
        name="max_cost_usd"
        inputMode="decimal"
        hint="The most that the whole turn can cost. It can only be raised."
        value={amount}
        error={error}
        onChange={({ target }) => setAmount(target.value)}
      />
      {error && error.faultOf("max_cost_usd") === undefined && <ErrorState error={error} />}
    </Form>
  )
}
