import { useQueryClient } from "@tanstack/react-query"
import { useState } from "react"
import { ApiError } from "../api/api-error.ts"
import type { WaitingTurn } from "../api/operations.ts"
import { readAgain } from "../api/query.ts"
import { DecisionRules } from "../api/rules.ts"
import { send } from "../api/send.ts"
import { Button } from "../ui/button.tsx"
import { AnswerDialog, DismissButton } from "../ui/dialog.tsx"
import { TextArea } from "../ui/field.tsx"
import { counted, MONEY } from "../ui/numbers.ts"
import { Status } from "../ui/status.tsx"
import { enoughFor, limitName, WAIT_READS } from "./wait-words.ts"

type Act = "allow" | "deny" | "raise"

interface BulkProps {
  marked: readonly WaitingTurn[]
  test: true | undefined
  onNone: () => void
}

/** The outcome for one turn. */
interface Outcome {
  of: WaitingTurn
  words: string
  isDone: boolean
}

/** Decides about several waiting turns. Each one has its own request and its own answer. */
export function WaitBulk({ marked, test, onNone }: BulkProps) {
  const client = useQueryClient()
  const [busy, setBusy] = useState<Act | null>(null)
  const [denying, setDenying] = useState(false)
  const [raising, setRaising] = useState(false)
  const [outcomes, setOutcomes] = useState<readonly Outcome[]>([])
  const run = async (act: Act, message?: string) => {
    setDenying(false)
    setRaising(false)
    setBusy(act)
    setOutcomes([])
    for (const of of marked) {
      const outcome = await outcomeOf(of, { act, test, message })
      setOutcomes((old) => [...old, outcome])
    }
    setBusy(null)
    onNone()
    await readAgain(client, [...WAIT_READS, "getBalance"])
  }
  const canDecide = marked.some(({ waiting }) => waiting.for === "approval")
  const canRaise = marked.some(({ waiting }) => waiting.limit?.kind === "max_cost")
  return (
    <section aria-label="Chosen turns" className="flex grow flex-col gap-2">
      <div className="flex flex-wrap items-center gap-2">
        <span role="status" className="mr-2 text-muted">
          {marked.length === 0 ? "No turns chosen" : `${marked.length} chosen`}
        </span>
        <Button
          does="decideCall"
          busy={busy === "allow"}
          disabled={!canDecide || busy !== null}
          onClick={() => void run("allow")}
        >
          Allow chosen
        </Button>
        <Button does="decideCall" kind="danger" disabled={!canDecide || busy !== null} onClick={() => setDenying(true)}>
          Deny chosen
        </Button>
        <Button
          does="patchTurn"
          busy={busy === "raise"}
          disabled={!canRaise || busy !== null}
          onClick={() => setRaising(true)}
        >
          Raise chosen
        </Button>
      </div>
      {outcomes.length > 0 && (
        <ul aria-label="Outcomes" className="flex flex-col gap-1">
          {outcomes.map(({ of, words, isDone }) => (
            <li key={of.turn_id} className="flex flex-wrap items-center gap-2">
              <Status word={isDone ? "done" : "refused"} tone={isDone ? "ok" : "bad"} />
              <span className="min-w-0 break-all">{of.text || of.turn_id}</span>
              <span className="text-muted">{words}</span>
            </li>
          ))}
        </ul>
      )}
      {raising && <RaiseChosen marked={marked} onRaise={() => void run("raise")} onClose={() => setRaising(false)} />}
      {denying && (
        <DenyChosen
          count={marked.length}
          onDeny={(message) => void run("deny", message)}
          onClose={() => setDenying(false)}
        />
      )}
    </section>
  )
}

interface RaiseProps {
  marked: readonly WaitingTurn[]
  onRaise: () => void
  onClose: () => void
}

/** Says how much the turns may spend more, before they do. */
function RaiseChosen({ marked, onRaise, onClose }: RaiseProps) {
  const limits = marked.flatMap(({ waiting: { limit } }) => (limit?.kind === "max_cost" ? [limit] : []))
  const more = limits.reduce((sum, limit) => sum + Number(enoughFor(limit)) - (limit.limit_usd ?? 0), 0)
  const others = marked.length - limits.length
  return (
    <AnswerDialog
      open
      onClose={onClose}
      onSubmit={onRaise}
      title={`Raise the limit of ${counted(limits.length, "turn")}?`}
      about={`Each may spend what its next model call needs, together at most ${MONEY.exact.format(more)} more. A turn that needs further calls waits again. A raise cannot be undone.`}
      actions={
        <>
          <DismissButton />
          <Button kind="primary" type="submit">
            Raise
          </Button>
        </>
      }
    >
      {others > 0 && <p>{counted(others, "chosen turn")} cannot be raised: another limit or a decision is due.</p>}
    </AnswerDialog>
  )
}

interface DenyProps {
  count: number
  onDeny: (message: string | undefined) => void
  onClose: () => void
}

function DenyChosen({ count, onDeny, onClose }: DenyProps) {
  const [message, setMessage] = useState("")
  return (
    <AnswerDialog
      open
      onClose={onClose}
      onSubmit={() => onDeny(message.trim() || undefined)}
      title={count === 1 ? "Deny the calls of this turn?" : `Deny the calls of ${count} turns?`}
      about="The agents get an error instead of a result, and continue."
      actions={
        <>
          <DismissButton />
          <Button kind="danger" type="submit">
            Deny
          </Button>
        </>
      }
    >
      <TextArea
        rows={2}
        label="Message (optional)"
        hint="The agents read it."
        maxLength={DecisionRules.message.maxLength}
        value={message}
        onChange={({ target }) => setMessage(target.value)}
      />
    </AnswerDialog>
  )
}

interface Doing {
  act: Act
  test: true | undefined
  message: string | undefined
}

/** Does an act to one turn and says what came of it. A refusal keeps no other turn from its own. */
async function outcomeOf(of: WaitingTurn, { act, test, message }: Doing): Promise<Outcome> {
  const { turn_id, waiting } = of
  const query = { test: test && ("true" as const) }
  try {
    if (act === "raise") {
      if (waiting.limit?.kind !== "max_cost") {
        const subject = waiting.limit ? limitName(waiting.limit.kind) : "a call"
        return { of, words: `It waits for another limit or decision: ${subject}.`, isDone: false }
      }
      const body = { max_cost_usd: Number(enoughFor(waiting.limit)) }
      const turn = await send("patchTurn", { path: { turn_id }, query, body })
      const words = turn.waiting
        ? "The limit is raised, and it still waits."
        : `Continues, with at most $${body.max_cost_usd}.`
      return { of, words, isDone: true }
    }
    const asked = waiting.calls.filter((call) => call.for === "approval")
    if (asked.length === 0) return { of, words: "It waits for no decision.", isDone: false }
    for (const { call } of asked) {
      await send("decideCall", { path: { turn_id, call }, query, body: { decision: act, message } })
    }
    const tools = asked.map(({ tool }) => tool).join(", ")
    return { of, words: `${tools}: ${act === "allow" ? "allowed" : "denied"}`, isDone: true }
  } catch (error) {
    return { of, words: error instanceof ApiError ? error.message : "It could not be sent.", isDone: false }
  }
}
