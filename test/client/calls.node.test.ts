import { expect, test, vi } from "vitest"
import { AuthenticationError, Turnpike, ValidationError, type WorkOptions } from "../../client/src/index.ts"
import { errorResponse, jumpingClock } from "../harness/terminal.ts"

type Handler = Parameters<Turnpike["calls"]["work"]>[0]

const taken = (call: string) =>
  Response.json({ data: [{ turn_id: "turn_1", call, space: "spc_1", tool: "pick", input: {}, takes: 1 }] })

interface Service {
  /** The calls to take, each of them once. After them, a request for calls waits until it is aborted. */
  calls: string[]
  /** The responses to results, in order. Later ones are accepted. */
  answers?: Response[]
  /** The response to a request for calls, instead of a call. */
  refuse?: () => Response
}

/** A client whose service has these calls. `work` ends when all of them are finished. */
function serving({ calls, answers = [], refuse }: Service) {
  const stopping = new AbortController()
  const sent: unknown[] = []
  const keys = new Set<string>()
  let open = calls.length
  const takes: AbortSignal[] = []
  const fetch = async (url: string, init: RequestInit) => {
    const signal = init.signal as AbortSignal
    if (new URL(url).pathname === "/v1/calls") {
      takes.push(signal)
      if (refuse) return refuse()
      const call = calls.shift()
      if (call !== undefined) return taken(call)
      if (open === 0) stopping.abort()
      return new Promise<Response>((_resolve, reject) => {
        if (signal.aborted) reject(signal.reason)
        signal.addEventListener("abort", () => reject(signal.reason))
      })
    }
    sent.push(JSON.parse(init.body as string))
    keys.add((init.headers as Record<string, string>)["idempotency-key"] as string)
    return answers.shift() ?? Response.json({ turn_id: "turn_1", state: "running" })
  }
  const options = { apiKey: "turnpike_test_x", baseUrl: "https://api.test", fetch, runtime: jumpingClock() }
  const turnpike = new Turnpike(options)
  const errors: unknown[] = []
  const onError = (error: unknown) => {
    errors.push(error)
    stopping.abort()
  }
  const work = (handler: Handler, more: WorkOptions = {}) =>
    turnpike.calls.work(
      (call) => {
        open--
        return handler(call)
      },
      { signal: stopping.signal, onError, ...more },
    )
  return { work, sent, keys, errors, takes, stopping }
}

const circular: { self?: unknown } = {}
circular.self = circular
const throwing = (error: unknown) => () => {
  throw error
}

test.each<[string, Handler, unknown]>([
  ["nothing", () => undefined, { output: null }],
  ["an object", () => ({ at: new Date(0) }), { output: { at: "1970-01-01T00:00:00.000Z" } }],
  ["a big integer", () => 1n, { error: expect.stringMatching(/BigInt/) }],
  ["a circle", () => circular, { error: expect.stringMatching(/circular/) }],
  ["a function", () => () => {}, { error: expect.stringMatching(/not JSON/) }],
  ["a symbol", () => Symbol("x"), { error: expect.stringMatching(/not JSON/) }],
  ["an error without a message", throwing(new RangeError("")), { error: "RangeError" }],
  ["an error with a long message", throwing(new Error("x".repeat(5_000))), { error: "x".repeat(2_000) }],
  ["an error that is cut in a character", throwing(new Error(`${"x".repeat(1_999)}😀`)), { error: "x".repeat(1_999) }],
  ["a rejected promise", () => Promise.reject("gone"), { error: "gone" }],
  ["an empty text that is thrown", throwing(""), { error: "The handler failed." }],
  ["an object without a text that is thrown", throwing(Object.create(null)), { error: "The handler failed." }],
])("A handler's result that is %s is sent once, in a form that the service accepts", async (_name, handler, body) => {
  const { work, sent, errors } = serving({ calls: ["0.0"] })
  await work(handler)
  expect({ sent, errors }).toEqual({ sent: [body], errors: [] })
})

test.each<[number, string]>([
  [413, "PAYLOAD_TOO_LARGE"],
  [422, "VALIDATION_FAILED"],
])("A result that the service rejects with %i is replaced by an error that the agent reads", async (status, code) => {
  const { work, sent, keys, errors } = serving({ calls: ["0.0"], answers: [errorResponse(status, code)] })
  await work(() => "large")
  expect({ sent, errors }).toEqual({ sent: [{ output: "large" }, { error: "It is so." }], errors: [] })
  expect(keys.size).toBe(2)
})

test("A result is replaced once, and a second rejection is reported", async () => {
  const answers = [errorResponse(422, "VALIDATION_FAILED"), errorResponse(422, "VALIDATION_FAILED")]
  const { work, sent, errors } = serving({ calls: ["0.0"], answers })
  await work(() => "wrong")
  expect(sent).toHaveLength(2)
  expect(errors).toEqual([expect.any(ValidationError)])
})

test.each<[string, WorkOptions]>([
  ["concurrency", { concurrency: 0 }],
  ["concurrency", { concurrency: 1.5 }],
  ["maxRetries", { maxRetries: -1 }],
  ["timeoutMs", { timeoutMs: 0 }],
])("A wrong %s is refused before any request: %j", async (name, options) => {
  const { work, takes } = serving({ calls: [] })
  await expect(work(() => null, options)).rejects.toThrow(`Turnpike: ${name} must be a whole number`)
  expect(takes).toHaveLength(0)
})

test("An error is reported on the console unless the caller takes it", async () => {
  const refusals: Response[] = [errorResponse(401, "INVALID_API_KEY")]
  const { work, stopping } = serving({
    calls: [],
    refuse() {
      const response = refusals.shift()
      if (!response) stopping.abort()
      return response ?? Response.json({ data: [] })
    },
  })
  const warn = vi.spyOn(console, "warn").mockImplementation(() => {})
  try {
    await work(() => null, { onError: undefined })
    expect(warn).toHaveBeenCalledExactlyOnceWith(expect.stringMatching(/calls\.work/), expect.any(AuthenticationError))
  } finally {
    warn.mockRestore()
  }
})

test("An error of onError ends the work after the handlers that run, and no loop takes another call", async () => {
  let finish = () => {}
  const finished = new Promise<void>((resolve) => {
    finish = resolve
  })
  let onReported = () => {}
  const reported = new Promise<void>((resolve) => {
    onReported = resolve
  })
  const { work, sent, takes } = serving({
    calls: [],
    // The first loop gets a call; the second one is refused when the handler runs.
    refuse: () => (takes.length === 1 ? taken("0.0") : errorResponse(401, "INVALID_API_KEY")),
  })
  let ended = false
  const working = work(() => finished.then(() => "finished"), {
    concurrency: 2,
    onError() {
      onReported()
      throw new Error("stop here")
    },
  }).finally(() => {
    ended = true
  })
  await reported
  await new Promise(setImmediate)
  expect(ended).toBe(false)
  finish()
  await expect(working).rejects.toThrow("stop here")
  expect(sent).toEqual([{ output: "finished" }])
  expect(takes).toHaveLength(2)
})
