import { afterAll, beforeAll, expect, test } from "vitest"
import { topUp } from "../../src/ops/seed.ts"
import { RELEASE } from "../../src/platform/procedures.ts"
import { REFUSAL_POLICY } from "../../src/platform/refusal-memory.ts"
import type { ReadAnswer } from "../harness/answers.ts"
import { cappedAccount } from "../harness/caps.ts"
import { dumpTables } from "../harness/dump.ts"
import { expectPromises } from "../harness/promises.ts"
import { createRandom, type Random } from "../harness/random.ts"
import { createWorld, type World } from "../harness/world.ts"

let world: World
beforeAll(async () => {
  world = await createWorld()
})
afterAll(() => world.close())

const SITUATIONS = 400
const REFS = ["customer-1", "customer-2", "blocked"]
/** Amounts at which a turn is refused, gets a part of its hold, or gets all of it. */
const AMOUNTS = [...Array(8).fill(null), 0, 0.0000001, 0.000165, 0.001, 0.2, 0.3, 1, 3]

/** The part of the answer to a new turn that its estimate can predict. */
function told({ status, retryAfter, body }: ReadAnswer) {
  const { error, held_usd, model } = body
  if (status === 202) return { admitted: true, held_usd, model }
  const { request_id: _, ...refusal } = error
  return { status, retryAfter, ...refusal }
}

/** The same part, from the estimate. */
function foretold({ status, retryAfter, body }: ReadAnswer) {
  if (status !== 200) {
    const { request_id: _, ...refusal } = body.error
    return { status, retryAfter, ...refusal }
  }
  const { admitted, hold_usd, model, refused_by } = body
  if (admitted) return { admitted, held_usd: hold_usd, model }
  const { retry_after, ...refusal } = refused_by
  const refusedWith = { QUOTA_EXCEEDED: 429, INSUFFICIENT_CREDITS: 402, COST_LIMIT_TOO_LOW: 422 }[
    refusal.code as string
  ]
  const param = refusal.code === "COST_LIMIT_TOO_LOW" && { param: "max_cost_usd" }
  return { status: refusedWith, retryAfter: retry_after, ...refusal, ...param }
}

