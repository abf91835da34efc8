import { afterAll, beforeAll, describe, expect, test } from "vitest"
import type { SetCaps } from "../../src/identity/caps.ts"
import { cappedAccount, NEEDED_USD } from "../harness/caps.ts"
import { expectBooks, expectPromises } from "../harness/promises.ts"
import { createRandom } from "../harness/random.ts"
import { createWorld, type World } from "../harness/world.ts"

const AT_ONCE = 100
const ROUNDS = 5

let world: World
beforeAll(async () => {
  world = await createWorld()
})
afterAll(() => world.close())

const window = { window_usd: 1, window_seconds: 3600 }
const CAPS: [string, SetCaps][] = [
  ["key_daily", { daily_usd: 1 }],
  ["key_window", window],
  ["end_user_daily", { end_user_daily_usd: 1 }],
  ["end_user_monthly", { end_user_monthly_usd: 1 }],
  ["all", { daily_usd: 1, end_user_daily_usd: 1, end_user_monthly_usd: 1, ...window }],
]

test.each(CAPS.slice(0, 4))("a turn that meets %s while it runs ends there, and says so", async (cap, caps) => {
  const small = Object.fromEntries(
    Object.entries(caps).map(([name, value]) => [name, name.endsWith("usd") ? 0.005 : value]),
  )
  const { client, space, userId } = await cappedAccount(world, { caps: small })
  const turn = await client.runTurn({ space, text: "[long 100000]" })
  expect(turn).toMatchObject({ state: "failed", error: { code: "COST_LIMIT_REACHED" }, held_usd: 0 })
  const words = {
    key_daily: "daily cap",
    key_window: "window",
    end_user_daily: "daily limit",
    end_user_monthly: "monthly limit",
  }
  expect(turn.error?.message).toContain(words[cap as keyof typeof words])
  expect(turn.billed_cost_usd).toBeGreaterThan(0)
  expect(turn.billed_cost_usd).toBeLessThanOrEqual(0.005)
  const [state] = cap.startsWith("key") ? (await client.me()).caps : (await client.endUser()).caps
  expect(state).toMatchObject({ cap, spent_usd: turn.billed_cost_usd, reserved_usd: 0 })
  await expectPromises(world, userId)
})

describe.each(CAPS)("%s", (_name, caps) => {
  test(`${AT_ONCE} turns at once hold exactly what the cap has, in ${ROUNDS} seeded rounds`, async () => {
    const random = createRandom(`holds at once ${_name}`)
    for (let round = 0; round < ROUNDS; round++) {
      const { client, space, userId } = await cappedAccount(world, { usd: 100, caps })
      const bodies = Array.from({ length: AT_ONCE }, () => ({
        space,
        max_cost_usd: (1 + random.int(800_000)) / 10_000_000,
      }))
      const answers = await Promise.all(bodies.map((body) => client.send(body)))
      const micros = (usd: number) => Math.round(usd * 10_000_000)
      const held = answers.reduce((sum, { status, body }) => sum + (status === 202 ? micros(body.held_usd) : 0), 0)
      expect(held, `seed ${random.seed}, round ${round}`).toBeLessThanOrEqual(10_000_000)
      const states = [...(await client.me()).caps, ...(await client.endUser()).caps]
      for (const state of states) expect(micros(state.reserved_usd)).toBe(held)
      // Whoever was refused would have passed the cap.
      const refused = answers.flatMap(({ status, body }, n) =>
        status === 202 ? [] : [{ status, body, sent: bodies[n] }],
      )
      expect(refused.length).toBeGreaterThan(0)
      for (const { status, body, sent } of refused) {
        expect([status, body.error.code]).toEqual([429, "QUOTA_EXCEEDED"])
        const needed = Math.min(sent?.max_cost_usd ?? 0, NEEDED_USD)
        expect(body.error.details.needed_usd).toBe(needed)
        expect(micros(needed)).toBeGreaterThan(10_000_000 - held)
      }
      await expectBooks(world, userId)
    }
  })
})
