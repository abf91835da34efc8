import { useQuery } from "@tanstack/react-query"
import { useParams, useSearch } from "@tanstack/react-router"
import { Suspense } from "react"
import type { Turn } from "../api/operations.ts"
import { queryOf, useRead } from "../api/query.ts"
import { Json } from "../ui/code-block.tsx"
import { lasted } from "../ui/durations.ts"
import { Railed, Stat, Stats } from "../ui/facts.tsx"
import { lazyPart } from "../ui/lazy-part.tsx"
import { TextLink } from "../ui/link.tsx"
import { counted } from "../ui/numbers.ts"
import { Page, Section } from "../ui/page.tsx"
import { Read } from "../ui/read.tsx"
import { Tabs } from "../ui/tabs.tsx"
import { Count, Id, Money, Time } from "../ui/values.tsx"
import { FailedTurn } from "./failure.tsx"
import { type LiveStep, useLiveTurn } from "./live-turn.ts"
import { turnsPages } from "./pages.ts"
import { ScrolledText } from "./scrolled-text.tsx"
import { durationsOf, StepList } from "./step-list.tsx"
import { TurnActions } from "./turn-actions.tsx"
import { CallsOfTurn, ResultsOfTurn } from "./turn-calls.tsx"
import { Facts } from "./turn-facts.tsx"
import { BillTab, ConversationTab, DeliveriesTab, EventsTab, type OfTurn, TurnFilesTab } from "./turn-parts.tsx"
import { useTurnEvents, useTurnSteps } from "./turn-reads.ts"
import { TurnState } from "./turn-table.tsx"
import { isOpenTurn, noTextOf } from "./turn-words.ts"
import { Waterfall } from "./waterfall.tsx"

const WaitOfTurn = lazyPart(() => import("./wait-card.tsx").then((module) => ({ default: module.WaitOfTurn })))

const ReceiptOfTurn = lazyPart(() => import("./turn-receipt.tsx").then((module) => ({ default: module.ReceiptOfTurn })))

/** The poll interval in milliseconds, in case the event stream breaks. */
const FALLBACK_MS = 10_000
/** The same for the timeline of an open turn. */
const TRACE_MS = 2000

export function TurnPage() {
  const { turnId } = useParams({ from: "/app/turns/$turnId" })
  const { test } = useSearch({ from: "/app/turns/$turnId" })
  const turn = useQuery({
    ...queryOf("getTurn", { path: { turn_id: turnId }, query: { test: test && "true" } }),
    refetchInterval: ({ state }) => state.data && isOpenTurn(state.data.state) && FALLBACK_MS,
  })
  const isOpen = turn.data !== undefined && isOpenTurn(turn.data.state)
  const live = useLiveTurn(turnId, { open: isOpen, test })
  return (
    <Page {...turnsPages.detail} about={<Id id={turnId} full />} above={<TextLink to="/turns">Turns</TextLink>}>
      <Read of={turn} rows={10}>
        {(data) => <WholeTurn turn={data} test={test} live={live} />}
      </Read>
    </Page>
  )
}

interface WholeTurnProps {
  turn: Turn
  test: true | undefined
  live: readonly LiveStep[]
}

function WholeTurn({ turn, test, live }: WholeTurnProps) {
  const { tab = "steps" } = useSearch({ from: "/app/turns/$turnId" })
  const of = { turnId: turn.turn_id, test }
  const trace = useQuery({
    ...queryOf("getTurnTrace", { path: { turn_id: turn.turn_id }, query: { test: test && "true" } }),
    refetchInterval: isOpenTurn(turn.state) && TRACE_MS,
  })
  return (
    <Railed acts={<TurnActions turn={turn} test={test} />} facts={<Facts turn={turn} test={test} trace={trace.data} />}>
      <TurnStats turn={turn} test={test} />
      <Suspense>{turn.waiting && <WaitOfTurn turnId={turn.turn_id} test={test} />}</Suspense>
      <Said turn={turn} test={test} live={live} />
      <Section title="Timeline">
        <Read of={trace} rows={4}>
          {(data) => <Waterfall trace={data} />}
        </Read>
      </Section>
      <Tabs
        label="Parts of this turn"
        value={tab}
        tabs={[
          { value: "steps", label: "Steps", content: () => <Steps turn={turn} of={of} live={live} /> },
          { value: "bill", label: "Bill", content: () => <Bill turn={turn} of={of} /> },
          { value: "files", label: "Files", content: () => <TurnFilesTab turn={turn} of={of} /> },
          { value: "deliveries", label: "Webhooks", content: () => <DeliveriesTab of={of} /> },
          { value: "conversation", label: "Conversation", content: () => <ConversationTab turn={turn} of={of} /> },
          { value: "events", label: "Events", content: () => <EventsTab of={of} /> },
        ]}
      />
    </Railed>
  )
}

const Bill = ({ turn, of }: Pick<WholeTurnProps, "turn"> & OfTurn) => (
  <div className="flex flex-col gap-5">
    <div className="min-w-0">
      <BillTab of={of} />
    </div>
    <Suspense>{!isOpenTurn(turn.state) && <ReceiptOfTurn of={of} />}</Suspense>
  </div>
)

