import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from "vitest"
import { TurnpikeError } from "../../src/base/errors.ts"
import { callCallbacksWorker } from "../../src/callbacks/internal-call.ts"
import { configuredModels } from "../../src/ops/models.ts"
import { Meter } from "../../src/platform/meter.ts"
import { createRedis } from "../../src/platform/redis.ts"
import { TIME_LIMITS } from "../../src/platform/time-limits.ts"
import { RUNNERS_PATH } from "../../src/turns/call-runner.ts"
import { contextOf } from "../harness/context.ts"
import { createWorld, turnOf, type World } from "../harness/world.ts"

// Every wait of a worker has a limit. Here each service hangs, and the test controls the machine's timers.

let world: World
beforeAll(async () => {
  world = await createWorld()
})
afterAll(() => world.close())
beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] })
  vi.spyOn(AbortSignal, "timeout").mockImplementation((ms) => {
    const over = new AbortController()
    setTimeout(() => over.abort(new DOMException("The operation timed out.", "TimeoutError")), ms)
    return over.signal
  })
})
afterEach(async () => {
  vi.useRealTimers()
  vi.restoreAllMocks()
  world.rebind({ FILES: world.bucket })
  await world.clearFaults()
})

/** Makes every call of a service wait until the faults are cleared. */
const hang = (service: string, match?: string) =>
  world.plan([{ service, call: 1, times: 1e6, action: "hold", when: "before", ...(match && { match }) }])

async function asked(service: string): Promise<number> {
  return (await world.calls()).filter((call) => call.service === service).length
}

/**
 * Asserts that `work` is abandoned after exactly `ms`, and returns its outcome. `begun` tells
 * whether the wait has started.
 */
async function givenUpAfter<T>(ms: number, work: Promise<T>, begun: () => Promise<boolean>): Promise<T> {
  let over = false
  const ended = () => {
    over = true
  }
  work.then(ended, ended)
  while (!(await begun())) await world.sql("select 1")
  vi.advanceTimersByTime(ms - 1)
  await world.sql("select 1")
  expect(over, "not before").toBe(false)
  vi.advanceTimersByTime(1)
  return work
}

async function expectUnavailable(response: Response) {
  expect([response.status, await response.json()]).toMatchObject([503, { error: { code: "UNAVAILABLE" } }])
  expect(response.headers.get("retry-after")).toMatch(/^[1-9]\d*$/)
}

const failureOf = (work: Promise<unknown>) =>
  work.then(
    () => expect.unreachable("it came to an answer"),
    (error: unknown) => error,
  )

test("A statement of the database has a time limit", async () => {
  const client = await world.createAccount()
  await hang("pg")
  const answer = client.call("GET", "/v1/me")
  await expectUnavailable(await givenUpAfter(TIME_LIMITS.statementMs, answer, async () => (await asked("pg")) > 0))
})

test("A call of Redis has a time limit", async () => {
  await hang("redis")
  const redis = createRedis(world.env as unknown as Parameters<typeof createRedis>[0], new Meter())
  const failed = failureOf(redis.get("a"))
  const error = await givenUpAfter(TIME_LIMITS.redisMs, failed, async () => (await asked("redis")) > 0)
  expect(error).toBeInstanceOf(TurnpikeError)
  expect(error).toMatchObject({ code: "UNAVAILABLE", retryAfter: 1 })
})

test("A call between two of our workers has a time limit", async () => {
  let sent = false
  const fetch = (_url: unknown, init?: RequestInit) =>
    new Promise<Response>((_answer, reject) => {
      sent = true
      init?.signal?.addEventListener("abort", () => reject(init.signal?.reason))
    })
  const ctx = contextOf(world, { fetch })
  const failed = failureOf(callCallbacksWorker(ctx, "/callbacks/internal/try", {}))
  expect(await givenUpAfter(TIME_LIMITS.workerMs, failed, async () => sent)).toMatchObject({ code: "UNAVAILABLE" })
})

