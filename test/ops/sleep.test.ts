import { beforeEach, describe, expect, test } from "vitest"
import { SLEEP_POLICY } from "../../src/platform/cron-state.ts"
import type { Health } from "../../src/system/get-health.ts"
import { cronOf, isAsleep, MINUTE_MS } from "../harness/cron.ts"
import { untilCalled } from "../harness/locks.ts"
import { redisOf } from "../harness/redis.ts"
import { createWorld, type TestClient, turnOf, type World } from "../harness/world.ts"

const HEALTH_TOKEN = "token-of-the-monitor"

let world: World
let client: TestClient
let space: string
beforeEach(async () => {
  world = await createWorld({ env: { SLEEP_WHEN_IDLE: "1", HEALTH_TOKEN } })
  client = await world.createAccount()
  space = await client.space()
  return () => world.close()
})

const minute = () => cronOf(world).minute()
const untilAsleep = () => cronOf(world).untilAsleep()
const untilAwake = () => cronOf(world).untilAwake()

const failing = (service: string) => world.plan([{ service, call: 1, times: 999, action: "fail", when: "before" }])

async function checks(): Promise<[number, Record<string, boolean | null>]> {
  const headers = { Authorization: `Bearer ${HEALTH_TOKEN}` }
  const answer = await world.invoke(new Request("https://api.test/api/health", { headers }))
  const health = (await answer.json()) as Health
  return [answer.status, Object.fromEntries(health.checks.map(({ name, ok }) => [name, ok]))]
}

const FINE = Object.fromEntries(
  [
    "database",
    "queue",
    "redis",
    "cron",
    "sweeps",
    "turns",
    "webhooks",
    "reconciliation",
    "providers",
    "provider_books",
    "settings",
  ].map((name) => [name, true]),
)

describe("An idle service", () => {
  test("In an idle hour the cron sends no statement and no message, and one Redis command a minute", async () => {
    await client.runTurn({ space })
    await world.advance(3 * MINUTE_MS)
    await untilAsleep()
    const hour = { pg: 0, redis: 0, qstash: 0 }
    for (let passed = 0; passed < 60; passed++) {
      const counts = await minute()
      for (const service of ["pg", "redis", "qstash"] as const) hour[service] += counts[service] ?? 0
    }
    expect(hour).toEqual({ pg: 0, redis: 60, qstash: 0 })
  })

  test("It falls asleep two minutes after the last change, once the books are checked", async () => {
    await client.runTurn({ space })
    await minute()
    const minutes = await untilAsleep()
    expect(minutes).toBeLessThan(5)
  })

  test("After the last turn, one reconciliation checks the books, and only one", async () => {
    await untilAsleep()
    await client.runTurn({ space })
    await untilAsleep()
    expect(await untilAwake()).toBeLessThanOrEqual(60)
    expect(await world.sql("select from reconciliations")).toHaveLength(2)
    await untilAsleep()
    expect(await untilAwake()).toBeGreaterThan(115)
  })

  test("It wakes at least every two hours, and sleeps again", async () => {
    await client.runTurn({ space })
    await world.advance(3 * MINUTE_MS)
    await untilAsleep()
    expect(await untilAwake()).toBeGreaterThan(SLEEP_POLICY.longestMs / MINUTE_MS - 5)
    expect(await untilAsleep()).toBeLessThan(5)
  })

  test("A turn that comes to a sleeping service ends with the calls of a busy one and one mark more", async () => {
    const callsOfTurn = async () => {
      await world.settled()
      await world.plan([])
      const { turn_id } = await turnOf(await client.sendTurn({ space, conversation: crypto.randomUUID() }))
      await world.drain()
      await world.settled()
      const calls = await world.plan([])
      expect((await client.getTurn(turn_id)).state).toBe("done")
      return calls.map(({ service, label }) =>
        service === "redis" ? "mark" : `${service} ${label.replace(/rnr_\w+|msg_\w+/g, "")}`,
      )
    }
    await callsOfTurn()
    const busy = await callsOfTurn()
    await untilAsleep()
    const woken = await callsOfTurn()
    expect(busy.filter((call) => call === "mark")).toEqual([])
    // The accept and the runner are two workers, and each marks once.
    expect(woken.filter((call) => call === "mark")).toHaveLength(2)
    expect(woken.filter((call) => call !== "mark")).toEqual(busy)
    expect(isAsleep(await minute())).toBe(false)
  })

  test("Reading does not wake it, and a change wakes it within a minute", async () => {
    await untilAsleep()
    expect((await client.call("GET", "/v1/me")).status).toBe(200)
    expect(isAsleep(await minute())).toBe(true)
    expect((await client.call("POST", "/v1/spaces", { title: "Another" })).status).toBe(201)
    expect(isAsleep(await minute())).toBe(false)
  })
})

