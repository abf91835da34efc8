import type { EngineName, Message } from "./engine.ts"

/** The characters of a call's id that Anthropic accepts. */
const STRICT = /[^a-zA-Z0-9_-]/g

/**
 * Gives each call of a transcript an id of its own. Some servers number the calls of each answer from 0, and strict
 * providers reject a request in which an id is repeated.
 */
export function withUniqueIds(messages: readonly Message[], engine: EngineName): Message[] {
  const used = new Set<string>()
  /** The calls of the last answer, in order, whose results have not come yet. */
  let called: { was: string; id: string }[] = []
  const idOf = (was: string) => {
    const plain = (engine === "anthropic" ? was.replace(STRICT, "_") : was) || "call"
    // Kimi's models expect a counter at the end: functions.read:0.
    const [, name, first] = /^(.*:)(\d{1,6})$/.exec(plain) ?? []
    let id = plain
    for (let nth = 1; used.has(id); nth++) id = name ? `${name}${Number(first) + nth}` : `${plain}_${nth + 1}`
    used.add(id)
    called.push({ was, id })
    return id
  }
  const resultOf = (was: string) => {
    const at = called.findIndex((call) => call.was === was)
    return at < 0 ? was : (called.splice(at, 1)[0]?.id ?? was)
  }
  return messages.map((message): Message => {
    if (message.role === "user") return message
    if (message.role === "tool") {
      const content = message.content.map((result) => ({ ...result, toolCallId: resultOf(result.toolCallId) }))
      return { ...message, content }
    }
    called = []
    const content = message.content.map((part) =>
      part.type === "tool-call" ? { ...part, toolCallId: idOf(part.toolCallId) } : part,
    )
    return { ...message, content }
  })
}
