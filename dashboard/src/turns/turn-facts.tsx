import type { ReactNode } from "react"
import type { AdminTurn, Turn, TurnTrace } from "../api/operations.ts"
import { Json } from "../ui/code-block.tsx"
import { KeyValues } from "../ui/facts.tsx"
import { TextLink } from "../ui/link.tsx"
import { Section } from "../ui/page.tsx"
import { Id, Money, Time } from "../ui/values.tsx"
import { EndUserOfTurn } from "./turn-table.tsx"
import { isOpenTurn } from "./turn-words.ts"

/** How the turn asks its model to answer; undefined: as its space says. */
function settingsOf({
  max_output_tokens: output,
  temperature,
  reasoning,
  response_format: format,
}: Turn): string | undefined {
  const parts = [
    output !== null && `at most ${output.toLocaleString()} output tokens`,
    temperature !== null && `temperature ${temperature}`,
    reasoning !== null && `reasoning ${reasoning.effort}`,
    format !== null && `result ${format.type === "json_schema" ? `${format.type} ${format.name}` : format.type}`,
  ].filter(Boolean)
  return parts.length > 0 ? parts.join(", ") : undefined
}

interface FactsProps {
  turn: Turn
  test: true | undefined
  trace: TurnTrace | undefined
}

/** The sender of a turn, its agent, its amounts and its settings, in the rail next to the turn. */
export function Facts({ turn, test, trace }: FactsProps) {
  const { metadata, response_format: format } = turn
  const notes = Object.entries(metadata)
  return (
    <Section title="Details">
      <KeyValues
        rail
        entries={[
          ["Space", <NamedId key="space" title={trace?.space.title} id={turn.space} href={`/spaces/${turn.space}`} />],
          ["API key", trace && <KeyOfTurn key="key" trace={trace} isOwner />],
          ["End user", <EndUserOfTurn key="user" endUserRef={turn.end_user_ref} />],
          ...amountsOf(turn),
          ...idsOf(turn, trace),
          ["Settings", settingsOf(turn)],
          ["Finish", turn.finish === "tool_calls" ? "calls of the caller's tools" : undefined],
          ["Texts", turn.store ? undefined : "not stored: they are deleted soon after the turn's end"],
          ...timesOf(turn),
          ["Test", test || turn.test ? "yes (rehearsal model, no cost)" : undefined],
          ["Metadata", notes.length > 0 ? notes.map(([name, value]) => `${name}: ${value}`).join(", ") : undefined],
        ]}
      />
      {format?.type === "json_schema" && <Json value={format.schema} label="Schema of the result" />}
    </Section>
  )
}

/** The same for operators, with the cost and the margin. */
export const FactsOfAnyTurn = ({ of: { turn, trace, costs } }: { of: AdminTurn }) => (
  <Section title="Details">
    <KeyValues
      rail
      entries={[
        [
          "Space",
          <TextLink key="space" to="/operator/spaces/$spaceId" params={{ spaceId: turn.space }}>
            {trace.space.title}
          </TextLink>,
        ],
        ["API key", <KeyOfTurn key="key" trace={trace} />],
        ["End user", turn.end_user_ref || "web chat"],
        ...amountsOf(turn),
        ["Cost for us", <Money key="cost" usd={costs.cost_usd} />],
        ["Margin", <Money key="margin" usd={costs.margin_usd} />],
        ...idsOf(turn, trace),
        ...timesOf(turn),
      ]}
    />
    <p className="text-muted">
      <TextLink to="/operator/audit" search={{ subject_type: "turn", subject_id: turn.turn_id }}>
        Who has looked at this turn
      </TextLink>
    </p>
  </Section>
)

type Entries = [name: string, value: ReactNode][]

/** The amounts of a turn. A bill says what they are made of. */
const amountsOf = (turn: Turn): Entries => [
  ["Billed", isOpenTurn(turn.state) ? undefined : <Money key="billed" usd={turn.billed_cost_usd} />],
  ["Held", turn.held_usd > 0 ? <Money key="held" usd={turn.held_usd} /> : undefined],
  ["Refunded", turn.refunded_usd > 0 ? <Money key="refunded" usd={turn.refunded_usd} /> : undefined],
  [
    "Charged to the end user",
    turn.end_user_charge_usd === null ? undefined : <Money key="charged" usd={turn.end_user_charge_usd} />,
  ],
  ["Max cost", turn.max_cost_usd === null ? undefined : <Money key="max" usd={turn.max_cost_usd} />],
]

const idsOf = (turn: Turn, trace: TurnTrace | undefined): Entries => [
  ["Turn", <Id key="turn" id={turn.turn_id} />],
  ["Request", trace?.request_id ? <Id key="request" id={trace.request_id} /> : undefined],
  ["Idempotency-Key", trace ? <Id key="once" id={trace.idempotency_key} /> : undefined],
  ["Conversation", <Id key="conversation" id={turn.conversation} />],
  ["Model", turn.model],
]

const timesOf = (turn: Turn): Entries => [
  ["Created", <Time key="sent" at={turn.created_at} exact />],
  ["Started", turn.started_at ? <Time key="began" at={turn.started_at} exact /> : undefined],
  ["Ended", turn.finished_at ? <Time key="ended" at={turn.finished_at} exact /> : undefined],
]

const NamedId = ({ title, id, href }: { title: string | undefined; id: string; href?: string | undefined }) => (
  <span className="inline-flex flex-wrap items-center gap-2">
    {title}
    <Id id={id} href={href} />
  </span>
)

/** The key that sent a turn. Only owners have a page of it. */
const KeyOfTurn = ({ trace: { key }, isOwner }: { trace: TurnTrace; isOwner?: boolean }) =>
  key ? (
    <NamedId title={key.name} id={key.key_id} href={isOwner ? `/keys/${key.key_id}` : undefined} />
  ) : (
    "none: sent in the web app"
  )
