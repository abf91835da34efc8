import { afterAll, beforeAll, expect, test } from "vitest"
import { expectBooks } from "../harness/promises.ts"
import { anyWish, createQuotaEstate, drainOnce, type QuotaEstate, type Wish } from "../harness/quota-load.ts"
import { deadlocksOf, expectNoFaults, watchMoney } from "../harness/quota-watch.ts"
import { createRandom, type Random } from "../harness/random.ts"
import { createWorld, type TestClient, turnOf, type World } from "../harness/world.ts"

const ROUNDS = 10
const [ACCOUNTS, KEYS, AT_ONCE] = [2, 8, 60]

let world: World
beforeAll(async () => {
  world = await createWorld()
  await watchMoney(world)
  // The server detects deadlocks at once instead of after its default timeout.
  await world.sql(
    `do $$ begin execute format('alter database %I set deadlock_timeout = ''20ms''', current_database()); end $$`,
  )
})
afterAll(() => world.close())

test(`All concurrent operations that hold or release money, on ${ACCOUNTS} accounts, cause no deadlock`, async () => {
  const { seed } = createRandom("deadlocks")
  for (let round = 0; round < ROUNDS; round++) {
    const random = createRandom("", (seed + round) >>> 0)
    const estates = await Promise.all(
      Array.from({ length: ACCOUNTS }, () => {
        const caps = { key_daily: 60_000_000, key_window: 60_000_000, window_seconds: 3600 }
        return createQuotaEstate(
          world,
          { ...caps, balance: 200_000_000, end_user_daily: { account: 60_000_000 } },
          3,
          KEYS,
        )
      }),
    )
    const statuses = await Promise.all(estates.map((estate) => stir(estate, random)))
    expect(Math.max(...statuses.flat()), `seed ${(seed + round) >>> 0}`).toBeLessThan(500)
    for (let n = 0; n < 3; n++) {
      await world.advance(61_000)
      await world.sweep()
      await world.drain()
    }
    for (const { userId } of estates) {
      await expectBooks(world, userId)
      const left = await world.sql(
        `select 1 from turns where user_id = $1 and held_credit_micros > 0 union all select 1 from spend_counters
         where user_id = $1 and reserved_credit_micros > 0`,
        [userId],
      )
      expect(left, "no credit stays reserved").toEqual([])
    }
  }
  await expectNoFaults(world)
  expect(await deadlocksOf(world)).toBe(0)
  console.log(`${ROUNDS} rounds from seed ${seed}`)
})

/** Runs all operations concurrently in a random order. Returns the status of every answer. */
async function stir(estate: QuotaEstate, random: Random): Promise<number[]> {
  const statuses: number[] = []
  const note = async (sent: Promise<Response>) => {
    const response = await sent
    statuses.push(response.status)
    return response
  }
  const done = async (sent: Promise<Response>) => {
    const response = await note(sent)
    expect(response.status, await response.clone().text()).toBeLessThan(300)
  }
  const clientOf = (n: number) => estate.clients[n]?.client as TestClient
  const sendTurn = ({ of, body, idempotencyKey }: Wish) => note(clientOf(of).sendTurn(body, idempotencyKey))
  const cancel = async (response: Response) => {
    if (response.status === 202)
      await note(clientOf(0).call("POST", `/v1/turns/${(await turnOf(response)).turn_id}/cancel`))
  }
  const browser = await world.signIn(estate.userId)
  // Each key has turns that wait when it is revoked.
  const waiting = await Promise.all(
    estate.clients.flatMap(({ space }, of) => {
      return [0, 1, 2].map(async () => {
        const { body, ...rest } = anyWish(random, estate)
        const wish = { ...rest, of, body: { ...body, space } }
        return { wish, response: await sendTurn(wish) }
      })
    }),
  )
  const wishes = Array.from({ length: AT_ONCE }, () => anyWish(random, estate))
  const limits = { daily_usd: 10, monthly_usd: null, blocked: false }
  const storm: (() => Promise<unknown>)[] = [
    ...wishes.map((wish, n) => async () => {
      const response = await sendTurn(wish)
      if (n % 3 === 0) await cancel(response)
    }),
    ...wishes.slice(0, 10).map((wish) => () => sendTurn(wish)),
    ...waiting.slice(0, 8).map(
      ({ response }) =>
        () =>
          cancel(response),
    ),
    ...estate.refs.map((ref) => () => done(clientOf(0).call("PUT", `/v1/end-users/${ref}/limits`, limits))),
    () => done(clientOf(0).call("DELETE", `/v1/end-users/${estate.refs[0]}`)),
    () => done(clientOf(0).call("DELETE", `/v1/spaces/${estate.clients[1]?.space}`)),
    ...estate.clients.slice(2).map(
      ({ keyId }) =>
        () =>
          done(browser.call("POST", `/api/account/keys/${keyId}/revoke`)),
    ),
  ]
  // Each key also records its use.
  await world.sql("update api_keys set last_used_at = null where user_id = $1", [estate.userId])
  const inOrder = storm.map((act) => ({ act, place: random.int(1e9) })).sort((one, other) => one.place - other.place)
  let sending = true
  const acting = Promise.all(inOrder.map(({ act }) => act())).finally(() => {
    sending = false
  })
  while (sending) await drainOnce(world)
  await world.drain()
  await acting
  return statuses
}
