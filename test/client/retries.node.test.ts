import { describe, expect, test } from "vitest"
import {
  ConnectionError,
  InsufficientCreditsError,
  QuotaExceededError,
  ServerError,
  TimeoutError,
  Turnpike,
  TurnpikeError,
  type TurnpikeOptions,
} from "../../client/src/index.ts"
import type { Runtime } from "../../client/src/runtime.ts"

type Step = { status: number; body?: unknown; headers?: Record<string, string> } | "lost" | "silent"

const answer = (code: string, status: number, headers: Record<string, string> = {}): Step => ({
  status,
  headers,
  body: { error: { code, message: `because of ${code}`, retryable: status >= 429, request_id: "req_1" } },
})
const DONE: Step = { status: 200, body: { turn_id: "turn_1", state: "done" } }

/** A client against scripted answers, on a clock that jumps over every wait. */
function scripted(steps: Step[], options: TurnpikeOptions = {}) {
  const requests: { method: string; url: string; headers: Record<string, string>; body: unknown }[] = []
  const waits: number[] = []
  let now = Date.UTC(2026, 0, 15)
  const silences = new Set<() => void>()
  const runtime: Runtime = {
    now: () => now,
    random: () => 0.5,
    after(ms, done) {
      // The timeout of an attempt fires only if the script says that no answer comes.
      if (ms === 60_000) {
        silences.add(done)
        return () => silences.delete(done)
      }
      waits.push(ms)
      now += ms
      queueMicrotask(done)
      return () => {}
    },
  }
  const turnpike = new Turnpike({
    apiKey: "turnpike_test_x",
    baseUrl: "https://api.test",
    runtime,
    ...options,
    async fetch(url, init) {
      const headers = init.headers as Record<string, string>
      requests.push({ method: init.method ?? "", url, headers, body: init.body })
      const step = steps[Math.min(requests.length, steps.length) - 1] ?? "lost"
      if (step === "lost") throw new TypeError("fetch failed")
      if (step === "silent") {
        queueMicrotask(() => {
          for (const done of silences) done()
        })
        return new Promise((_resolve, reject) =>
          init.signal?.addEventListener("abort", () => reject(init.signal?.reason)),
        )
      }
      const body = typeof step.body === "string" ? step.body : JSON.stringify(step.body ?? {})
      return new Response(body, { status: step.status, headers: { "x-request-id": "req_1", ...step.headers } })
    },
  })
  return { turnpike, requests, waits }
}

const TURN = { space: "spc_1", end_user_ref: "customer-1", text: "hello" }

describe("A request is sent again", () => {
  const transient: Step[] = [
    "lost",
    "silent",
    answer("INTERNAL", 500),
    { status: 502, body: "<h1>Bad gateway</h1>" },
    answer("UNAVAILABLE", 503),
    { status: 504 },
    { status: 408 },
    answer("IDEMPOTENCY_IN_FLIGHT", 409),
    answer("QUOTA_EXCEEDED", 429, { "retry-after": "2" }),
    answer("QUOTA_EXCEEDED", 429, { "retry-after": "30" }),
    { status: 429, body: "Too many requests" },
  ]
  test.each(transient)("A request is sent again with the same Idempotency-Key after %j", async (step) => {
    const { turnpike, requests } = scripted([step, step, DONE])
    expect((await turnpike.turns.create(TURN)).turn_id).toBe("turn_1")
    expect(requests).toHaveLength(3)
    expect(new Set(requests.map(({ headers }) => headers["idempotency-key"])).size).toBe(1)
    expect(new Set(requests.map(({ body }) => body)).size).toBe(1)
  })

  test("A request is sent again at doubling intervals and a limited number of times", async () => {
    const { turnpike, requests, waits } = scripted([answer("INTERNAL", 500)], { maxRetries: 6 })
    await expect(turnpike.turns.get("turn_1")).rejects.toBeInstanceOf(ServerError)
    expect(requests).toHaveLength(7)
    expect(waits).toEqual([375, 750, 1500, 3000, 6000, 6000])
  })

  test("A request is sent again when the service says, in seconds or by a date", async () => {
    const date = new Date(Date.UTC(2026, 0, 15) + 20_000).toUTCString()
    const { turnpike, waits } = scripted([
      answer("UNAVAILABLE", 503, { "retry-after": date }),
      answer("UNAVAILABLE", 503, { "retry-after": "7" }),
      DONE,
    ])
    await turnpike.turns.get("turn_1")
    expect(waits).toEqual([20_000, 7_000])
  })

  test("A short Retry-After is waited for, and a Retry-After of hours is left to the caller", async () => {
    const { turnpike, requests } = scripted([answer("QUOTA_EXCEEDED", 429, { "retry-after": "7200" })])
    const refused = turnpike.turns.create(TURN)
    await expect(refused).rejects.toBeInstanceOf(QuotaExceededError)
    await expect(refused).rejects.toMatchObject({ retryAfter: 7200, code: "QUOTA_EXCEEDED" })
    expect(requests).toHaveLength(1)
    const soon = scripted([
      answer("QUOTA_EXCEEDED", 429, { "retry-after": "30" }),
      answer("QUOTA_EXCEEDED", 429, { "retry-after": "31" }),
    ])
    await expect(soon.turnpike.turns.create(TURN)).rejects.toMatchObject({ retryAfter: 31 })
    expect(soon.waits, "half a minute is waited for, more is not").toEqual([30_000])
  })
})

