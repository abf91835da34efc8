import { expect, test } from "vitest"
import { ModelError } from "../../src/agent/engine.ts"
import { PROMPT_TOKENS, promptTokenBound } from "../../src/agent/estimate.ts"
import { isThorough } from "../harness/crash.ts"
import { createRandom, type Random } from "../harness/random.ts"
import { chunk, type RecordedStream } from "../harness/recorded.ts"
import { CLOUD_STREAMS } from "../harness/recorded-clouds.ts"
import { GATEWAY_STREAMS } from "../harness/recorded-gateways.ts"
import { MESSAGE_STREAMS } from "../harness/recorded-messages.ts"
import { RESPONSE_STREAMS } from "../harness/recorded-responses.ts"
import { SERVER_STREAMS } from "../harness/recorded-servers.ts"
import { bytesOfFrames, madeCalls, replayedCall, replayStream } from "../harness/replay.ts"

const ALL = [...SERVER_STREAMS, ...GATEWAY_STREAMS, ...CLOUD_STREAMS, ...MESSAGE_STREAMS, ...RESPONSE_STREAMS]
const STREAMS = isThorough ? 10_000 : 400

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
function saysEnd(frame: Frame): boolean {
  const text = typeof frame === "string" ? frame : JSON.stringify(frame)
  const isBody = /"object":"chat.completion"|"object":"response"|"type":"message",/.test(text)
  const reason = /"(?:finish_reason|stop_reason)":"(\w+)"/.exec(text)?.[1]
  const isWhole = reason !== undefined && !/abort|overloaded|time_limit/.test(reason)
  return text === "[DONE]" || isWhole || isBody || /response\.(completed|incomplete)"|message_stop/.test(text)
}

const saysCounts = (frame: Frame) => typeof frame === "object" && "choices" in frame && "usage" in frame
const isCutReason = (frame: Frame) =>
  /"(length|max_tokens|max_output_tokens|pause_turn|model_\w+)"/.test(JSON.stringify(frame))

interface Made {
  frames: Frame[]
  fails: boolean
  breaks: boolean
}

/** Changes a recorded stream at random: an end at any frame, errors, zeros, and frames that are sent again. */
function change({ engine, frames }: RecordedStream, random: Random): Made {
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

test(`No call and no answer without evidence, and no count beyond the request, in ${STREAMS} random streams`, async () => {
  const random = createRandom("streams")
  const met = { whole: 0, failed: 0, calls: 0, refused: 0 }
  for (let n = 0; n < STREAMS; n++) {
    const recorded = random.pick(ALL)
    const { engine } = recorded
    const { frames, fails, breaks } = change(recorded, random)
    const about = `seed ${random.seed}, stream ${n}: ${recorded.name}\n${bytesOfFrames({ engine, frames })}`
    const { answer, error } = await replayStream(engine, bytesOfFrames({ engine, frames }), { breaks })
    const hasEnd = frames.some(saysEnd)
    const hasCounts = frames.some(saysCounts)
    if (answer === null) {
      met.failed++
      expect(error, about).toBeInstanceOf(ModelError)
      continue
    }
    met.whole++
    expect(breaks, about).toBe(false)
    if (!["refused", "filtered", "error"].includes(answer.finish)) {
      expect(fails && recorded.answer !== null, `an error ends no answer: ${about}`).toBe(false)
      expect(hasEnd || hasCounts, `an end without evidence: ${about}`).toBe(true)
    }
    const calls = madeCalls(answer)
    met.calls += calls.length
    if (calls.length > 0) {
      expect(hasEnd, `a call without a whole answer: ${about}`).toBe(true)
      expect(frames.some(isCutReason), `a call of a cut answer: ${about}`).toBe(false)
      const ids = calls.map(({ toolCallId }) => toolCallId)
      expect(new Set(ids).size, about).toBe(ids.length)
    }
    if (answer.content.some((part) => part.type === "tool-call" && part.invalid)) met.refused++
    const call = replayedCall(engine)
    const { tokensInput, tokensCached, tokensCacheWritten = 0, tokensOutput } = answer.usage
    expect(tokensInput, about).toBeLessThanOrEqual(promptTokenBound(call) + PROMPT_TOKENS.provider)
    expect(tokensOutput, about).toBeLessThanOrEqual(2 * call.maxOutputTokens)
    expect(tokensCached + tokensCacheWritten, about).toBeLessThanOrEqual(tokensInput)
  }
  console.log(`seed ${random.seed}: ${STREAMS} streams`, met)
  for (const count of Object.values(met)) expect(count).toBeGreaterThan(0)
})
