import { expect, test } from "vitest"
import { ModelError } from "../../src/agent/engine.ts"
import { PROMPT_TOKENS, promptTokenBound } from "../../src/agent/estimate.ts"
import { isThorough } from "../harness/crash.ts"
import { createRandom } from "../harness/random.ts"
import { changeStream, isCutReason, RECORDED_STREAMS, saysCounts, saysEnd } from "../harness/random-streams.ts"
import { bytesOfFrames, madeCalls, replayedCall, replayStream } from "../harness/replay.ts"

const STREAMS = isThorough ? 10_000 : 400

test(`No call and no answer without evidence, and no count beyond the request, in ${STREAMS} random streams`, async () => {
  const random = createRandom("streams")
  const met = { whole: 0, failed: 0, calls: 0, refused: 0 }
  for (let n = 0; n < STREAMS; n++) {
    const recorded = random.pick(RECORDED_STREAMS)
    const { engine } = recorded
    const { frames, fails, breaks } = changeStream(recorded, random)
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
    expect(breaks && !hasEnd, `a lost connection before an end: ${about}`).toBe(false)
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
