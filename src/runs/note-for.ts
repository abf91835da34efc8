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
  // A turn that only gives results continues with the values of the text before.
  const [begun] = claim.messages?.some(({ role }) => role === "user") ? [] : claim.links
  const described = Object.values(own).flatMap(({ name, description }) => (tools.has(name) ? [description] : []))
  const agents = tools.has(DELEGATE) ? (manifest.subagents ?? []).map(({ description }) => description) : []
  const at = new Date(begun?.started_at ?? turn.started_at ?? turn.created_at)
  const values = turnValues({ ...turn, ...(begun && { metadata: begun.metadata }) })
  return valuesNote([system, ...described, ...agents], values, { at, timeZone: manifest.time_zone })
}

/** The instructions of the space with names in place of its variables, and those of the turn's messages. */
export function instructionsOf({ claim }: Run): string | undefined {
  const { instructions = "" } = claim.config.manifest
  const said = [...claim.links, claim].flatMap(({ messages }) => messages ?? [])
  const all = [withNames(instructions), instructionsIn(said)]
  return all.filter(Boolean).join("\n\n") || undefined
}
