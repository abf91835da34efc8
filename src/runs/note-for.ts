import { DELEGATE } from "../agent-config/names.ts"
import { valuesNote } from "../agent-config/variables.ts"
import { turnValues } from "../tools/turn-values.ts"
import type { AgentWork, Run } from "./run.ts"

/**
 * The note with the values of the variables that an agent reads: in its instructions, and in the descriptions that the
 * owner wrote for its tools and sub-agents. The same in each run of a turn. Null without variables.
 */
export function noteFor(
  { turn, claim }: Run,
  { system, tools }: { system: string | undefined; tools: AgentWork["tools"] },
): string | null {
  const { manifest, tools: own } = claim.config
  const described = Object.values(own).flatMap(({ name, description }) => (tools.has(name) ? [description] : []))
  const agents = tools.has(DELEGATE) ? (manifest.subagents ?? []).map(({ description }) => description) : []
  const at = new Date(turn.started_at ?? turn.created_at)
  return valuesNote([system, ...described, ...agents], turnValues(turn), { at, timeZone: manifest.time_zone })
}
