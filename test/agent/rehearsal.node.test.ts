import { Worker } from "node:worker_threads"
import fc from "fast-check"
import { expect, test } from "vitest"
import type { EngineContext, Message, ModelCall, ModelError } from "../../src/agent/engine.ts"
import { likelyTokens, promptTokenBound } from "../../src/agent/estimate.ts"
import { rehearse } from "../../src/agent/rehearsal.ts"

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

test("A failure with a limit of N times stops after N times", async () => {
  const text = "[fail MODEL_UNAVAILABLE times=2]"
  await expect(rehearse(context, callOf(text, 0, 0))).rejects.toMatchObject({ kind: "unavailable" })
  await expect(rehearse(context, callOf(text, 0, 1))).rejects.toMatchObject({ kind: "unavailable" })
  await expect(rehearse(context, callOf(text, 0, 2))).resolves.toMatchObject({ finish: "stop" })
})

test("Thinking takes time on the context's clock, and an abort ends it", async () => {
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
  "The error for the wrong directive %s names it",
  async (line) => {
    const error = await rehearse(context, callOf(`hello\n${line}`)).catch((thrown: unknown) => thrown)
    expect(error).toMatchObject({ kind: "failed", code: "REHEARSAL_SYNTAX" })
    expect((error as ModelError).message).toContain(line)
  },
)

test("Usage never exceeds the bounds of the hold, whatever the text", async () => {
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

const LONG_LINES = `
import { parseScript } from "${new URL("../../src/agent/rehearsal-script.ts", import.meta.url)}"
import { parentPort } from "node:worker_threads"
const spaces = " ".repeat(5_000_000)
for (const line of ["[a" + spaces, "[think 1" + spaces + "x]", "[reply " + "] ".repeat(2_500_000), spaces + "["]) {
  try {
    parseScript(line)
  } catch {}
}
parentPort.postMessage("read")
`

/** A parser with quadratic time would take hours, on any machine. */
const PATIENCE_MS = 300_000

test("Long lines that are almost directives are parsed in linear time", async () => {
  const worker = new Worker(LONG_LINES, { eval: true, execArgv: ["--input-type=module"] })
  const read = new Promise((done, fail) => worker.once("message", done).once("error", fail))
  let over: NodeJS.Timeout | undefined
  const late = new Promise((done) => {
    over = setTimeout(done, PATIENCE_MS, "not read")
  })
  expect(await Promise.race([read, late])).toBe("read")
  clearTimeout(over)
  await worker.terminate()
})
