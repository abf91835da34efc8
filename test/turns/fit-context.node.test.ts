import { expect, test } from "vitest"
import type { Message, ModelCall } from "../../src/agent/engine.ts"
import { ContextFit, type Earlier, fitContext, withoutResults } from "../../src/runs/fit-context.ts"
import { createRandom } from "../harness/random.ts"

const PROMPT = { engine: "openai", context_tokens: 8_000, learned: {} } as const
const text = (tokens: number) => "abcd".repeat(tokens)
const user = (words: string): Message => ({ role: "user", content: [{ type: "text", text: words }] })
const said = (words: string): Message => ({ role: "assistant", content: [{ type: "text", text: words }] })

const turnsOf = (sizes: number[]): Earlier[] =>
  sizes.map((size, at) => ({
    messages: [user(text(1)), said(text(size))],
    key: new Date(1.7e12 + at * 60_011).toISOString(),
  }))

/** A step with one call of a tool, whose result has this many tokens. */
const stepOf = (size: number, at: number): Message[] => [
  { role: "assistant", content: [{ type: "tool-call", toolCallId: `c${at}`, toolName: "find", input: {} }] },
  { role: "tool", content: [{ toolCallId: `c${at}`, toolName: "find", output: { type: "text", value: text(size) } }] },
]

function builderOf(fit: ContextFit, earlier: Earlier[], steps: Message[][], output = 1_000) {
  return (): ModelCall => ({
    engine: "openai",
    model: "m",
    messages: [
      ...earlier.slice(fit.turns).flatMap(({ messages }) => messages),
      user("now"),
      ...withoutResults(steps, fit.results).flat(),
    ],
    tools: [],
    maxOutputTokens: output,
    attempt: 0,
  })
}

test("A prompt that fits stays as it is", () => {
  const fit = new ContextFit(PROMPT)
  const earlier = turnsOf([100, 200])
  const { call, trimmed, fits } = fitContext(fit, builderOf(fit, earlier, []), { earlier, results: 0 })
  expect({ trimmed, fits, messages: call.messages.length, output: call.maxOutputTokens }).toEqual({
    trimmed: null,
    fits: true,
    messages: 5,
    output: 1_000,
  })
})

test("Random prompts fit afterwards if they can: whole turns go first, then the oldest results, and never more by little", () => {
  const random = createRandom("fit context")
  for (let n = 0; n < 500; n++) {
    const fit = new ContextFit({ engine: "openai", context_tokens: 1_000 + random.int(20_000), learned: {} })
    const window = fit.window ?? 0
    const earlier = turnsOf(Array.from({ length: random.int(30) }, () => random.int(2_000)))
    const steps = Array.from({ length: random.int(20) }, (_, at) => stepOf(random.int(3_000), at))
    const build = builderOf(fit, earlier, steps, 1 + random.int(4_000))
    const whole = fit.sizeOf(build())
    const { call, trimmed, fits } = fitContext(fit, build, { earlier, results: steps.length })
    const size = fit.sizeOf(call)
    if (fits && size <= window) expect(size + call.maxOutputTokens).toBeLessThanOrEqual(window + 1)
    if (trimmed === null) expect(size, `seed ${random.seed}`).toBe(whole)
    else expect(trimmed).toEqual({ turns: fit.turns, results: fit.results, tokens: size })
    if (fit.results > 0) expect(fit.turns, `seed ${random.seed}`).toBe(earlier.length)
    if (size > fit.room(call.maxOutputTokens)) expect(fit.results).toBe(steps.length)
  }
})

test("Over a long conversation the prompt seldom begins with another turn, and uses at least a third of its room", () => {
  const random = createRandom("long conversation")
  const sizes = Array.from({ length: 400 }, () => 50 + random.int(600))
  const all = turnsOf(sizes)
  let begins = 0
  let first: string | undefined
  let least = Number.POSITIVE_INFINITY
  for (let n = 60; n < all.length; n++) {
    const fit = new ContextFit(PROMPT)
    const earlier = all.slice(0, n)
    const { call } = fitContext(fit, builderOf(fit, earlier, []), { earlier, results: 0 })
    const begin = earlier[fit.turns]?.key
    if (begin !== first) begins++
    first = begin
    least = Math.min(least, fit.sizeOf(call) / fit.room(1_000))
  }
  // Each turn of a window that slides would begin with another one: 340 of 340.
  expect(begins).toBeLessThan(100)
  expect(least).toBeGreaterThan(1 / 3)
})

test("A refusal teaches the window and the size, and every further try is smaller", () => {
  const refusals = [
    { limit: 4_000, prompt: 9_000 },
    { limit: 4_000, prompt: null },
    { limit: null, prompt: null },
  ]
  for (const refusal of refusals) {
    const fit = new ContextFit({ engine: "openai", context_tokens: null, learned: {} })
    const earlier = turnsOf(Array.from({ length: 20 }, () => 300))
    const build = builderOf(fit, earlier, [])
    const first = fitContext(fit, build, { earlier, results: 0 })
    expect(first.trimmed).toBeNull()
    fit.refused(refusal)
    const second = fitContext(fit, build, { earlier, results: 0 })
    expect(second.call.messages.length).toBeLessThan(first.call.messages.length)
    expect(second.fits).toBe(true)
  }
})

test("A prompt that cannot fit is refused only when that is certain, or after a refusal", () => {
  const fit = new ContextFit(PROMPT)
  const build = (size: number) => () => ({ ...builderOf(fit, [], [])(), system: text(size) })
  expect(fitContext(fit, build(9_000), { earlier: [], results: 0 }).fits).toBe(true)
  expect(fitContext(fit, build(17_000), { earlier: [], results: 0 }).fits).toBe(false)
  fitContext(fit, build(9_000), { earlier: [], results: 0 })
  fit.refused({ limit: 8_000, prompt: 9_100 })
  expect(fitContext(fit, build(9_000), { earlier: [], results: 0 }).fits).toBe(false)
})
