import type { Message, TextPart } from "../agent/engine.ts"
import { definitionOf } from "../tools/find-tools.ts"
import type { Earlier } from "./fit-context.ts"
import type { AgentWork } from "./run.ts"

/**
 * Adds the tools that earlier turns have found to a prompt, each to the first exchange that is shown of those since it
 * was found. So a prompt begins as the one of the turn before, and a provider's cache stays useful.
 */
export function withFound({ search, tools }: AgentWork, earlier: readonly Earlier[], own: Message[]): Message[][] {
  const exchanges = [...earlier.map(({ messages }) => messages), own]
  if (!search) return exchanges
  const shown = exchanges.map((): string[] => [])
  for (const [name, { position }] of Object.entries(search.kept)) {
    const tool = search.hidden.has(name) ? tools.get(name) : undefined
    const at = earlier.findIndex((exchange) => (exchange.position ?? 0) >= position)
    if (tool) shown[at === -1 ? earlier.length : at]?.push(definitionOf(tool.spec))
  }
  return exchanges.map((messages, nth) => withDefinitions(messages, shown[nth] ?? []))
}

/** Puts definitions after what the user says, before the note of this turn. */
function withDefinitions(messages: Message[], definitions: readonly string[]): Message[] {
  if (definitions.length === 0) return messages
  const text = `[Tools that find_tools has found, for call_tool:\n${definitions.join("\n")}\n]`
  const part: TextPart = { type: "text", text, byService: true }
  const at = messages.findIndex(({ role }) => role === "user")
  return messages.map((message, place) => {
    if (place !== at || message.role !== "user") return message
    const notes = message.content.filter((one) => one.type === "text" && one.isNote)
    return {
      ...message,
      content: [...message.content.filter((one) => !notes.includes(one as TextPart)), part, ...notes],
    }
  })
}
