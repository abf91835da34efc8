import fc from "fast-check"
import { expect, test } from "vitest"
import {
  type EngineContext,
  type Message,
  type ModelAnswer,
  type ModelCall,
  ModelError,
} from "../../src/agent/engine.ts"
import { likelyTokens, promptTokenBound } from "../../src/agent/estimate.ts"
import documentation from "../../src/agent/REHEARSAL.md?raw"
import { rehearse } from "../../src/agent/rehearsal.ts"
import { TURN_POLICY } from "../../src/turns/policies.ts"

const context: EngineContext = {
  fetch: () => Promise.reject(new Error("rehearsal has no network")),
  accounts: {},
  sleep: async () => {},
  signal: new AbortController().signal,
  loadObject: async () => null,
  onText: () => {},
}

function callOf(text: string, step = 0, attempt = 0): ModelCall {
  const said = Array.from({ length: step }, (): Message => ({ role: "assistant", content: [] }))
  const messages: Message[] = [{ role: "user", content: [{ type: "text", text }] }, ...said]
  return { engine: "rehearsal", model: "standard", messages, tools: [], maxOutputTokens: 8192, attempt }
}

/** All answers that a turn of this text gets, when an unavailable model is tried again as the turn machine does. */
async function rehearseTurn(text: string): Promise<ModelAnswer[]> {
  const answers: ModelAnswer[] = []
  do answers.push(await rehearseCall(text, answers.length))
  while (answers.at(-1)?.finish === "more")
  return answers
}

async function rehearseCall(text: string, step: number, attempt = 0): Promise<ModelAnswer> {
  try {
    return await rehearse(context, callOf(text, step, attempt))
  } catch (error) {
    const again = error instanceof ModelError && error.kind === "unavailable"
    if (!again || attempt + 1 >= TURN_POLICY.maxModelFailures) throw error
    return rehearseCall(text, step, attempt + 1)
  }
}

const CODES = { unavailable: "MODEL_UNAVAILABLE", rejected: "MODEL_REJECTED", failed: undefined }

const examples = [...documentation.matchAll(/```text\n([\s\S]*?)\n```\n(ends .+)/g)].map(
  ([, text = "", outcome = ""]) => ({
    text,
    outcome,
  }),
)

test("the documentation has examples", () => expect(examples.length).toBeGreaterThan(5))

test.each(examples)("as documented: $outcome", async ({ text, outcome }) => {
  const failed = /failed, with the error code `(\w+)`/.exec(outcome)
  if (failed) {
    const error = (await rehearseTurn(text).catch((thrown: unknown) => thrown)) as ModelError
    expect(error).toBeInstanceOf(ModelError)
    expect(CODES[error.kind] ?? error.code).toBe(failed[1])
    return
  }
  const answers = await rehearseTurn(text)
  const result = /with the result `(.+)`/.exec(outcome)
  if (result) expect(answers.at(-1)?.text).toBe(result[1])
  const counts = /after (\d+) model calls, with ([\d,]+) prompt tokens, (\d+) of them cached, and (\d+) output/.exec(
    outcome,
  )
  if (counts) {
    const sum = (key: keyof ModelAnswer["usage"]) => answers.reduce((total, answer) => total + answer.usage[key], 0)
    const expected = counts.slice(1).map((number) => Number(number.replace(",", "")))
    expect([answers.length, sum("tokensInput"), sum("tokensCached"), sum("tokensOutput")]).toEqual(expected)
  }
  expect(result ?? counts, "the example says something that can be checked").not.toBeNull()
})

test("a failure that is limited to N times", async () => {
  const text = "[fail MODEL_UNAVAILABLE times=2]"
  await expect(rehearse(context, callOf(text, 0, 0))).rejects.toMatchObject({ kind: "unavailable" })
  await expect(rehearse(context, callOf(text, 0, 1))).rejects.toMatchObject({ kind: "unavailable" })
  await expect(rehearse(context, callOf(text, 0, 2))).resolves.toMatchObject({ finish: "stop" })
})

test("thinking takes its time through the context, and an abort ends it", async () => {
  const slept: number[] = []
  const sleep = async (ms: number, signal: AbortSignal) => {
    slept.push(ms)
    signal.throwIfAborted()
  }
  await rehearse({ ...context, sleep }, callOf("[think 250ms]"))
  const signal = AbortSignal.abort(new Error("enough"))
  await expect(rehearse({ ...context, sleep, signal }, callOf("[think 60000]"))).rejects.toThrow("enough")
  expect(slept).toEqual([250, 60_000])
})

test.each(["[think 60001]", "[use input=many]", "[fail out of stock]", "[long 1000001]", "[nap]"])(
  "%s is named in the error",
  async (line) => {
    const error = await rehearse(context, callOf(`hello\n${line}`)).catch((thrown: unknown) => thrown)
    expect(error).toMatchObject({ kind: "failed", code: "REHEARSAL_SYNTAX" })
    expect((error as ModelError).message).toContain(line)
  },
)

test("usage never passes the bounds of the hold, whatever the text", async () => {
  await fc.assert(
    fc.asyncProperty(fc.string({ unit: "binary" }), fc.integer({ min: 1, max: 50 }), async (text, maxOutputTokens) => {
      const call = { ...callOf(text.replaceAll("[", "(")), maxOutputTokens }
      const answer = await rehearse(context, call)
      expect(answer.usage.tokensInput).toBeLessThanOrEqual(promptTokenBound(call))
      expect(answer.usage.tokensOutput).toBeLessThanOrEqual(maxOutputTokens)
      expect(likelyTokens(answer.text)).toBe(answer.usage.tokensOutput)
      expect(answer.text.isWellFormed()).toBe(true)
    }),
    { numRuns: 500 },
  )
})
