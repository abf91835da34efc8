import type { Turn, TurnTrace } from "../api/operations.ts"
import { Json } from "../ui/code-block.tsx"
import { KeyValues } from "../ui/facts.tsx"
import { Section } from "../ui/page.tsx"
import { Id, Time } from "../ui/values.tsx"
import { EndUserOfTurn } from "./turn-table.tsx"

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

/** The sender of a turn, its agent and its settings. */
export function Facts({ turn, test, trace }: FactsProps) {
  const { metadata, response_format: format } = turn
  const notes = Object.entries(metadata)
  return (
    <Section title="Details">
      <KeyValues
        entries={[
          [
            "Space",
            <span key="space" className="inline-flex flex-wrap items-center gap-2">
              {trace?.space.title}
              <Id id={turn.space} href={`/spaces/${turn.space}`} />
            </span>,
          ],
          [
            "API key",
            trace?.key ? (
              <span key="key" className="inline-flex flex-wrap items-center gap-2">
                {trace.key.name}
                <Id id={trace.key.key_id} href={`/keys/${trace.key.key_id}`} />
              </span>
            ) : (
              trace && "none: sent in the web app"
            ),
          ],
          ["Request", trace?.request_id ? <Id key="request" id={trace.request_id} full /> : undefined],
          ["Idempotency-Key", trace ? <Id key="once" id={trace.idempotency_key} full /> : undefined],
          ["End user", <EndUserOfTurn key="user" endUserRef={turn.end_user_ref} />],
          ["Conversation", <Id key="conversation" id={turn.conversation} full />],
          ["Model", turn.model],
          ["Settings", settingsOf(turn)],
          ["Finish", turn.finish === "tool_calls" ? "calls of the caller's tools" : undefined],
          ["Texts", turn.store ? undefined : "not stored: they are deleted soon after the turn's end"],
          ["Created", <Time key="sent" at={turn.created_at} exact />],
          ["Started", turn.started_at ? <Time key="began" at={turn.started_at} exact /> : undefined],
          ["Ended", turn.finished_at ? <Time key="ended" at={turn.finished_at} exact /> : undefined],
          ["Test", test || turn.test ? "yes (rehearsal model, no cost)" : undefined],
          ["Metadata", notes.length > 0 ? notes.map(([name, value]) => `${name}: ${value}`).join(", ") : undefined],
        ]}
      />
      {format?.type === "json_schema" && <Json value={format.schema} label="Schema of the result" />}
    </Section>
  )
}
