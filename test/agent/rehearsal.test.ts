import fc from "fast-check"
import { expect, test } from "vitest"
import { type EngineContext, type ModelAnswer, type ModelCall, ModelError } from "../../src/agent/engine.ts"
import { promptTokenBound } from "../../src/agent/estimate.ts"
import documentation from "../../src/agent/REHEARSAL.md?raw"
import { rehearse } from "../../src/agent/rehearsal.ts"

const context: EngineContext = {
  fetch: () => Promise.reject(new Error("rehearsal has no network")),
  accounts: {},
  sleep: async () => {},
  signal: new AbortController().signal,
}

function callOf(text: string, step = 0, attempt = 0): ModelCall {
  const messages = [{ role: "user" as const, content: text }]
  return { engine: "rehearsal", model: "standard", messages, maxOutputTokens: 8192, step, attempt }
}

/** All calls that a turn of this text makes. */
async function rehearseTurn(text: string): Promise<ModelAnswer[]> {
  const answers: ModelAnswer[] = []
  do answers.push(await rehearse(context, callOf(text, answers.length)))
  while (answers.at(-1)?.more)
  return answers
}

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
    expect(error.kind === "rejected" ? "MODEL_REJECTED" : error.code).toBe(failed[1])
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

test("usage never passes the bounds of the hold, whatever the text", async () => {
  await fc.assert(
    fc.asyncProperty(fc.string({ unit: "binary" }), fc.integer({ min: 1, max: 50 }), async (text, maxOutputTokens) => {
      const call = { ...callOf(text.replaceAll("[", "(")), maxOutputTokens }
      const { usage } = await rehearse(context, call)
      expect(usage.tokensInput).toBeLessThanOrEqual(promptTokenBound(call))
      expect(usage.tokensOutput).toBeLessThanOrEqual(maxOutputTokens)
    }),
    { numRuns: 500 },
  )
})
