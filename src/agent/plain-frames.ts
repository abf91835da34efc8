import { type Fields, isFields } from "../base/fields.ts"

// Some servers send null, strings or nothing where the SDK requires a number or a string, and it
// would reject the whole frame. These functions return the same object if it is valid already.

const isText = (value: unknown) => typeof value === "string"
const fieldsIn = (value: unknown): Fields => (isFields(value) ? value : {})

/** Removes counts that are not numbers. */
function plainUsage(usage: Fields): Fields {
  return fieldsOf(usage, (name, value) => {
    if (name.endsWith("_details")) return isFields(value) ? plainUsage(value) : undefined
    return name.includes("tokens") && typeof value !== "number" ? undefined : value
  })
}

/** Anthropic: adds the counts that the SDK requires. A count of 0 is estimated later. */
export function plainMessageEvent(frame: Fields): Fields {
  const { type, message, usage } = frame
  if (type === "message_start" && isFields(message)) {
    return { ...frame, message: { ...message, usage: { input_tokens: 0, ...plainUsage(fieldsIn(message.usage)) } } }
  }
  if (type !== "message_delta") return frame
  return { ...frame, delta: fieldsIn(frame.delta), usage: { output_tokens: 0, ...plainUsage(fieldsIn(usage)) } }
}

/** OpenAI's Responses: does the same at the end of a response. */
export function plainResponseEvent(frame: Fields): Fields {
  const { response } = frame
  if (!isFields(response) || !isEndOfResponse(frame)) return frame
  const { usage, incomplete_details: why, ...rest } = response
  const counted = isFields(usage) && { usage: { input_tokens: 0, output_tokens: 0, ...plainUsage(usage) } }
  const details = isFields(why) && isText(why.reason) && { incomplete_details: why }
  return { sequence_number: 0, ...frame, response: { ...rest, ...counted, ...details } }
}

export const isEndOfResponse = ({ type }: Fields) => /^response\.(completed|incomplete|failed)$/.test(String(type))

/** A chunk of a chat completion; null if it is empty. Some servers send usage without `choices`. */
export function plainChunk(frame: Fields): Fields | null {
  if (!Array.isArray(frame.choices) && !isFields(frame.usage)) return null
  const plain = fieldsOf(frame, (name, value) => {
    if (name === "error") return undefined
    if (name === "usage") return isFields(value) ? plainUsage(value) : undefined
    return name === "choices" ? listOf(value, isFields, plainChoice) : value
  })
  return plain.choices === undefined ? { ...plain, choices: [] } : plain
}

function plainChoice(choice: Fields): Fields {
  return fieldsOf(choice, (name, value) => {
    if (name === "delta") return isFields(value) ? plainDelta(value) : undefined
    return name !== "finish_reason" || isText(value) ? value : undefined
  })
}

function plainDelta(delta: Fields): Fields {
  return fieldsOf(delta, (name, value) => {
    if (name === "role") return value === "assistant" || value === "" ? value : undefined
    if (name === "content") return isText(value) ? value : listOf(value, (part) => isFields(part) && isText(part.type))
    if (name === "reasoning_content" || name === "reasoning") return isText(value) ? value : undefined
    return name === "tool_calls" ? listOf(value, (call) => isFields(call) && isFields(call.function)) : value
  })
}

/** The error of a frame in the form that the SDKs accept; null if the frame has no error. */
export function errorFrame({ type, error, object, message }: Fields): Fields | null {
  const framed = (told: Fields) => ({ type: "error", sequence_number: 0, error: { type: "error", ...told } })
  if (isText(error) && error !== "") return framed({ message: error })
  if (object === "error" && isText(message) && type === undefined) return framed({ message })
  if (!isFields(error) || Object.keys(error).length === 0) return null
  const told = isText(error.message) ? error : { message: JSON.stringify(error) }
  return framed(fieldsOf(told, (name, value) => (name === "code" || name === "type" ? textOf(value) : value)))
}

const textOf = (value: unknown) => (isText(value) || typeof value === "number" ? String(value) : undefined)

/** Keeps the valid items, or returns the same list if all are valid. Undefined if the value is not a list. */
function listOf(given: unknown, isSound: (item: unknown) => boolean, change = (item: Fields) => item): unknown {
  if (!Array.isArray(given)) return undefined
  const list = given.filter(isSound).map(change)
  return list.length === given.length && list.every((item, index) => item === given[index]) ? given : list
}

/**
 * Changes the fields of an object and removes those that become undefined. Returns the
 * same object if nothing changes.
 */
function fieldsOf(fields: Fields, change: (name: string, value: unknown) => unknown): Fields {
  const kept = Object.entries(fields).map(([name, value]) => [name, value, change(name, value)] as const)
  if (kept.every(([, before, after]) => before === after)) return fields
  return Object.fromEntries(kept.flatMap(([name, , value]) => (value === undefined ? [] : [[name, value]])))
}
