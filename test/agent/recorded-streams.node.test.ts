import { describe, expect, test } from "vitest"
import { callInput, ModelError } from "../../src/agent/engine.ts"
import { RECORDED_STREAMS } from "../harness/random-streams.ts"
import { bytesOfFrames, madeCalls, refusedCalls, replayStream } from "../harness/replay.ts"
import { readingsOf } from "../harness/token-readings.ts"

const isWithin =
  ([least, greatest]: readonly [number, number]) =>
  (count: number) =>
    least <= count && count <= greatest

describe.each(RECORDED_STREAMS)("$name", ({ engine, frames, answer: right }) => {
  test("The whole stream gives the right text, calls, end and counts", async () => {
    const { answer, error, seen } = await replayStream(engine, bytesOfFrames({ engine, frames }))
    if (right === null) {
      expect(error).toBeInstanceOf(ModelError)
      expect(error).toMatchObject({ kind: "unavailable" })
      return
    }
    expect(error).toBe(null)
    expect(answer).toMatchObject({ text: right.text, finish: right.finish })
    expect(seen, "as a reader of the stream sees it").toBe(right.text)
    expect(madeCalls(answer).map((call) => [call.toolName, callInput(call)])).toEqual(right.calls ?? [])
    const refused = refusedCalls(answer)
    expect(refused).toHaveLength(right.refused?.length ?? 0)
    for (const [nth, why] of (right.refused ?? []).entries()) expect(refused[nth]).toMatch(why)
    if (!right.tokens) return
    const { input, cached = 0, written = 0, output } = right.tokens
    const { tokensInput, tokensCached, tokensCacheWritten = 0, tokensOutput } = answer?.usage ?? {}
    expect({ tokensInput, tokensCached, tokensCacheWritten, tokensOutput }).toEqual({
      tokensInput: input,
      tokensCached: cached,
      tokensCacheWritten: written,
      tokensOutput: output,
    })
  })

  test("A stream that ends after any frame is whole only with its finish, and never counts more", async () => {
    for (let length = 0; length < frames.length; length++) {
      for (const breaks of [false, true]) {
        const bytes = bytesOfFrames({ engine, frames }, length)
        const { answer, error, seen, counted } = await replayStream(engine, bytes, { breaks })
        const at = `${breaks ? "broken" : "ended"} after ${length} of ${frames.length} frames`
        const { input, output } = readingsOf(frames.slice(0, length))
        expect(counted.tokensInput ?? 0, `${at}: input`).toSatisfy(isWithin(input))
        expect(counted.tokensOutput ?? 0, `${at}: output`).toSatisfy(isWithin(output))
        if (right) expect(right.text.startsWith(seen), at).toBe(true)
        if (answer === null) {
          expect(error, at).toMatchObject({ kind: "unavailable" })
          continue
        }
        expect(right, `${at}: no failure ends as an answer`).not.toBe(null)
        expect(answer.text, at).toBe(right?.text)
        expect(madeCalls(answer).length, at).toBe(right?.calls?.length ?? 0)
        const most = right?.tokens?.input ?? Number.POSITIVE_INFINITY
        if (answer.usage.tokensInput > most) expect(answer.usage.tokensInput, "an estimate").toBeLessThan(100)
      }
    }
  })
})

test("The recorded streams come from every kind of provider, each with its source", () => {
  expect(RECORDED_STREAMS.length).toBeGreaterThanOrEqual(55)
  for (const { source } of RECORDED_STREAMS) expect(source).toMatch(/^https:\/\//)
})
