import { useParams, useSearch } from "@tanstack/react-router"
import { Suspense, useState } from "react"
import type { AdminTurn } from "../api/operations.ts"
import { useRead } from "../api/query.ts"
import { Button } from "../ui/button.tsx"
import { Json } from "../ui/code-block.tsx"
import { Railed, Stat, Stats } from "../ui/facts.tsx"
import { Form, TextInput } from "../ui/field.tsx"
import { Seconds } from "../ui/figures.tsx"
import { useFilters } from "../ui/filter-bar.tsx"
import { lazyPart } from "../ui/lazy-part.tsx"
import { TextLink } from "../ui/link.tsx"
import { counted } from "../ui/numbers.ts"
import { Page, Section } from "../ui/page.tsx"
import { Read } from "../ui/read.tsx"
import { Count, Id, Money, Time } from "../ui/values.tsx"
import { AnyTurnActions } from "./any-turn-actions.tsx"
import { FailureWords } from "./failure.tsx"
import { allTurnsPages } from "./pages.ts"
import { ScrolledText } from "./scrolled-text.tsx"
import { StepList } from "./step-list.tsx"
import { FactsOfAnyTurn } from "./turn-facts.tsx"
import { TurnLedger } from "./turn-ledger.tsx"
import { TurnState } from "./turn-table.tsx"
import { isOpenTurn, noTextOf } from "./turn-words.ts"
import { Waterfall } from "./waterfall.tsx"

const ReceiptOfAnyTurn = lazyPart(() =>
  import("./any-turn-receipt.tsx").then((module) => ({ default: module.ReceiptOfAnyTurn })),
)

/** The shortest reason that the API accepts. */
const LEAST = 3

/** A turn of any account, for operators. */
export function AnyTurnPage() {
  const { turnId } = useParams({ from: "/app/admin/operator/turns/$turnId" })
  const { reason } = useSearch({ from: "/app/admin/operator/turns/$turnId" })
  const turn = useRead("getAnyTurn", { path: { turn_id: turnId }, query: { reason } })
  return (
    <Page
      {...allTurnsPages.detail}
      about={<Id id={turnId} full />}
      above={<TextLink to="/operator/turns">All turns</TextLink>}
    >
      <Read of={turn} rows={10}>
        {(data) => <WholeTurnOfAccount of={data} />}
      </Read>
    </Page>
  )
}

function WholeTurnOfAccount({ of }: { of: AdminTurn }) {
  const { account, texts, turn, trace, steps, provider_messages, costs, ledger } = of
  return (
    <Railed acts={<AnyTurnActions of={of} />} facts={<FactsOfAnyTurn of={of} />}>
      <Stats>
        <Stat label="State" hint={<Time at={turn.finished_at ?? turn.created_at} />}>
          <TurnState turn={turn} />
        </Stat>
        <Stat label="Account" hint={account.email}>
          <TextLink to="/operator/users/$userId" params={{ userId: String(account.user_id) }}>
            {account.name ?? `user ${account.user_id}`}
          </TextLink>
        </Stat>
        <Stat
          label="Billed"
          hint={
            <>
              cost for us <Money usd={costs.cost_usd} />, margin <Money usd={costs.margin_usd} />
            </>
          }
        >
          <Money usd={costs.billed_cost_usd} />
        </Stat>
        {turn.refunded_usd > 0 && (
          <Stat label="Refunded" hint="to the account's balance">
            <Money usd={turn.refunded_usd} />
          </Stat>
        )}
        <Stat label="Duration" hint="from acceptance to end">
          <Seconds value={trace.total_ms / 1000} />
        </Stat>
        <Stat label="Model calls" hint={counted(turn.usage.tool_calls, "tool call")}>
          <Count value={turn.usage.model_calls} />
        </Stat>
      </Stats>
      {turn.error && <FailureWords error={turn.error} />}
      {provider_messages.length > 0 && (
        <Section title="What providers said">
          <ol className="flex flex-col gap-2">
            {provider_messages.map(({ at, status, message }) => (
              <li key={at + message} className="break-words rounded-md border border-line bg-panel p-3">
                <span className="text-muted text-xs">
                  <Time at={at} exact /> {status !== null && `· HTTP ${status}`}
                </span>
                <p>{message}</p>
              </li>
            ))}
          </ol>
        </Section>
      )}
      <Section title="Timeline">
        <Waterfall trace={trace} />
      </Section>
      {texts === "hidden" ? <ReasonForm /> : <TextsOfTurn turn={turn} steps={steps} />}
      <Suspense>{!isOpenTurn(turn.state) && <ReceiptOfAnyTurn turnId={turn.turn_id} />}</Suspense>
      {!isOpenTurn(turn.state) && (
        <Section
          title="Ledger"
          action={
            <TextLink
              to="/operator/users/$userId"
              params={{ userId: String(account.user_id) }}
              search={{ tab: "energy" }}
              className="text-xs"
            >
              The account's ledger
            </TextLink>
          }
        >
          <TurnLedger entries={ledger} />
        </Section>
      )}
    </Railed>
  )
}

/** Asks for a reason, which the audit log records, before texts are shown. */
function ReasonForm() {
  const change = useFilters()
  const [reason, setReason] = useState("")
  const isShort = reason.trim().length < LEAST
  return (
    <Section title="Texts">
      <p className="max-w-[72ch] text-muted">
        The account's texts are hidden. State why you read them; the audit log records your reason.
      </p>
      <Form
        label="A reason"
        onSubmit={() => !isShort && change({ reason: reason.trim() })}
        actions={
          <Button kind="primary" type="submit" disabled={isShort}>
            Show texts
          </Button>
        }
      >
        <TextInput
          label="Reason"
          name="reason"
          placeholder="Ticket 4711: the reply is wrong"
          value={reason}
          onChange={({ target }) => setReason(target.value)}
        />
      </Form>
    </Section>
  )
}

const TextsOfTurn = ({ turn, steps }: Pick<AdminTurn, "turn" | "steps">) => (
  <>
    <div className="grid gap-5 lg:grid-cols-2">
      <Section title="Input">
        <ScrolledText label="Text of the request">{turn.text || noTextOf(turn)}</ScrolledText>
      </Section>
      <Section title="Output">
        {turn.output === null ? (
          <ScrolledText label="Text of the reply">
            {turn.result ?? (turn.texts_deleted_at ? noTextOf(turn) : "(no output)")}
          </ScrolledText>
        ) : (
          <Json value={turn.output} label="Data of the reply" />
        )}
      </Section>
    </div>
    <Section title="Steps">
      {steps.length === 0 ? (
        <p className="text-muted">The turn has no model call.</p>
      ) : (
        <StepList state={turn.state} steps={steps} durations={new Map()} />
      )}
    </Section>
  </>
)
