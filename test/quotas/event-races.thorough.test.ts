import { afterAll, beforeAll, expect, test } from "vitest"
import { RELEASE } from "../../src/platform/procedures.ts"
import type { CapReached } from "../../src/webhooks/account-events.ts"
import { COSTS_ALL, createWatched, sendFor } from "../harness/account-events.ts"
import { expectPromises } from "../harness/promises.ts"
import { createRandom } from "../harness/random.ts"
import { createWorld, type World } from "../harness/world.ts"

let world: World
beforeAll(async () => {
  world = await createWorld()
})
afterAll(() => world.close())

const AT_ONCE = 100
const WAVES = 3
const LEVELS = [50, 80, 100]
const ROUNDS = 20

interface Counter {
  period: string
  subject: string
  kind: string
  spent: number
  reserved: number
}

const CAP_OF: Record<string, string> = {
  "key day": "key_daily",
  "key month": "key_monthly",
  "key window": "key_window",
  "end_user day": "end_user_daily",
  "end_user month": "end_user_monthly",
}

test(`With ${AT_ONCE} concurrent turns, each level that is reached sends one event, and no other level does`, async () => {
  const counts: number[] = []
  for (let round = 0; round < ROUNDS; round++) {
    const random = createRandom(`cap events ${round}`)
    const usd = (least: number, most: number) => (least * 1000 + random.int((most - least) * 1000)) / 1000
    const caps = {
      daily_usd: usd(0.2, 0.8),
      monthly_usd: usd(0.2, 0.8),
      window_usd: usd(0.2, 0.8),
      window_seconds: 3600,
      end_user_daily_usd: usd(0.01, 0.2),
      end_user_monthly_usd: usd(0.01, 0.2),
    }
    const limits: Record<string, number> = {
      key_daily: caps.daily_usd,
      key_monthly: caps.monthly_usd,
      key_window: caps.window_usd,
      end_user_daily: caps.end_user_daily_usd,
      end_user_monthly: caps.end_user_monthly_usd,
    }
    const where = `seed ${random.seed}, ${JSON.stringify(caps)}`
    const { userId, client, space, receiver, feed } = await createWatched(world, { usd: usd(0.5, 2), caps })
    const statuses: number[] = []
    for (let wave = 0; wave < WAVES; wave++) {
      const sent = Array.from({ length: AT_ONCE }, async () => {
        const text = random.pick([COSTS_ALL, `[use input=${random.int(4000)} output=${random.int(200)}]`])
        const response = await sendFor(client, usd(0.002, 0.04), {
          space,
          text,
          end_user_ref: `customer-${random.int(5)}`,
        })
        statuses.push(response.status)
      })
      // Some turns are settled while others are sent.
      await Promise.all([...sent, world.drain()])
    }
    await world.drain()
    expect(
      statuses.filter((status) => ![202, 402, 429].includes(status)),
      where,
    ).toEqual([])
    // Everything is settled, so a refusal is now due to spent credit.
    for (let customer = 0; customer < 15; customer++) {
      const text = random.pick([COSTS_ALL, "hello", "[use input=4000 output=0]"])
      await client.sendTurn({ space, end_user_ref: `customer-${customer % 5}`, text })
      await world.drain()
    }
    await expectPromises(world, userId)

    const told = (await feed("cap.reached")).map(({ data }) => data as unknown as CapReached)
    const key = ({ cap, percent, end_user_ref }: CapReached) => `${cap} ${end_user_ref ?? ""} ${percent}`
    expect(new Set(told.map(key)).size, where).toBe(told.length)
    const heard = receiver.received.map(({ event }) => event).filter(({ type }) => type === "cap.reached")
    expect(heard.map(({ data }) => key(data as unknown as CapReached)).sort(), where).toEqual(told.map(key).sort())

    const counters = await world.sql<Counter>(
      `select c.period, c.kind, c.subject, n.spent::float8 / 1e7 as spent, n.reserved::float8 as reserved
       from spend_counters c, ${RELEASE}.counter_now(c.user_id, c.kind, c.subject, c.period, c.starts_at) n where c.user_id = $1`,
      [userId],
    )
    const reached = counters.flatMap((counter) => {
      expect(counter.reserved, where).toBe(0)
      const cap = CAP_OF[`${counter.kind} ${counter.period}`] as string
      const limit = limits[cap] as number
      expect(counter.spent, `${where}: ${cap}`).toBeLessThanOrEqual(limit)
      const percents = LEVELS.filter((percent) => Math.round(counter.spent * 1e9) >= Math.round(limit * 1e7 * percent))
      return percents.map((percent) => `${cap} ${counter.kind === "key" ? "" : counter.subject} ${percent}`)
    })
    const ends = told.filter((event) => event.percent === 100 && event.spent_usd < event.limit_usd)
    expect(told.map(key).sort(), where).toEqual([...reached, ...ends.map(key)].sort())
    for (const { limit_usd, spent_usd, reserved_usd } of ends) {
      expect(reserved_usd, where).toBe(0)
      // A thousand bytes of prompt at 1 USD per million tokens, and the shortest answer.
      expect(limit_usd - spent_usd, where).toBeLessThan(0.002)
    }
    for (const { spent_usd, limit_usd, percent } of told) {
      if (percent < 100) expect(spent_usd / limit_usd, where).toBeGreaterThanOrEqual(percent / 100 - 1e-9)
    }
    const balances = (await feed("balance.low")).length
    const [{ balance } = { balance: 0 }] = await world.sql<{ balance: number }>(
      "select balance_credit_micros::float8 / 1e7 as balance from wallets where user_id = $1",
      [userId],
    )
    expect(balances, `${where}: balance ${balance}`).toBe(balance < 1 ? 1 : 0)
    expect((await feed("balance.depleted")).length, where).toBeLessThanOrEqual(1)
    counts.push(told.length)
    await world.advance(86_400_000 * 40)
  }
  console.log(`${ROUNDS} rounds, seeds "cap events 0" and on: ${counts.join(", ")} told`)
  expect(Math.max(...counts)).toBeGreaterThan(10)
})
