import { afterAll, beforeAll, expect, test } from "vitest"
import { type CappedAccount, cappedAccount, NEEDED_USD } from "../harness/caps.ts"
import { createWorld, type World } from "../harness/world.ts"

const REQUESTS = 10_000
/** As many without a memory: each costs a statement. */
const BEFORE = 1_000
const AT_ONCE = 100

let world: World
let other: CappedAccount
beforeAll(async () => {
  world = await createWorld()
  other = await cappedAccount(world, { usd: 100_000 })
})
afterAll(() => world.close())

/** The ms in which PostgreSQL's sessions ran statements of the world, and how many sessions began. */
async function workOfPostgres() {
  const [row] = await world.sql<{ active_ms: number; sessions: number }>(
    "select active_time as active_ms, sessions::int from pg_stat_database where datname = current_database()",
  )
  return row ?? { active_ms: Number.NaN, sessions: Number.NaN }
}

/** The locks of the world's sessions at this moment. */
async function locksNow() {
  const [row] = await world.sql<{ held: number; awaited: number }>(
    `select count(*) filter (where granted)::int as held, count(*) filter (where not granted)::int as awaited
     from pg_locks where locktype in ('tuple', 'transactionid', 'relation')
       and pid in (select pid from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid())`,
  )
  return row ?? { held: Number.NaN, awaited: Number.NaN }
}

/** Sends refused turns with a new Idempotency-Key each, while another account sends one after the other. */
async function storm({ client, space }: CappedAccount, count: number, status: number) {
  await world.plan([])
  const [before, work] = [await world.connections(), await workOfPostgres()]
  const locks: Awaited<ReturnType<typeof locksNow>>[] = []
  let left = count
  let others = 0
  const sender = async () => {
    while (left-- > 0) {
      const response = await client.sendTurn({ space, text: "hello", end_user_ref: "customer-1" })
      expect(response.status).toBe(status)
    }
  }
  const neighbour = async () => {
    while (left > 0) {
      expect((await other.client.sendTurn({ space: other.space, text: "hello" })).status).toBe(202)
      others++
      locks.push(await locksNow())
    }
  }
  await Promise.all([...Array.from({ length: AT_ONCE }, sender), neighbour()])
  const [after, worked] = [await world.connections(), await workOfPostgres()]
  const labels = (await world.calls()).map(({ label }) => label)
  const [all = 0, looks = 0] = ["accept_turn", "known_keys"].map(
    (name) => labels.filter((one) => one.includes(name)).length,
  )
  expect(after.dropped).toBe(before.dropped)
  const accepts = all - others
  const mean = (name: "held" | "awaited") =>
    Math.round((10 * locks.reduce((sum, one) => sum + one[name], 0)) / locks.length) / 10
  return {
    count,
    accepts,
    looks,
    others,
    connections: after.opened - before.opened,
    locks: { held: mean("held"), awaited: mean("awaited") },
    postgres_ms_each: Math.round((100 * (worked.active_ms - work.active_ms)) / count) / 100,
  }
}

test.each([
  ["key at its cap", { caps: { daily_usd: NEEDED_USD / 2 } }, 429, async () => {}],
  ["account without credit", { usd: NEEDED_USD / 2 }, 402, async () => {}],
  [
    "end user at a limit",
    {},
    429,
    ({ client }: CappedAccount) => client.putLimits({ daily_usd: NEEDED_USD / 2, monthly_usd: null }),
  ],
])(
  "A storm of 10,000 requests of a(n) %s costs few statements, and none that takes the locks of the account",
  async (name, more, status, prepare) => {
    const [without, account] = [await cappedAccount(world, more), await cappedAccount(world, more)]
    await prepare(without)
    await prepare(account)
    // Without Redis nothing is remembered, as before there was a memory.
    world.rebind({ UPSTASH_REDIS_REST_URL: "http://127.0.0.1:1" })
    const before = await storm(without, BEFORE, status)
    world.rebind({ UPSTASH_REDIS_REST_URL: world.env.UPSTASH_REDIS_REST_URL })
    const after = await storm(account, REQUESTS, status)
    console.log(`storm of a(n) ${name}`, JSON.stringify({ before, after }))
    expect(before.accepts).toBe(BEFORE)
    expect(after.accepts).toBeLessThan(REQUESTS / 10)
    expect(after.looks).toBeLessThan(REQUESTS / 2)
  },
)
