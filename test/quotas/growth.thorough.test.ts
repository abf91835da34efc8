import { afterAll, beforeAll, expect, test } from "vitest"
import { growHold } from "../../src/runs/grow-hold.ts"
import { cappedAccount } from "../harness/caps.ts"
import { claimTurn } from "../harness/claim.ts"
import { contextOf } from "../harness/context.ts"
import { expectPromises } from "../harness/promises.ts"
import { createWorld, type World } from "../harness/world.ts"

const USD = 10_000_000

let world: World
beforeAll(async () => {
  world = await createWorld()
})
afterAll(() => world.close())

/** A turn of a key with these caps that a worker has started. It holds 0.25 USD. */
async function begin(caps: object) {
  const { client, space } = await cappedAccount(world, { caps })
  const { turn_id } = (await (await client.sendTurn({ space })).json()) as { turn_id: string }
  await world.settled()
  const ctx = contextOf(world)
  const claim = await claimTurn(ctx, turn_id)
  if (!claim) throw new Error("not claimed")
  const grow = async (usd: number) => {
    const grown = await growHold(ctx, claim.turn, usd * USD)
    return grown && { hold: grown.hold, boundBy: grown.boundBy }
  }
  return { client, turn_id, grow }
}

test.each([
  ["key_daily", { daily_usd: 0.3 }],
  ["key_monthly", { monthly_usd: 0.3 }],
  ["key_window", { window_usd: 0.3, window_seconds: 3600 }],
  ["end_user_daily", { end_user_daily_usd: 0.3 }],
  ["end_user_monthly", { end_user_monthly_usd: 0.3 }],
])("The hold grows as far as %s allows, and no further", async (cap, caps) => {
  const { client, turn_id, grow } = await begin(caps)
  expect(await grow(0.04)).toEqual({ hold: 0.29 * USD, boundBy: null })
  expect(await grow(0.04)).toEqual({ hold: 0.3 * USD, boundBy: cap })
  expect(await grow(0.04)).toEqual({ hold: 0.3 * USD, boundBy: cap })
  expect((await client.getTurn(turn_id)).held_usd).toBe(0.3)
  // Its worker dies, and another worker ends the turn.
  await world.advance(151_000)
  await world.sweep()
  await world.drain()
  await expectPromises(world, client.userId)
})

test("A turn that continues after the end of its window still counts there, and not in the next window", async () => {
  const { client, grow } = await begin({ window_usd: 0.3, window_seconds: 60 })
  await world.advance(61_000)
  expect((await client.sendTurn({ space: await client.space() })).status, "a new window").toBe(202)
  expect(await grow(0.1)).toEqual({ hold: 0.3 * USD, boundBy: "key_window" })
})

test("An account that never had any credit has no wallet row", async () => {
  const client = await world.createAccount({ usd: 0 })
  const response = await client.sendTurn({ space: await client.space() })
  expect(response.status).toBe(402)
  expect(await response.json()).toMatchObject({
    error: {
      details: { balance_usd: 0, held_usd: 0, available_usd: 0 },
      message: expect.stringMatching(/^Nothing of the balance/),
    },
  })
})
