import { useQuery } from "@tanstack/react-query"
import { useSearch } from "@tanstack/react-router"
import { type ReactNode, Suspense, useEffect, useRef, useState } from "react"
import type { Turn } from "../api/operations.ts"
import { queryOf, useRead } from "../api/query.ts"
import { type LiveStep, useLiveTurn } from "../turns/live-turn.ts"
import { ResultsOfTurn } from "../turns/turn-calls.tsx"
import { TurnState } from "../turns/turn-table.tsx"
import { isOpenTurn } from "../turns/turn-words.ts"
import { Button } from "../ui/button.tsx"
import { Json } from "../ui/code-block.tsx"
import { lasted } from "../ui/durations.ts"
import { lazyPart } from "../ui/lazy-part.tsx"
import { TextLink } from "../ui/link.tsx"
import { Markdown } from "../ui/markdown.tsx"
import { Read } from "../ui/read.tsx"
import { Status } from "../ui/status.tsx"
import { Id, Money, Time } from "../ui/values.tsx"
import { AnswerCalls } from "./answer-calls.tsx"
import type { PlaygroundSpace } from "./composer.tsx"

const CancelDialog = lazyPart(() =>
  import("../turns/cancel-dialog.tsx").then((module) => ({ default: module.CancelTurnDialog })),
)

const WaitOfTurn = lazyPart(() => import("../turns/wait-card.tsx").then((module) => ({ default: module.WaitOfTurn })))

const SHOWN = 20
/** The poll interval in milliseconds, in case the event stream breaks. */
const FALLBACK_MS = 5000

/** The turns of the conversation, newest last. Running turns are updated live. */
export function Thread({ space }: { space: PlaygroundSpace }) {
  const { conversation, other, model, compare } = useSearch({ from: "/app/playground" })
  if (!conversation) {
    return (
      <section aria-label="Conversation" className="rounded-md border border-line border-dashed p-6 text-muted">
        No turns yet. Send one to {space.title} to follow its text, its tool calls and its cost here.
      </section>
    )
  }
  if (!compare || !other) return <Conversation space={space} conversation={conversation} />
  return (
    <div className="grid items-start gap-6 xl:grid-cols-2">
      <Conversation space={space} conversation={conversation} model={model ?? "Space default"} />
      <Conversation space={space} conversation={other} model={compare} />
    </div>
  )
}

interface ConversationProps {
  space: PlaygroundSpace
  conversation: string
  /** The model that is compared with another one. */
  model?: string
}

function Conversation({ space: { space_id }, conversation, model }: ConversationProps) {
  const { test } = useSearch({ from: "/app/playground" })
  const turns = useQuery({
    ...queryOf("listChatTurns", {
      query: { space: space_id, conversation, test: test && "true", limit: SHOWN },
    }),
    refetchInterval: ({ state }) => state.data?.items.some((turn) => isOpenTurn(turn.state)) && FALLBACK_MS,
  })
  return (
    <section aria-label={model ? `Conversation with ${model}` : "Conversation"} className="flex min-w-0 flex-col gap-5">
      {model && <h2 className="text-md break-words">{model}</h2>}
      <div className="flex flex-wrap items-center justify-between gap-2 text-muted">
        <span className="inline-flex items-center gap-2">
          Conversation <Id id={conversation} />
        </span>
        <TextLink to="/turns" search={{ conversation }}>
          View turns
        </TextLink>
      </div>
      <Read of={turns} rows={4}>
        {({ items, total }) => (
          <>
            {model && <Totals turns={items} />}
            {total > items.length && (
              <p className="text-muted">
                The last {items.length} of {total} turns.
              </p>
            )}
            <ol className="flex flex-col gap-5">
              {[...items].reverse().map((turn) => (
                <li key={turn.turn_id} className="flex flex-col gap-3">
                  <Exchange turn={turn} test={test} />
                  {turn === openIn(items) && <AnswerCalls key={turn.turn_id} turn={turn} />}
                </li>
              ))}
            </ol>
          </>
        )}
      </Read>
    </section>
  )
}

/** The turn whose calls can be answered: the last one, apart from turns that failed or were cancelled. */
function openIn(items: readonly Turn[]): Turn | undefined {
  const last = items.find(({ state }) => state !== "failed" && state !== "cancelled")
  return last && last.calls.length > 0 ? last : undefined
}

/** The time from the request to the end, in milliseconds. */
const tookOf = ({ created_at, finished_at }: Turn) =>
  finished_at === null ? null : Date.parse(finished_at) - Date.parse(created_at)

