import { DELEGATE } from "../agent-config/names.ts"
import { valuesNote, withNames } from "../agent-config/variables.ts"
import { turnValues } from "../tools/turn-values.ts"
import { instructionsIn } from "../turns/messages.ts"
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

/** The instructions of the space with names in place of its variables, and those of the turn's messages. */
export function instructionsOf({ claim }: Run): string | undefined {
  const { instructions = "" } = claim.config.manifest
  const all = [withNames(instructions), instructionsIn(claim.messages ?? [])]
  return all.filter(Boolean).join("\n\n") || undefined
}
