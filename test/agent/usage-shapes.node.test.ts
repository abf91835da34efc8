import { describe, expect, test } from "vitest"
import { priceOf } from "../../src/billing/price.ts"
import { chunk, counts, ends, messageStart, said, texts } from "../harness/recorded.ts"
import { ODD_USAGE_SHAPES } from "../harness/recorded-odd-usage.ts"
import { USAGE_SHAPES, type UsageShape } from "../harness/recorded-usage.ts"
import { bytesOfFrames, replayStream } from "../harness/replay.ts"
import { textMessage } from "../harness/steps.ts"

/** Credit micros (1e-7 USD) per token. */
const PRICE = {
  price_input: 12_500_000,
  price_cached: 2_000_000,
  price_output: 25_000_000,
  price_cache_write: 12_500_000,
  price_cache_write_hour: 12_500_000,
  price_audio_input: 12_500_000,
  price_web_search: null,
  price_x_search: null,
  price_code_execution: null,
  price_reasoning: null,
}

/** The same answer with these counts, in each place where a provider may put them. */
function placesOf({ engine, usage }: UsageShape): Record<string, object[]> {
  if (engine === "anthropic") {
    const { output_tokens, ...prompt } = usage
    const zeros = { input_tokens: 0, cache_read_input_tokens: 0, cache_creation_input_tokens: 0 }
    return {
      start: [
        messageStart({ ...prompt, output_tokens: 1 }),
        ...said(0, "Hello."),
        ...ends("end_turn", { output_tokens }),
      ],
      end: [messageStart({ input_tokens: 0, output_tokens: 0 }), ...said(0, "Hello."), ...ends("end_turn", usage)],
      zeros: [messageStart(prompt), ...said(0, "Hello."), ...ends("end_turn", { output_tokens, ...zeros })],
    }
  }
  if (engine === "openai") {
    const item = { type: "message", id: "m1", role: "assistant", content: [{ type: "output_text", text: "Hello." }] }
    const done = { type: "response.output_item.done", output_index: 0, item }
    return { completed: [done, { type: "response.completed", response: { id: "r", status: "completed", usage } }] }
  }
  const stop = chunk({}, "stop")
  const inChoice = { ...stop, choices: [{ index: 0, delta: {}, finish_reason: "stop", usage }] }
  const zeros = counts({ prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 })
  return {
    alone: [...texts(), stop, counts(usage)],
    "in the last chunk": [...texts(), { ...stop, usage }],
    "in the choice": [...texts(), inChoice],
    "in x_groq": [...texts(), { ...stop, x_groq: { id: "r", usage } }],
    "before zeros": [...texts(), stop, counts(usage), zeros],
    twice: [...texts(), { ...stop, usage }, counts(usage)],
  }
}

describe.each([...USAGE_SHAPES, ...ODD_USAGE_SHAPES])("$name", (shape) => {
  const [input, cached, written, output] = shape.right
  const messages = [textMessage("user", "x".repeat(60_000))]

  test("The bill has the provider's counts, wherever they are", async () => {
    for (const [place, frames] of Object.entries(placesOf(shape))) {
      const bytes = bytesOfFrames({ engine: shape.engine, frames })
      const { answer, error, counted } = await replayStream(shape.engine, bytes, { messages, maxOutputTokens: 4000 })
      expect(error, place).toBe(null)
      const { tokensInput, tokensCached, tokensCacheWritten = 0, tokensOutput } = answer?.usage ?? {}
      expect([tokensInput, tokensCached, tokensCacheWritten, tokensOutput], place).toEqual(shape.right)
      expect(answer?.counted, place).toBe(undefined)
      expect(counted.tokensOutput, `${place}: while the answer arrives`).toBe(output)
      const right = (input - cached) * 12.5 + cached * 2 + output * 25
      expect(answer && priceOf(PRICE, answer.usage), `${place}: ${written} written`).toBe(Math.ceil(right))
    }
  })
})

test("A count that the request cannot have is bounded, and what the provider has counted is kept for the finding", async () => {
  const frames = [
    ...texts(),
    chunk({}, "stop"),
    counts({ prompt_tokens: 1e8, completion_tokens: 1e8, total_tokens: 2e8 }),
  ]
  const { answer } = await replayStream("openai-compatible", bytesOfFrames({ engine: "openai-compatible", frames }))
  expect(answer?.usage.tokensInput).toBeLessThan(6_000)
  expect(answer?.usage.tokensOutput).toBe(100)
  expect(answer?.counted).toMatchObject({ tokensInput: 1e8, tokensOutput: 1e8 })
})