const CAP = { cap: "key_daily", source: "key", limit_usd: 0, resets_at: "2026-01-16T00:00:00.000Z", exceeded: [] }
const refusal = (status: number, error: object): Step => ({
  status,
  body: { error: { message: "no", retryable: false, request_id: "req_1", ...error } },
})

test("A limit's refusal has its own error class, with all details of the limit", async () => {
  const refused = scripted([refusal(429, { code: "QUOTA_EXCEEDED", details: CAP })]).turnpike.turns.create(TURN)
  const quota = (await refused.catch((error: unknown) => error)) as QuotaExceededError
  expect(quota).toBeInstanceOf(QuotaExceededError)
  expect([quota.details, quota.retryAfter, quota.retryable]).toEqual([CAP, undefined, false])
  const details = { balance_usd: 0.25, held_usd: 0.25, available_usd: 0 }
  const poor = scripted([refusal(402, { code: "INSUFFICIENT_CREDITS", details })]).turnpike.turns.create(TURN)
  await expect(poor).rejects.toBeInstanceOf(InsufficientCreditsError)
  await expect(poor).rejects.toMatchObject({ details })
  // An answer of a proxy, which has no details of caps.
  const foreign = scripted([{ status: 429, body: "slow down" }], { maxRetries: 0 }).turnpike.turns.create(TURN)
  await expect(foreign).rejects.not.toBeInstanceOf(QuotaExceededError)
  await expect(foreign).rejects.toMatchObject({ code: "UNEXPECTED_ANSWER", status: 429, retryable: true })
})

describe("A request is not sent again", () => {
  const final = [
    answer("INVALID_API_KEY", 401),
    answer("INSUFFICIENT_CREDITS", 402),
    refusal(429, { code: "QUOTA_EXCEEDED", details: CAP }),
    answer("SCOPE_DENIED", 403),
    answer("NOT_FOUND", 404),
    answer("CONFLICT", 409),
    answer("VALIDATION_FAILED", 422),
    { status: 301, headers: { location: "https://elsewhere.test/" } },
  ]
  test.each(final)("A request is not sent again after %j", async (step) => {
    const { turnpike, requests } = scripted([step, DONE])
    await expect(turnpike.turns.create(TURN)).rejects.toBeInstanceOf(TurnpikeError)
    expect(requests).toHaveLength(1)
  })

  test("A request is not sent again if its body was a stream", async () => {
    const { turnpike, requests } = scripted(["lost", DONE])
    const upload = turnpike.files.upload("spc_1", { name: "a.txt", data: new Blob(["a"]).stream() })
    await expect(upload).rejects.toBeInstanceOf(ConnectionError)
    expect(requests).toHaveLength(1)
  })

  test("A request is not sent again with maxRetries 0, of the client or of the call", async () => {
    const { turnpike, requests } = scripted(["lost"], { maxRetries: 0 })
    await expect(turnpike.me()).rejects.toBeInstanceOf(ConnectionError)
    const other = scripted(["lost"])
    await expect(other.turnpike.me({ maxRetries: 0 })).rejects.toBeInstanceOf(ConnectionError)
    expect([requests.length, other.requests.length]).toEqual([1, 1])
  })

  test("A request is not sent again with maxRetries 0 when a turn that is run begins to wait", async () => {
    const waiting = { id: "evt_1", seq: 1, type: "turn.waiting", data: {}, created_at: "2026-01-15T00:00:00.000Z" }
    const stream = { status: 200, body: `id: 1\nevent: turn.waiting\ndata: ${JSON.stringify(waiting)}\n\n` }
    const { turnpike, requests } = scripted([DONE, stream, "lost"])
    const run = turnpike.turns.run(TURN, { maxRetries: 0, onWaiting: () => {} })
    await expect(run).rejects.toBeInstanceOf(ConnectionError)
    expect(requests).toHaveLength(3)
  })

  test("A request is not sent again after its signal is aborted, and the reason is thrown", async () => {
    const { turnpike, requests } = scripted(["lost"])
    const reason = new Error("enough")
    await expect(turnpike.me({ signal: AbortSignal.abort(reason) })).rejects.toBe(reason)
    expect(requests).toHaveLength(0)
  })
})

