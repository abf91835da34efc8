import type { ReactNode } from "react"
import type { Turn, TurnMessages } from "../api/operations.ts"
import { useRead } from "../api/query.ts"
import { Json } from "../ui/code-block.tsx"
import { TextLink } from "../ui/link.tsx"
import { Status } from "../ui/status.tsx"
import { Id } from "../ui/values.tsx"
import { noTextOf } from "./turn-words.ts"

type Called = Turn["calls"][number]
type Message = TurnMessages["messages"][number]
type Result = Extract<Message, { role: "tool" }>["results"][number]

interface OfTurn {
  turn: Turn
  test: true | undefined
}

const queryOfTest = (test: true | undefined) => ({ test: test && ("true" as const) })

/** The turns in which the next one is looked for. */
const NEAR = 50

/** The calls with which a turn has ended, and what the next turn of the conversation says about them. */
export function CallsOfTurn({ turn, test }: OfTurn) {
  const { turn_id, conversation, calls } = turn
  const turns = useRead("listTurns", { query: { ...queryOfTest(test), conversation, limit: NEAR } })
  const items = turns.data?.items ?? []
  const later = items.slice(
    0,
    Math.max(
      0,
      items.findIndex((one) => one.turn_id === turn_id),
    ),
  )
  // Turns that failed or were cancelled answer nothing.
  const next = later.findLast(({ state }) => state !== "failed" && state !== "cancelled")
  return (
    <div className="flex min-w-0 flex-col gap-3">
      <p className="text-muted">
        {next ? (
          <>
            The next turn is <TurnLink turnId={next.turn_id} test={test} />.
          </>
        ) : (
          "The turn has ended with calls of its caller's tools. The next turn of the conversation can give their results."
        )}
      </p>
      {next ? (
        <AnsweredCalls calls={calls} by={next.turn_id} test={test} />
      ) : (
        calls.map((call) => <Call key={call.id} call={call} />)
      )}
    </div>
  )
}

interface AnsweredCallsProps {
  calls: readonly Called[]
  /** The turn that has answered them, or not. */
  by: string
  test: true | undefined
}

function AnsweredCalls({ calls, by, test }: AnsweredCallsProps) {
  const { data } = useRead("getTurnMessages", { path: { turn_id: by }, query: queryOfTest(test) })
  const results = data && resultsIn(data)
  return calls.map((call) => {
    const result = results?.find(({ id }) => id === call.id)
    return (
      <Call key={call.id} call={call}>
        {result ? <ShownResult result={result} /> : results && <Status word="not answered" tone="warn" />}
      </Call>
    )
  })
}

const Call = ({ call: { id, name, input }, children }: { call: Called; children?: ReactNode }) => (
  <section aria-label={`Call of ${name}`} className="flex min-w-0 flex-col gap-2">
    <div className="flex flex-wrap items-center gap-2">
      <code className="break-all">{name}</code>
      <Id id={id} />
    </div>
    <Json value={input} label={`Input of ${name}`} />
    {children}
  </section>
)

/** The results that a turn gave, with a link to the turn whose calls they answer. Other turns without a text say so. */
export function ResultsOfTurn({ turn, test }: OfTurn) {
  const { data } = useRead("getTurnMessages", { path: { turn_id: turn.turn_id }, query: queryOfTest(test) })
  const results = data?.messages[0]?.role === "tool" ? resultsIn(data) : []
  const before = turnOfCall(results[0]?.id ?? "")
  if (before !== null) return <GivenResults results={results} before={before} test={test} />
  return data && turn.text === "" && <p className="text-muted">{noTextOf(turn)}</p>
}

function GivenResults({ results, before, test }: { results: Result[]; before: string; test: true | undefined }) {
  const { data } = useRead("getTurn", { path: { turn_id: before }, query: queryOfTest(test) })
  const nameOf = (id: string) => data?.calls.find((call) => call.id === id)?.name ?? id
  return (
    <div className="flex min-w-0 flex-col gap-3">
      <p className="text-muted">
        Results of the calls of <TurnLink turnId={before} test={test} />.
      </p>
      {results.map((result) => (
        <section key={result.id} aria-label={`Result of ${nameOf(result.id)}`} className="flex min-w-0 flex-col gap-1">
          <code className="break-all">{nameOf(result.id)}</code>
          <ShownResult result={result} />
        </section>
      ))}
    </div>
  )
}

function ShownResult({ result: { output, error } }: { result: Result }) {
  return (
    <p
      className={`max-h-[240px] overflow-y-auto whitespace-pre-wrap break-words rounded-md border border-line bg-panel p-3 ${error === undefined ? "" : "text-bad"}`}
    >
      {(output ?? error) || "(empty)"}
    </p>
  )
}

const TurnLink = ({ turnId, test }: { turnId: string; test: true | undefined }) => (
  <TextLink to="/turns/$turnId" params={{ turnId }} search={{ test }}>
    {turnId}
  </TextLink>
)

const resultsIn = ({ messages }: TurnMessages): Result[] =>
  messages.flatMap((message) => (message.role === "tool" ? message.results : []))

/** The turn that made a call; null: another service has given the id. */
function turnOfCall(id: string): string | null {
  const [, turn] = /^call_([0-9a-z]{26})_\d+_\d+$/.exec(id) ?? []
  return turn ? `turn_${turn}` : null
}
