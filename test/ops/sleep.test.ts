import { beforeEach, describe, expect, test } from "vitest"
import { SLEEP_POLICY } from "../../src/platform/cron-state.ts"
import type { Health } from "../../src/system/get-health.ts"
import { untilCalled } from "../harness/locks.ts"
import { makeWebhook, serveReceiver } from "../harness/receiver.ts"
import { redisOf } from "../harness/redis.ts"
import { createWorld, type TestClient, turnOf, type World } from "../harness/world.ts"

const HEALTH_TOKEN = "token-of-the-monitor"
const MINUTE = 60_000

let world: World
let client: TestClient
let space: string
beforeEach(async () => {
  world = await createWorld({ env: { SLEEP_WHEN_IDLE: "1", HEALTH_TOKEN } })
  client = await world.createAccount()
  space = await client.space()
  return () => world.close()
})

/** Lets a minute pass and the cron run. Returns its calls, by service. */
async function minute(): Promise<Record<string, number>> {
  await world.advance(MINUTE)
  await world.settled()
  await world.plan([])
  await world.sweep()
  await world.settled()
  const counts: Record<string, number> = { pg: 0, redis: 0, qstash: 0 }
  for (const { service } of await world.plan([])) counts[service] = (counts[service] ?? 0) + 1
  return counts
}

const isAsleep = ({ pg }: Record<string, number>) => pg === 0

/** Lets minutes pass until the cron sleeps. Returns their number. */
async function untilAsleep(): Promise<number> {
  for (let minutes = 1; minutes <= 20; minutes++) if (isAsleep(await minute())) return minutes
  throw new Error("the cron does not fall asleep")
}

/** Counts the minutes until the cron is awake again, up to `most`. */
async function untilAwake(most = 200): Promise<number> {
  for (let minutes = 1; minutes <= most; minutes++) if (!isAsleep(await minute())) return minutes
  throw new Error("the cron does not wake up")
}

const failing = (service: string) => world.plan([{ service, call: 1, times: 999, action: "fail", when: "before" }])

async function checks(): Promise<[number, Record<string, boolean | null>]> {
  const headers = { Authorization: `Bearer ${HEALTH_TOKEN}` }
  const answer = await world.invoke(new Request("https://api.test/api/health", { headers }))
  const health = (await answer.json()) as Health
  return [answer.status, Object.fromEntries(health.checks.map(({ name, ok }) => [name, ok]))]
}

const FINE = Object.fromEntries(
  ["database", "queue", "cron", "sweeps", "turns", "webhooks", "reconciliation", "providers"].map((name) => [
    name,
    true,
  ]),
)

describe("An idle service", () => {
  test("In an idle hour the cron sends no statement and no message, and one Redis command a minute", async () => {
    await client.runTurn({ space })
    await world.advance(3 * MINUTE)
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
    await world.advance(3 * MINUTE)
    await untilAsleep()
    expect(await untilAwake()).toBeGreaterThan(SLEEP_POLICY.longestMs / MINUTE - 5)
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
      await world.advance(MINUTE)
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
    expect(await untilAwake()).toBeLessThanOrEqual(SLEEP_POLICY.longestMs / MINUTE)
    expect(await credited()).toHaveLength(1)
  })

  test("Without Redis the cron is awake, and after a loss of its data it starts again", async () => {
    await untilAsleep()
    await world.advance(MINUTE)
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

describe("Work that falls due later wakes the service in time", () => {
  test("The retry of a webhook", async () => {
    const receiver = serveReceiver(world, () => new Response(null, { status: 500 }))
    await makeWebhook(client, { url: receiver.url, events: ["turn.done"] })
    await client.runTurn({ space })
    for (let passed = 0; passed < 20 && !isAsleep(await minute()); passed++) await world.drain()
    const [next] = await world.sql<{ at: Date }>("select min(next_attempt_at) as at from webhook_deliveries")
    const before = receiver.received.length
    expect(await untilAwake()).toBeGreaterThan(10)
    await world.drain()
    expect(receiver.received).toHaveLength(before + 1)
    expect(world.clock.ms() - new Date(next?.at ?? 0).getTime()).toBeLessThan(MINUTE)
  })

  const IN_45_MINUTES: [what: string, plant: (moment: Date) => Promise<unknown>, done: string][] = [
    [
      "The next period of a subscription",
      (moment) =>
        world.sql(
          `insert into subscriptions (user_id, plan, starts_at, created_at, updated_at, credited_periods)
            values ($1, 'trial', $2::timestamptz - interval '1 month', $2, $2, 1)`,
          [client.userId, moment],
        ),
      "select from subscriptions where credited_periods = 2",
    ],
    [
      "An upload that was never finished",
      (moment) =>
        world.sql(
          `insert into files (file_id, user_id, space_id, test, name, media_type, object_key, state, created_at, updated_at)
            select 'file_planted', user_id, space_id, false, 'a', 'text/plain', 'planted', 'uploading', $1::timestamptz - interval '1 hour', $1
              from spaces`,
          [moment],
        ),
      "select from files where state = 'deleted'",
    ],
    [
      "The second search of an erasure",
      (moment) =>
        world.sql(
          `insert into erasures (erasure_id, user_id, test, end_user_ref, until_at, requested_at, erased_at, tried_at)
            values ('era_planted', $1, false, 'jane', $2, $2, $2::timestamptz - interval '10 minutes', $2)`,
          [client.userId, moment],
        ),
      "select from erasures where checked_at is not null",
    ],
    [
      "The end of a login at a provider",
      (moment) =>
        world.sql(
          `insert into provider_logins (login_id, pool, started_by, state, sealed, due_at, expires_at, created_at, updated_at)
            values ('plg_planted', 'media', $1, 'polling', 'sealed', $2, $2, $2, $2)`,
          [client.userId, moment],
        ),
      "select from provider_logins where state = 'expired'",
    ],
  ]

  test.each(IN_45_MINUTES)("%s", async (_what, plant, done) => {
    const moment = new Date(world.clock.ms() + 45 * MINUTE)
    await plant(moment)
    await untilAsleep()
    expect(await world.sql(done)).toEqual([])
    expect(await untilAwake()).toBeGreaterThan(35)
    expect(world.clock.ms() - moment.getTime()).toBeLessThan(MINUTE)
    expect(await world.sql(done)).toHaveLength(1)
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
