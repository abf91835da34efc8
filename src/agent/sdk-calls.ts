import type { LanguageModelV4ToolCall } from "@ai-sdk/provider"
import { changedNumber, parseExact } from "../base/exact-json.ts"
import { type Fields, isFields } from "../base/fields.ts"
import type { ToolCallPart } from "./engine.ts"
import { cutToBytes } from "./estimate.ts"

const MAX_SHOWN_INPUT = 1000

/** Converts a call to the transcript's form. `tools`: the names that the model was given. */
export function toToolCall(
  { toolCallId, toolName, input: written }: LanguageModelV4ToolCall,
  tools: ReadonlySet<string>,
): ToolCallPart {
  const { input, exact, fault } = inputOfText(written)
  const part = { type: "tool-call" as const, toolCallId, toolName, input }
  // The message quotes the model's text, because providers get an empty object in its place.
  const seen = ` You wrote: ${cutToBytes(written, MAX_SHOWN_INPUT)}`
  if (!tools.has(toolName)) return { ...part, invalid: `There is no tool "${cutToBytes(toolName, 100)}".${seen}` }
  if (fault !== undefined) return { ...part, invalid: `The input is not valid JSON: ${fault}.${seen}` }
  if (!isFields(input)) return { ...part, invalid: `The input must be a JSON object.${seen}` }
  return exact ? part : { ...part, written }
}

/** A call's input; the text itself if it is not JSON. `exact`: all of its numbers can be doubles without loss. */
function inputOfText(text: string): { input: unknown; exact: boolean; fault?: string } {
  if (text.trim() === "") return { input: {}, exact: true }
  try {
    return { input: JSON.parse(text), exact: changedNumber(text) === null }
  } catch (error) {
    return { input: text, exact: true, fault: error instanceof Error ? error.message : String(error) }
  }
}

/** Matches lines of a stream that may contain a call. */
const MAYBE_CALL = /"(?:tool_calls|function_call|arguments|call_id)"/

/**
 * Converts a line of a stream. The SDK accepts only strings, but some servers with the OpenAI
 * protocol send a call's `arguments` as an object, or its id as a number.
 */
export function plainLine(line: string): string {
  const match = /^data:\s*(?=\{)/.exec(line)
  if (!match || !MAYBE_CALL.test(line)) return line
  try {
    const event = parseExact(line.slice(match[0].length)) as Fields
    return plainEvent(event) ? `data: ${JSON.stringify(event)}` : line
  } catch {
    return line
  }
}

/** Converts the calls in an event to the form that the SDK accepts. Returns whether anything changed. */
function plainEvent(event: Fields): boolean {
  const choices = Array.isArray(event.choices) ? (event.choices as Fields[]) : []
  const calls = choices.flatMap((choice) => {
    const { tool_calls: given } = ((choice?.delta ?? choice?.message) as Fields | undefined) ?? {}
    return Array.isArray(given) ? (given as Fields[]) : []
  })
  const changed = calls.flatMap((call) => [plainMember(call, "id"), plainMember(call.function, "arguments")])
  const item = [plainMember(event.item, "call_id"), plainMember(event.item, "arguments")]
  return [...changed, ...item, plainMember(event, "arguments")].some(Boolean)
}

function plainMember(holder: unknown, name: string): boolean {
  if (typeof holder !== "object" || holder === null || !(name in holder)) return false
  const value = (holder as Fields)[name]
  if (typeof value === "string" || value === null || value === undefined) return false
  ;(holder as Fields)[name] = JSON.stringify(value)
  return true
}
