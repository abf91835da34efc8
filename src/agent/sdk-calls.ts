import { NoSuchToolError, type ToolSet, type TypedToolCall, wrapLanguageModel } from "ai"
import { changedNumber, parseExact } from "../base/exact-json.ts"
import type { Fields } from "../base/fields.ts"
import type { ToolCallPart } from "./engine.ts"
import { cutToBytes } from "./estimate.ts"

export type HearableModel = Parameters<typeof wrapLanguageModel>[0]["model"]

/**
 * Wraps a model to record the text of each call's input, by the call's id (`written`). The
 * SDK passes on parsed input only.
 */
export function hearCalls(model: HearableModel) {
  const written = new Map<string, string>()
  const heard = wrapLanguageModel({
    model,
    middleware: {
      async wrapStream({ doStream }) {
        const { stream, ...rest } = await doStream()
        const listen = new TransformStream<StreamPart, StreamPart>({
          transform(part, controller) {
            if (part.type === "tool-call") written.set(part.toolCallId, part.input)
            controller.enqueue(part)
          },
        })
        return { ...rest, stream: stream.pipeThrough(listen) }
      },
    },
  })
  return { model: heard, written }
}

type Streamed = Awaited<ReturnType<ReturnType<typeof wrapLanguageModel>["doStream"]>>["stream"]
type StreamPart = Streamed extends ReadableStream<infer Part> ? Part : never

const MAX_SHOWN_INPUT = 1000

/** Converts a call to the transcript's form. `written`: the text of its input. */
export function toToolCall(call: TypedToolCall<ToolSet>, written: string | undefined): ToolCallPart {
  const { toolCallId, toolName, input } = call
  const part = { type: "tool-call" as const, toolCallId, toolName, input: input ?? {} }
  const { fault, exact } = written === undefined ? {} : inputOfText(written)
  // The message quotes the model's text, because providers get an empty object in its place.
  const seen = written === undefined ? "" : ` You wrote: ${cutToBytes(written, MAX_SHOWN_INPUT)}`
  if (NoSuchToolError.isInstance(call.invalid ? call.error : undefined)) {
    return { ...part, invalid: `There is no tool "${cutToBytes(toolName, 100)}".${seen}` }
  }
  if (fault) return { ...part, invalid: `The input is not valid JSON: ${fault}.${seen}` }
  if (typeof part.input !== "object" || part.input === null || Array.isArray(part.input)) {
    return { ...part, invalid: `The input must be a JSON object.${seen}` }
  }
  if (call.invalid) return { ...part, invalid: `The input cannot be read.${seen}` }
  return exact ? part : { ...part, ...(written !== undefined && { written }) }
}

/** `exact`: all numbers of the input can be doubles without loss. */
function inputOfText(text: string): { fault?: string; exact?: boolean } {
  if (text.trim() === "") return { exact: true }
  try {
    return { exact: changedNumber(text) === null }
  } catch (error) {
    return { fault: error instanceof Error ? error.message : String(error) }
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
