import { type Fields, isFields } from "../base/fields.ts"
import type { AssistantPart } from "./engine.ts"

/**
 * Members of a message that providers expect back with it: OpenRouter's reasoning_details, LiteLLM's thinking_blocks
 * and provider_specific_fields, Gemini's extra_content, and signatures under other names. We do not read them.
 */
const CARRIED =
  /^(reasoning_details|thinking_blocks|provider_specific_fields|extra_content)$|signature|opaque|encrypted/

/** Adds the members of a delta that must go back to the members of earlier deltas. */
export function carryInto(carried: Fields, delta: Fields): void {
  for (const [name, value] of Object.entries(delta)) {
    if (value === null || value === undefined || value === "" || !CARRIED.test(name)) continue
    carried[name] = joined(carried[name], value)
  }
}

/** Keeps these members with the first part of a message; `withoutCarried` takes them out again. */
export function withCarried([first, ...rest]: AssistantPart[], carried: Fields): AssistantPart[] {
  if (!first) return []
  if (Object.keys(carried).length === 0) return [first, ...rest]
  const message = { message: carried } as AssistantPart["providerOptions"]
  return [{ ...first, providerOptions: { ...first.providerOptions, ...message } }, ...rest]
}

/** The parts of a message, and the members that go back with it. */
export function withoutCarried(content: AssistantPart[]): { content: AssistantPart[]; carried: Fields } {
  const carried: Fields = {}
  const parts = content.map((part) => {
    const { message, ...options } = part.providerOptions ?? {}
    if (!message) return part
    Object.assign(carried, message)
    const { providerOptions: _old, ...plain } = part
    return (Object.keys(options).length > 0 ? { ...plain, providerOptions: options } : plain) as AssistantPart
  })
  return { content: parts, carried }
}

function joined(before: unknown, value: unknown): unknown {
  if (Array.isArray(value)) return value.reduce<unknown[]>(withItem, Array.isArray(before) ? before : [])
  return isFields(before) && isFields(value) ? { ...before, ...value } : value
}

/** The texts of an item, which a stream sends in pieces. All other members are whole. */
const PIECES = ["text", "summary", "thinking"]

/** Adds an item to a list, or its text to the last item, if it has the same kind and place. */
function withItem(list: unknown[], item: unknown): unknown[] {
  const last = list.at(-1)
  if (!isFields(item) || !isFields(last) || !goesOn(last, item)) return [...list, item]
  const next = { ...last }
  for (const [name, value] of Object.entries(item)) {
    if (value === null || value === undefined) continue
    const isPiece = PIECES.includes(name) && typeof value === "string" && typeof last[name] === "string"
    next[name] = isPiece ? `${last[name]}${value}` : value
  }
  return [...list.slice(0, -1), next]
}

function goesOn(last: Fields, item: Fields): boolean {
  const isSame = (name: string) => item[name] === undefined || last[name] === undefined || item[name] === last[name]
  return last.type === item.type && "data" in item === false && isSame("index") && isSame("id")
}