describe("Nothing is lost", () => {
  /** A turn whose message to the queue is lost: only the cron can call a runner. */
  async function sendLost(): Promise<string> {
    await failing("qstash")
    const { turn_id } = await turnOf(await client.sendTurn({ space }))
    await world.settled()
    await world.clearFaults()
    return turn_id
  }

  test("A turn whose message was lost is found within a minute, although the service slept", async () => {
    await untilAsleep()
    const turn = await sendLost()
    expect(isAsleep(await minute())).toBe(false)
    await world.drain()
    expect((await client.getTurn(turn)).state).toBe("done")
  })

  test("A turn that is accepted after the last look at the database keeps the cron awake", async () => {
    await world.plan([{ service: "pg", match: "due_work", call: 1, action: "hold", when: "after" }])
    let swept: Promise<void>
    do {
      await world.advance(MINUTE_MS)
      swept = world.sweep()
      await untilCalled(world, { match: "due_work", request: swept })
    } while (!(await world.calls()).some(({ label }) => label.includes("due_work")))
    // The cron has looked, and found nothing. Its answer is held.
    expect(await world.isCalm(60_000)).toBe(true)
    const { turn_id } = await turnOf(await client.sendTurn({ space }))
    await world.settled()
    await world.qstash.reset()
    await world.clearFaults()
    await swept
    expect(isAsleep(await minute())).toBe(false)
    await world.drain()
    expect((await client.getTurn(turn_id)).state).toBe("done")
  })

  test("A change whose mark is lost waits until the end of the sleep, at most two hours", async () => {
    await untilAsleep()
    await world.sql(
      "insert into subscriptions (user_id, plan, starts_at, created_at, updated_at) values ($1, 'trial', $2, $2, $2)",
      [client.userId, world.clock.now()],
    )
    const credited = () => world.sql("select from subscriptions where credited_periods > 0")
    expect(await untilAwake()).toBeLessThanOrEqual(SLEEP_POLICY.longestMs / MINUTE_MS)
    expect(await credited()).toHaveLength(1)
  })

  test("Without Redis the cron is awake, and after a loss of its data it starts again", async () => {
    await untilAsleep()
    await world.advance(MINUTE_MS)
    await failing("redis")
    await world.sweep()
    expect((await world.calls()).filter(({ service }) => service === "pg").length).toBeGreaterThan(20)
    await world.clearFaults()
    expect(isAsleep(await minute())).toBe(true)
    await redisOf(world).flush()
    expect(isAsleep(await minute())).toBe(false)
    expect(await untilAsleep()).toBeLessThan(5)
  })

  test("A request is answered while Redis does not take its mark", async () => {
    await untilAsleep()
    await failing("redis")
    expect((await client.sendTurn({ space })).status).toBe(202)
    await world.settled()
    await world.clearFaults()
    // The delivery of the turn's message marks, too.
    await world.drain()
    expect(isAsleep(await minute())).toBe(false)
  })
})

describe("Health", () => {
  test("A sleeping service passes every check without a statement", async () => {
    await untilAsleep()
    for (let passed = 0; passed < 30; passed++) await minute()
    await world.plan([])
    expect(await checks()).toEqual([200, FINE])
    expect((await world.calls()).map(({ service }) => service).toSorted()).toEqual(["qstash", "redis"])
  })

  test("A cron that stops while it sleeps fails its check after three minutes", async () => {
    await untilAsleep()
    await world.advance(200_000)
    expect(await checks()).toEqual([503, { ...FINE, cron: false }])
    await world.sweep()
    expect(await checks()).toEqual([200, FINE])
  })

  test("Every check passes from the end of the sleep to the next run of the cron, and after it", async () => {
    await untilAsleep()
    for (let passed = 0; passed < 100; passed++) await minute()
    expect((await client.call("POST", "/v1/spaces", { title: "Another" })).status).toBe(201)
    await world.settled()
    expect(await checks()).toEqual([200, FINE])
    await minute()
    expect(await checks()).toEqual([200, FINE])
  })

  test("A service that fails a check does not sleep", async () => {
    await minute()
    await world.sql("update reconciliations set findings = 1")
    for (let passed = 0; passed < 6; passed++) expect(isAsleep(await minute())).toBe(false)
  })
})
