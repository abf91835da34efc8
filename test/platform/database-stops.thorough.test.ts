import { afterAll, beforeAll, expect, inject, test } from "vitest"
import { callOfOperation, createEstate, type Estate } from "../harness/estate.ts"
import { v1Operations } from "../harness/operations.ts"
import { expectBooks, expectPromises } from "../harness/promises.ts"
import { createRandom } from "../harness/random.ts"
import { passTime } from "../harness/time.ts"
import { createWorld, type TestClient } from "../harness/world.ts"

/**
 * The promise "no turn stays stuck" (docs/architecture/testing.md) while the database is down: a
 * clear 503, and no data is lost when it returns.
 */

/**
 * A world with its own durable PostgreSQL, which can be stopped (`crash`: without notice) and
 * started again.
 */
async function createFragileWorld() {
  const fragileUrl = inject("fragileUrl")
  const post = async (path: string) => {
    const response = await fetch(`${fragileUrl}${path}`, { method: "POST" })
    if (!response.ok) throw new Error(await response.text())
    return (await response.json()) as { stackUrl: string; place: number }
  }
  const { stackUrl, place } = await post("/")
  const world = await createWorld({ stackUrl })
  const act = (name: string) => async () => void (await post(`/${place}/${name}`))
  return { ...world, postgres: { stop: act("stop"), crash: act("crash"), start: act("start") } }
}

let world: Awaited<ReturnType<typeof createFragileWorld>>
let estate: Estate
beforeAll(async () => {
  world = await createFragileWorld()
  world.serve("*", () => new Response("ok"))
  estate = await createEstate(world)
  await world.drain()
})
afterAll(() => world.close())

async function expectUnavailable(response: Response, what: string) {
  const answer = (await response.json()) as { error?: object; code?: string }
  expect([response.status, answer.error ?? answer], what).toEqual([
    503,
    expect.objectContaining({ code: "UNAVAILABLE" }),
  ])
  expect(response.headers.get("retry-after"), what).toMatch(/^[1-9]\d*$/)
}

test("Every operation answers 503 with Retry-After while the database is stopped, and works again afterwards", async () => {
  const browser = await world.signIn(estate.client.userId)
  await world.postgres.stop()
  // Readiness caches an answer for a second.
  await world.advance(1_000)
  const { operations } = v1Operations()
  for (const operation of operations) {
    const { method, path, body, headers } = callOfOperation(operation, estate)
    // Operations that do not use the database answer without it, and a watch without a token is refused without it.
    if (path.endsWith("openapi.json") || ["getHealth", "watchTurn"].includes(operation.id)) continue
    // A request that runs its turn looks for some seconds for a turn whose answer may be lost.
    const answer = passTime(world, estate.client.call(method, path, body, headers))
    await expectUnavailable(await answer, operation.id)
  }
  for (const path of ["me", "balance", "ledger", "keys", "spaces", "turns"]) {
    await expectUnavailable(await browser.call("GET", `/api/account/${path}`), path)
  }
  await expectUnavailable(await browser.call("POST", "/api/account/keys", { name: "k" }), "createKey")
  // The cron trigger reports a failed run and works again a minute later.
  await world.sweep()
  await world.postgres.start()
  expect((await estate.client.call("GET", "/v1/me")).status).toBe(200)
  expect((await browser.call("GET", "/api/account/me")).status).toBe(200)
})

test("A wrong key is still a 401, since that check needs no database", async () => {
  await world.postgres.stop()
  const stranger = world.createClient(1, "turnpike_live_nothing")
  expect((await stranger.call("GET", "/v1/me")).status).toBe(401)
  await world.postgres.start()
})

const ROUNDS = 3

test(`A stop or crash during a load loses no turn, in ${ROUNDS} seeded rounds`, async () => {
  const random = createRandom("the database stops")
  const client = await world.createAccount({ usd: 50 })
  await world.sql("update api_keys set daily_credit_micros = 400000000 where user_id = $1", [client.userId])
  const space = await client.space()
  let refused = 0
  const sent = new Map<string, string>()
  for (let round = 0; round < ROUNDS; round++) {
    const keys = Array.from({ length: 40 }, (_, n) => `round ${round}, turn ${n}`)
    const stopped = Promise.withResolvers<void>()
    const answers = keys.map(async (key, n) => {
      // The last request arrives after the stop.
      await (n === keys.length - 1 ? stopped.promise : jitter(random.int(40)))
      const response = await send(client, space, { key, n })
      if (response.status === 202) return note(sent, key, response)
      refused++
      return expectUnavailable(response, key)
    })
    const runs = world.drain().catch(() => 0)
    await jitter(20 + random.int(20))
    await (random.int(2) ? world.postgres.stop() : world.postgres.crash())
    stopped.resolve()
    await Promise.all(answers)
    // Commits are retried for some seconds.
    await passTime(world, runs)
    await world.postgres.start()
    await expectBooks(world, client.userId)

    // Each client repeats requests without an answer, with the same key.
    await Promise.all(keys.map(async (key, n) => note(sent, key, await send(client, space, { key, n }))))
    for (let tries = 0; (await openTurns(client)) > 0; tries++) {
      expect(tries, "no turn is stuck").toBeLessThan(40)
      await world.advance(20_000)
      await world.drain()
      await world.sweep()
    }
  }
  console.log(`${sent.size} turns, ${refused} answers of 503, seed ${random.seed}`)
  expect(refused).toBeGreaterThan(0)
  const turns = await expectPromises(world, client.userId)
  expect(turns).toHaveLength(40 * ROUNDS)
  expect(new Set(turns.map(({ turn_id }) => turn_id))).toEqual(new Set(sent.values()))
  expect(turns.filter(({ state }) => state === "done")).toHaveLength(40 * ROUNDS)
})

/** Asserts that a turn that was answered with 202 never changes. */
async function note(sent: Map<string, string>, key: string, response: Response) {
  expect(response.status, key).toBe(202)
  const { turn_id } = (await response.json()) as { turn_id: string }
  expect(sent.get(key) ?? turn_id, key).toBe(turn_id)
  sent.set(key, turn_id)
}

const send = (client: TestClient, space: string, { key, n }: { key: string; n: number }) =>
  client.sendTurn({ space, end_user_ref: `customer-${n % 7}` }, key)

async function openTurns({ userId }: TestClient): Promise<number> {
  return (await world.sql("select 1 from turns where user_id = $1 and finished_at is null", [userId])).length
}

/** Lets other work run first, for this many round trips of another service. */
async function jitter(trips: number): Promise<void> {
  for (let trip = 0; trip < trips; trip++) await world.qstash.pending()
}