test("A silent server gives a TimeoutError, and a broken connection a ConnectionError with its cause", async () => {
  const late = scripted(["silent"], { maxRetries: 0 }).turnpike.me()
  await expect(late).rejects.toBeInstanceOf(TimeoutError)
  await expect(late).rejects.toMatchObject({ code: "TIMEOUT", retryable: true })
  const lost = scripted(["lost"], { maxRetries: 0 }).turnpike.me()
  await expect(lost).rejects.toMatchObject({ code: "CONNECTION_FAILED", cause: { message: "fetch failed" } })
})

test("An answer that is not JSON names the likely cause", async () => {
  const page = scripted([{ status: 200, body: "<html>" }]).turnpike.me()
  await expect(page).rejects.toMatchObject({ code: "UNEXPECTED_ANSWER", message: expect.stringContaining("baseUrl") })
  const moved = scripted([{ status: 308, headers: { location: "https://new.test/" } }]).turnpike.me()
  await expect(moved).rejects.toMatchObject({ status: 308, message: expect.stringContaining("https://new.test/") })
})

test("A stream whose events are not JSON names the likely cause", async () => {
  const { turnpike, requests } = scripted([{ status: 200, body: "data: <html>\n\n" }])
  const read = turnpike.turns.events("turn_1").next()
  await expect(read).rejects.toMatchObject({ code: "UNEXPECTED_ANSWER", message: expect.stringContaining("baseUrl") })
  expect(requests).toHaveLength(1)
})

test("An id is one segment of the path, whatever characters it contains", async () => {
  const { turnpike, requests } = scripted([DONE])
  await turnpike.turns.get("../me?x=1#y")
  expect(requests[0]?.url).toBe("https://api.test/v1/turns/..%2Fme%3Fx%3D1%23y")
  for (const id of ["", ".", ".."]) expect(() => turnpike.turns.get(id)).toThrow(TypeError)
})

test("A list in a query is a repeated parameter, and undefined values are left out", async () => {
  const { turnpike, requests } = scripted([{ status: 200, body: { data: [], has_more: false, next_cursor: null } }])
  const several = { state: ["done", "failed"], limit: 5, space: undefined } as unknown as { limit: number }
  await turnpike.turns.list(several).page()
  expect(requests[0]?.url).toBe("https://api.test/v1/turns?state=done&state=failed&limit=5")
})

test("A client cannot be made from invalid options", () => {
  const options = { apiKey: "turnpike_live_x", baseUrl: "https://api.test" }
  expect(() => new Turnpike(options)).not.toThrow()
  for (const wrong of [
    { apiKey: "" },
    { apiKey: "a b" },
    { baseUrl: "" },
    { baseUrl: "ftp://x" },
    { maxRetries: -1 },
  ]) {
    expect(() => new Turnpike({ ...options, ...wrong })).toThrow(TypeError)
  }
})

test("Waiting polls until the turn has ended, at moderate intervals", async () => {
  const running: Step = { status: 200, body: { turn_id: "turn_1", state: "running" } }
  const { turnpike, requests, waits } = scripted([running, running, DONE])
  expect((await turnpike.turns.wait("turn_1")).state).toBe("done")
  expect(requests.map(({ url }) => url)).toEqual(Array(3).fill("https://api.test/v1/turns/turn_1?wait=30"))
  expect(waits).toEqual([1000, 1000])
})
