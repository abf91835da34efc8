import { changedNumber } from "../base/exact-json.ts"
import { isFields } from "../base/fields.ts"
import type { ModelAnswer, ToolCallPart } from "./engine.ts"
import { cutToBytes } from "./estimate.ts"

const MAX_SHOWN_INPUT = 1000

/** A call as the model wrote it. */
export interface WrittenCall {
  toolCallId: string
  toolName: string
  input: string
}

/** Why the calls of an answer that is cut are not made, even if one of them seems to be whole. */
const CUT: { [Finish in ModelAnswer["finish"]]?: string } = {
  length: "Your answer reached its output limit, so none of its calls was made. Call again, and write less before it.",
  paused: "Your answer was interrupted, so none of its calls was made. Call again.",
}

/**
 * Converts a call to the transcript's form. `tools`: the names that the model was given. `finish`: of the answer.
 * `isClosed`: the provider says that the answer has ended by itself, so that an empty input is no cut one.
 */
export function toToolCall(
  { toolCallId, toolName, input: written }: WrittenCall,
  { tools, finish, isClosed }: { tools: ReadonlySet<string>; finish: ModelAnswer["finish"]; isClosed: boolean },
): ToolCallPart {
  const { input, exact, fault } = inputOfText(written, isClosed)
  const part = { type: "tool-call" as const, toolCallId, toolName, input }
  // The message quotes the model's text, because providers get an empty object in its place.
  const seen = ` You wrote: ${cutToBytes(written, MAX_SHOWN_INPUT)}`
  const cut = CUT[finish]
  if (cut !== undefined) return { ...part, invalid: `${cut}${seen}` }
  if (!tools.has(toolName)) return { ...part, invalid: `There is no tool "${cutToBytes(toolName, 100)}".${seen}` }
  if (fault !== undefined) return { ...part, invalid: `The input is not valid JSON: ${fault}.${seen}` }
  if (!isFields(input)) return { ...part, invalid: `The input must be a JSON object.${seen}` }
  return exact ? part : { ...part, written }
}

/** A call's input; the text itself if it is not JSON. `exact`: all of its numbers can be doubles without loss. */
function inputOfText(text: string, isClosed: boolean): { input: unknown; exact: boolean; fault?: string } {
  if (text.trim() === "") {
    const fault = "it is empty, and the answer did not say that it is whole"
    return { input: {}, exact: true, ...(!isClosed && { fault }) }
  }
  try {
    return { input: JSON.parse(text), exact: changedNumber(text) === null }
  } catch (error) {
    return { input: text, exact: true, fault: error instanceof Error ? error.message : String(error) }
  }
}