test(`The estimate equals the turn's answer in ${SITUATIONS} seeded situations`, async () => {
  const random = createRandom("estimates and turns")
  console.log(`estimates: seed ${random.seed}`)
  const caps = { daily_usd: 1, window_usd: 0.4, window_seconds: 3600, end_user_daily_usd: 0.5 }
  const owner = await cappedAccount(world, { usd: 0.5, caps })
  const { browser, client, userId } = owner
  const tester = await owner.addKey({ test: true })
  const narrow = await owner.addKey({ scope: "created" })
  const [free, ...more] = [await owner.addKey(), client, client, client, client, client]
  const clients = [...more, free, free, free, tester, narrow]
  const archived = await client.space()
  await client.call("DELETE", `/v1/spaces/${archived}`)
  // With tools, and with a conversation that grows.
  const furnished = await client.space({ manifest: { instructions: "Be brief. ".repeat(100) } })
  const own = new Map([[tester, await tester.space()]])
  await client.putLimits({ blocked: true }, "blocked")
  const { key } = await client.me()

  const changes: ((random: Random) => Promise<unknown>)[] = [
    () => world.drain(),
    () => world.advance(random.pick([1, 1000, 60_000, 1_800_000, 43_200_000])),
    () => browser.json("PATCH", `/api/account/keys/${key.key_id}`, { caps: capsOf(random) }),
    () => browser.json("PUT", "/api/account/limits", limitsOf(random, "end_user_daily_usd", "end_user_monthly_usd")),
    () => client.putLimits(limitsOf(random, "daily_usd", "monthly_usd"), random.pick(REFS.slice(0, 2))),
    async () => {
      await browser.json("PUT", "/api/account/limits", {})
      for (const ref of REFS.slice(0, 2)) await client.putLimits({}, ref)
    },
    async () => {
      const micros = random.pick([1, 1000, 100_000, 1_000_000])
      await topUp(world.sql, { userId, micros, reason: "manual_topup", actor: "test", now: world.clock.now() })
    },
  ]

  const seen: Record<string, number> = {}
  for (let situation = 0; situation < SITUATIONS; situation++) {
    if (random.int(2)) await random.pick(changes)(random)
    // A refusal that is remembered would name the amounts of an earlier turn.
    await world.advance(REFUSAL_POLICY.keptMs)
    const sender = random.pick(clients)
    const body = {
      space: own.get(sender) ?? random.pick([...Array(9).fill([owner.space, furnished]).flat(), archived, "spc_none"]),
      end_user_ref: random.pick([...Array(8).fill(REFS.slice(0, 2)).flat(), "blocked"]),
      text: random.pick(["hello", "[use input=900 output=900]", "[use input=9000 output=4000]", "x".repeat(20_000)]),
      ...(random.int(2) && { max_cost_usd: random.pick([0.0000001, 0.001, 0.1, 0.5, 2]) }),
      ...(!random.int(40) && { model: "anthropic/none" }),
      ...(!random.int(40) && { conversation: "conv_none" }),
      ...(!random.int(40) && { files: ["file_none"] }),
    }
    await world.settled()
    const looksClosely = random.int(10) === 0
    const before = looksClosely && (await dumpTables(world))
    const estimate = await sender.estimate(body)
    if (before) expect(await dumpTables(world), "nothing was written").toEqual(before)
    const answer = await sender.send(body)
    expect(foretold(estimate), `situation ${situation}: ${JSON.stringify(body).slice(0, 300)}`).toEqual(told(answer))
    const isPart = answer.status === 202 && answer.body.held_usd < (body.max_cost_usd || 0.25) && sender !== tester
    const { code, details } = answer.body.error ?? {}
    const kind = code ? [code, details?.cap].filter(Boolean).join(" ") : isPart ? "part of a hold" : "accepted"
    seen[kind] = (seen[kind] ?? 0) + 1
  }
  console.log(JSON.stringify(seen))
  const kinds = ["key_daily", "key_window", "end_user_daily", "end_user_monthly"].map((cap) => `QUOTA_EXCEEDED ${cap}`)
  const others = [
    "INSUFFICIENT_CREDITS",
    "NOT_FOUND",
    "SPACE_ARCHIVED",
    "END_USER_BLOCKED",
    "VALIDATION_FAILED",
    "COST_LIMIT_TOO_LOW",
  ]
  const all = [...kinds, ...others, "accepted", "part of a hold"]
  for (const kind of all) expect(seen[kind], kind).toBeGreaterThan(0)

  for (let round = 0; round < 40; round++) {
    await world.advance(60_000)
    await world.sweep()
    await world.drain()
  }
  await expectPromises(world, userId)
})

const limitsOf = (random: Random, ...names: string[]) =>
  Object.fromEntries(names.map((name) => [name, random.pick(AMOUNTS)]))

function capsOf(random: Random) {
  const window_usd = random.pick(AMOUNTS)
  const window_seconds = window_usd === null ? null : random.pick([60, 3600, 86_400])
  const names = ["daily_usd", "end_user_daily_usd", "end_user_monthly_usd"]
  return { ...limitsOf(random, ...names), window_usd, window_seconds }
}

test("An estimate only reads: PostgreSQL rejects any lock or write in it", async () => {
  const functions = ["headroom", "has_caps", "cap_states", "cap_states_under", "open_window"]
  const rows = await world.sql(
    "select proname, provolatile from pg_proc where proname = any($1) and pronamespace = $2::regnamespace",
    [functions, RELEASE],
  )
  expect(rows).toHaveLength(functions.length)
  for (const row of rows) expect(row.provolatile, String(row.proname)).toBe("s")
})

test("An estimate costs one round trip and refuses wrong bodies as a turn does", async () => {
  const { client, space } = await cappedAccount(world, { caps: { daily_usd: 1 } })
  const body = { space, end_user_ref: "a", text: "hello" }
  const response = await client.call("POST", "/v1/turns/estimate", body)
  expect(response.status).toBe(200)
  expect(response.headers.get("server-timing")).toMatch(/pg;dur=[\d.]+;desc="calls=1"/)
  for (const wrong of [{ ...body, text: "" }, { ...body, user: "u" }, { space }, { ...body, max_cost_usd: 0 }, []]) {
    const [asked, sent] = await Promise.all(
      ["/v1/turns/estimate", "/v1/turns"].map(async (path) => {
        const refused = await client.call("POST", path, wrong, { "idempotency-key": "k" })
        const { error } = (await refused.json()) as { error: { request_id: string } }
        return { status: refused.status, error: { ...error, request_id: "" } }
      }),
    )
    expect(asked).toEqual(sent)
    expect(asked?.status).toBe(422)
  }
})