/** The total cost and time of the shown turns of a compared model. */
function Totals({ turns }: { turns: readonly Turn[] }) {
  const sum = (of: (turn: Turn) => number) => turns.reduce((total, turn) => total + of(turn), 0)
  return (
    <dl className="flex flex-wrap gap-x-6 gap-y-1 rounded-md bg-panel px-3 py-2">
      <Total name="Cost">
        <Money usd={sum(({ billed_cost_usd }) => billed_cost_usd)} />
      </Total>
      <Total name="Time">{lasted(sum((turn) => tookOf(turn) ?? 0))}</Total>
      <Total name="Output tokens">{sum(({ usage }) => usage.tokens_output).toLocaleString()}</Total>
    </dl>
  )
}

const Total = ({ name, children }: { name: string; children: ReactNode }) => (
  <div className="flex gap-2">
    <dt className="text-muted">{name}</dt>
    <dd>{children}</dd>
  </div>
)

/** One turn: its input, tool calls, output and cost. */
function Exchange({ turn, test }: { turn: Turn; test: true | undefined }) {
  const { turn_id, text, result, output, error, state, created_at } = turn
  const isOpen = isOpenTurn(state)
  const [wasOpen] = useState(isOpen)
  const live = useLiveTurn(turn_id, { open: isOpen, test })
  const [cancelling, setCancelling] = useState(false)
  const { turn: sent } = useSearch({ from: "/app/playground" })
  const article = useRef<HTMLElement>(null)
  useEffect(() => {
    if (sent === turn_id) article.current?.scrollIntoView({ block: "nearest" })
  }, [sent, turn_id])
  const took = tookOf(turn)
  const coming = live.findLast((step) => !step.subagent && step.text)?.text
  return (
    <article ref={article} aria-label={`Turn ${turn_id}`} className="flex flex-col gap-3">
      {text ? (
        <p className="max-w-[72ch] self-end whitespace-pre-wrap break-words rounded-md bg-accent-soft px-3 py-2">
          {text}
        </p>
      ) : (
        !turn.texts_deleted_at && <ResultsOfTurn turn={turn} test={test} />
      )}
      {wasOpen && <LiveTools steps={live} />}
      <Suspense>{turn.waiting && <WaitOfTurn turnId={turn_id} test={test} />}</Suspense>
      {error ? (
        <p className="rounded-md bg-bad-soft px-3 py-2 text-bad">
          <code>{error.code}</code> {error.message}
        </p>
      ) : result === "" && turn.calls.length > 0 ? null : (
        <div aria-live="polite" className="max-w-[88ch] rounded-md border border-line bg-panel px-3 py-2">
          {output === null ? (
            <Markdown text={result ?? coming ?? (isOpen ? "…" : "No output.")} />
          ) : (
            <Json value={output} label={`Output of ${turn_id}`} />
          )}
        </div>
      )}
      <div className="flex flex-wrap items-center gap-x-4 gap-y-1 text-muted text-xs">
        <TurnState turn={turn} />
        <TurnCost turn={turn} test={test} />
        {took !== null && <span>took {lasted(took)}</span>}
        <code>{turn.model}</code>
        <Time at={created_at} />
        <TextLink to="/turns/$turnId" params={{ turnId: turn_id }}>
          Steps and bill
        </TextLink>
        {isOpen && (
          <Button kind="danger" onClick={() => setCancelling(true)}>
            Cancel turn
          </Button>
        )}
      </div>
      <Suspense>{cancelling && <CancelDialog turnId={turn_id} onClose={() => setCancelling(false)} />}</Suspense>
    </article>
  )
}

/** The cost of an open turn so far, or the billed amount. */
function TurnCost({ turn, test }: { turn: Turn; test: true | undefined }) {
  return isOpenTurn(turn.state) ? (
    <RunningCost turnId={turn.turn_id} test={test} />
  ) : (
    <span>
      <Money usd={turn.billed_cost_usd} /> billed
    </span>
  )
}

function RunningCost({ turnId, test }: { turnId: string; test: true | undefined }) {
  const { data } = useRead("getTurnBill", { path: { turn_id: turnId }, query: { test: test && "true" } })
  return (
    <span>
      <Money usd={data?.cost_usd ?? 0} /> so far, <Money usd={data?.held_usd ?? 0} /> held
    </span>
  )
}

/** The tool calls that were streamed while this page was open. */
function LiveTools({ steps }: { steps: readonly LiveStep[] }) {
  const calls = steps.flatMap(({ step, subagent, calls }) =>
    calls.map((call) => ({ ...call, id: `${step}.${call.call}`, subagent })),
  )
  if (calls.length === 0) return null
  return (
    <ul aria-label="Tool calls" className="flex flex-col gap-1 border-line border-l-2 pl-3">
      {calls.map(({ id, name, subagent, ok, durationMs }) => (
        <li key={id} className="flex flex-wrap items-center gap-3">
          <code>{subagent ? `${subagent} › ${name}` : name}</code>
          <Status word={ok === null ? "running" : ok ? "done" : "failed"} />
          <span className="text-muted text-xs">{durationMs === null ? "" : lasted(durationMs)}</span>
        </li>
      ))}
    </ul>
  )
}
