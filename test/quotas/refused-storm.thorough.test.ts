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

/** Sends refused turns with a new Idempotency-Key each, while another account sends one after the other. */
async function storm({ client, space }: CappedAccount, count: number, status: number) {
  await world.plan([])
  const before = await world.connections()
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
    }
  }
  await Promise.all([...Array.from({ length: AT_ONCE }, sender), neighbour()])
  const after = await world.connections()
  const labels = (await world.calls()).map(({ label }) => label)
  const [all = 0, looks = 0] = ["accept_turn", "known_keys"].map(
    (name) => labels.filter((one) => one.includes(name)).length,
  )
  expect(after.dropped).toBe(before.dropped)
  const accepts = all - others
  return { count, accepts, looks, others }
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
