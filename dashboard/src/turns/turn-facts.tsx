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