test("The list of a provider's models for the seed has a time limit", async () => {
  await hang("redis")
  const failed = failureOf(configuredModels({ OPENAI_BASE_URL: world.env.UPSTASH_REDIS_REST_URL }))
  const error = await givenUpAfter(TIME_LIMITS.modelListMs, failed, async () => (await asked("redis")) > 0)
  expect(error).toMatchObject({ message: expect.stringContaining("does not respond") })
})

test("A call of the bucket has a time limit: for a file that is read, stored, removed or shown to an agent", async () => {
  const client = await world.createAccount()
  const space = await client.space()
  const upload = (name: string) => {
    const headers = { authorization: `Bearer ${client.key}`, "content-type": "text/plain" }
    const url = `https://api.test/v1/spaces/${space}/files?name=${name}`
    return world.invoke(new Request(url, { method: "POST", body: "some text", headers }))
  }
  const stored = await upload("a.txt")
  expect(stored.status).toBe(201)
  const { file_id: fileId } = (await stored.json()) as { file_id: string }

  let waiting = 0
  const never = () => {
    waiting++
    return new Promise<never>(() => {})
  }
  world.rebind({ FILES: { get: never, put: never, delete: never, list: never, createMultipartUpload: never } })
  const bounded = async <T>(work: Promise<T>, calls = 1) => {
    for (let call = 1; call < calls; call++) {
      while (waiting < call) await world.sql("select 1")
      vi.advanceTimersByTime(TIME_LIMITS.objectMs)
    }
    const answer = await givenUpAfter(TIME_LIMITS.objectMs, work, async () => waiting >= calls)
    waiting = 0
    return answer
  }
  await expectUnavailable(await bounded(client.call("GET", `/v1/files/${fileId}/content`)))
  // A file that it may have stored is removed before it answers.
  await expectUnavailable(await bounded(upload("b.txt"), 2))

  const sent = await turnOf(await client.sendTurn({ space, files: [fileId] }))
  await world.settled()
  const [delivery] = await world.qstash.due()
  if (!delivery) throw new Error("the turn was not published")
  // The turn is released and continues when the bucket works again.
  const answer = await bounded(world.deliver(delivery))
  expect(await answer.json()).toEqual({ turns: { broke: 1 } })
  await world.qstash.answer({ delivery_id: delivery.delivery_id, status: answer.status })
  vi.useRealTimers()
  world.rebind({ FILES: world.bucket })
  await world.advance(60_000)
  await world.sweep()
  await world.drain()
  expect((await client.getTurn(sent.turn_id)).state).toBe("done")
})

test("A publish has a time limit, and afterwards the invocation publishes nothing for a while", async () => {
  const { queue } = contextOf(world)
  await hang("qstash")
  const publish = () => failureOf(queue.publish({ path: RUNNERS_PATH, flow: null }))
  await givenUpAfter(TIME_LIMITS.publishMs, publish(), async () => (await asked("qstash")) === 1)
  await publish()
  await world.advance(TIME_LIMITS.publishRestMs - 1)
  await publish()
  expect(await asked("qstash")).toBe(1)
  await world.clearFaults()
  await world.advance(1)
  await queue.publish({ path: RUNNERS_PATH, flow: null })
})

test("A run of the sweeper waits for one publish of each sweep, however many turns are due", async () => {
  const client = await world.createAccount()
  const space = await client.space()
  for (let n = 0; n < 30; n++) await client.sendTurn({ space, end_user_ref: `customer-${n}` })
  await world.settled()
  await world.qstash.reset()
  await world.advance(120_000)
  await hang("qstash")
  const swept = world.sweep()
  await givenUpAfter(TIME_LIMITS.publishMs, swept, async () => (await asked("qstash")) >= 1)
  // One runner for all due turns, and the wake of another sweep.
  expect(await asked("qstash")).toBeLessThanOrEqual(2)
  await world.clearFaults()
  await world.advance(60_000)
  await world.sweep()
  await world.drain()
  expect(await world.sql("select distinct state from turns where user_id = $1", [client.userId])).toEqual([
    { state: "done" },
  ])
})
