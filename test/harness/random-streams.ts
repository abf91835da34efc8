import type { Random } from "./random.ts"
import { chunk, type RecordedStream } from "./recorded.ts"
import { CLOUD_STREAMS } from "./recorded-clouds.ts"
import { GATEWAY_STREAMS } from "./recorded-gateways.ts"
import { MESSAGE_STREAMS } from "./recorded-messages.ts"
import { RESPONSE_STREAMS } from "./recorded-responses.ts"
import { SERVER_STREAMS } from "./recorded-servers.ts"

/** Streams of every kind of provider. */
export const RECORDED_STREAMS: RecordedStream[] = [
  ...SERVER_STREAMS,
  ...GATEWAY_STREAMS,
  ...CLOUD_STREAMS,
  ...MESSAGE_STREAMS,
  ...RESPONSE_STREAMS,
]

type Frame = object | string

/** Frames with which a provider says that it failed. */
const ERRORS: Record<RecordedStream["engine"], object[]> = {
  "openai-compatible": [
    { error: { message: "overloaded", code: 503 } },
    { error: "overloaded" },
    { object: "error", message: "broken", type: "InternalServerError", code: 500 },
    { detail: "Internal Server Error" },
    { code: 500, message: "broken" },
    { internalServerException: { message: "broken" } },
    chunk({}, "abort"),
    chunk({}, "engine_overloaded"),
  ],
  anthropic: [
    { type: "error", error: { type: "overloaded_error", message: "Overloaded" } },
    { type: "error", message: "broken" },
    { detail: "Internal Server Error" },
    { type: "message_delta", delta: { stop_reason: "time_limit" }, usage: {} },
  ],
  openai: [
    { type: "error", code: "server_error", message: "broken", sequence_number: 1 },
    { type: "response.failed", response: { id: "r", error: { code: "server_error", message: "broken" } } },
    { error: { message: "broken" } },
  ],
}

const ZEROS: Record<RecordedStream["engine"], object> = {
  "openai-compatible": { id: "c", choices: [], usage: { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 } },
  anthropic: { type: "message_delta", delta: {}, usage: { input_tokens: 0, output_tokens: 0 } },
  openai: { type: "response.in_progress", response: { id: "r", usage: { input_tokens: 0, output_tokens: 0 } } },
}

/** True if a frame, by the provider's protocol, says that the answer has ended by itself. */
export function saysEnd(frame: Frame): boolean {
  const text = typeof frame === "string" ? frame : JSON.stringify(frame)
  const isBody = /"object":"chat.completion"|"object":"response"|"type":"message",/.test(text)
  const reason = /"(?:finish_reason|stop_reason)":"(\w+)"/.exec(text)?.[1]
  const isWhole = reason !== undefined && !/abort|overloaded|time_limit/.test(reason)
  return text === "[DONE]" || isWhole || isBody || /response\.(completed|incomplete)"|message_stop/.test(text)
}

/** True for a frame with nothing but counts. */
export const saysCounts = (frame: Frame) => typeof frame === "object" && "choices" in frame && "usage" in frame
/** True for a frame whose reason is a limit or a pause. */
export const isCutReason = (frame: Frame) =>
  /"(length|max_tokens|max_output_tokens|pause_turn|model_\w+)"/.test(JSON.stringify(frame))

interface ChangedStream {
  frames: Frame[]
  fails: boolean
  breaks: boolean
}

/** Changes a recorded stream at random: an end at any frame, errors, zeros, and frames that are sent again. */
export function changeStream({ engine, frames }: RecordedStream, random: Random): ChangedStream {
  let made = [...frames]
  const at = () => random.int(made.length + 1)
  const chance = (percent: number) => random.int(100) < percent
  if (chance(25)) made.splice(at(), 0, ZEROS[engine])
  // A text that is sent again is another text, so only frames without one are repeated.
  const plain = made.filter(
    (frame) => !/"(content|text|thinking|delta|reasoning_content)":"[^"]/.test(JSON.stringify(frame)),
  )
  if (chance(25) && plain.length > 0 && engine === "openai-compatible") {
    const frame = random.pick(plain)
    made.splice(made.indexOf(frame) + 1, 0, frame)
  }
  const breaks = chance(30)
  const isCut = breaks || chance(30)
  if (isCut) made = made.slice(0, random.int(made.length + 1))
  const fails = made.length > 0 && chance(20)
  if (fails) made.splice(random.int(made.length + 1), 0, random.pick(ERRORS[engine]))
  return { frames: made, fails, breaks }
}