function TurnStats({ turn, test }: Pick<WholeTurnProps, "turn" | "test">) {
  const { started_at, finished_at, created_at, usage } = turn
  const isOpen = isOpenTurn(turn.state)
  const bill = useRead("getTurnBill", { path: { turn_id: turn.turn_id }, query: { test: test && "true" } })
  return (
    <Stats>
      <Stat label="State" hint={finished_at ? <Time at={finished_at} /> : <Time at={created_at} />}>
        <TurnState turn={turn} />
      </Stat>
      <Stat
        label={isOpen ? "Cost so far" : "Cost"}
        hint={
          turn.held_usd > 0 && (
            <>
              of <Money usd={turn.held_usd} /> held
            </>
          )
        }
      >
        <Money usd={isOpen ? (bill.data?.cost_usd ?? 0) : turn.billed_cost_usd} />
      </Stat>
      {turn.refunded_usd > 0 && (
        <Stat
          label="Refunded"
          hint={
            <TextLink to="/balance" search={{ turn: turn.turn_id }}>
              by the operator
            </TextLink>
          }
        >
          <Money usd={turn.refunded_usd} />
        </Stat>
      )}
      {turn.end_user_charge_usd !== null && (
        <Stat label="Charged" hint="to the end user">
          <Money usd={turn.end_user_charge_usd} />
        </Stat>
      )}
      <Stat
        label="Duration"
        hint={
          started_at && `after ${lasted(Math.max(0, Date.parse(started_at) - Date.parse(created_at)))} in the queue`
        }
      >
        {started_at && finished_at ? lasted(Date.parse(finished_at) - Date.parse(started_at)) : "–"}
      </Stat>
      <Stat label="Model calls" hint={counted(usage.tool_calls, "tool call")}>
        <Count value={usage.model_calls} />
      </Stat>
      <Stat
        label="Input tokens"
        hint={
          <>
            <Count value={usage.tokens_cached} /> cached
          </>
        }
      >
        <Count value={usage.tokens_input} />
      </Stat>
      <Stat
        label="Output tokens"
        hint={
          usage.tokens_reasoning > 0 && (
            <>
              <Count value={usage.tokens_reasoning} /> of reasoning
            </>
          )
        }
      >
        <Count value={usage.tokens_output} />
      </Stat>
    </Stats>
  )
}

/** The input and the output of a turn. The output is the result, the error, or the text so far. */
function Said({ turn, test, live }: WholeTurnProps) {
  const coming = live.findLast(({ subagent, text }) => !subagent && text)?.text
  const isCalls = turn.calls.length > 0
  const said = turn.result ?? (isOpenTurn(turn.state) ? (coming ?? "…") : null)
  const reply = isCalls && said === "" ? null : said
  return (
    <div className="grid gap-5 lg:grid-cols-2">
      <Section title="Input">
        {(turn.text || turn.texts_deleted_at) && (
          <ScrolledText label="Text of the request">{turn.text || noTextOf(turn)}</ScrolledText>
        )}
        {!turn.texts_deleted_at && <ResultsOfTurn turn={turn} test={test} />}
      </Section>
      <Section title="Output">
        {turn.error && <FailedTurn turn={turn} error={turn.error} />}
        {turn.output !== null && <Json value={turn.output} label="Data of the reply" />}
        {turn.output === null && reply !== null && (
          <ScrolledText label="Text of the reply" live>
            {reply}
          </ScrolledText>
        )}
        {isCalls && <CallsOfTurn turn={turn} test={test} />}
        {turn.warnings.map(({ server, message }) => (
          <p key={server} className="text-muted">
            Without the tools of {server}: {message}
          </p>
        ))}
        {turn.truncated && <p className="text-muted">The output was truncated at an output limit.</p>}
        {reply === null && !isCalls && !turn.error && (
          <p className="text-muted">{turn.texts_deleted_at ? noTextOf(turn) : "No output."}</p>
        )}
      </Section>
    </div>
  )
}

function Steps({
  turn,
  of,
  live,
}: {
  turn: Turn
  of: { turnId: string; test: true | undefined }
  live: readonly LiveStep[]
}) {
  const steps = useTurnSteps(of)
  const events = useTurnEvents(of)
  return (
    <Read of={steps}>
      {({ items }) =>
        items.length === 0 && live.length === 0 ? (
          <p className="text-muted">
            {isOpenTurn(turn.state) ? (
              `${turn.started_at ? "The first model call is under way." : "The turn has not started yet."} Its steps appear here.`
            ) : turn.steps_deleted_at ? (
              <>
                The steps are no longer kept. They were deleted <Time at={turn.steps_deleted_at} />.
              </>
            ) : (
              "The turn ended before its first model call."
            )}
          </p>
        ) : (
          <StepList state={turn.state} steps={items} durations={durationsOf(events.data?.items)} live={live} />
        )
      }
    </Read>
  )
}
