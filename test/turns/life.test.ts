import { afterAll, beforeAll, expect, test } from "vitest"
import type { Turn } from "../../src/turns/schemas.ts"
import { createWorld, type World } from "../harness/world.ts"

let world: World
beforeAll(async () => {
  world = await createWorld()
})
afterAll(() => world.close())

test("A turn is accepted, runs, ends as done and is billed exactly once", async () => {
  const client = await world.createAccount({ usd: 1 })
  const space = await client.space()
  const accepted = await client.sendTurn({ space, text: "Where is my order?" }, "order-1")
  expect(accepted.status).toBe(202)
  const queued = (await accepted.json()) as Turn
  expect(queued).toMatchObject({ state: "queued", held_usd: 0.25, billed_cost_usd: 0 })
  expect(accepted.headers.get("location")).toBe(`/v1/turns/${queued.turn_id}`)

  await world.drain()
  const done = await client.getTurn(queued.turn_id)
  expect(done).toMatchObject({ state: "done", result: "You said: Where is my order?", held_usd: 0 })
  expect(done.billed_cost_usd).toBeGreaterThan(0)

  const balance = await (await client.call("GET", "/v1/balance")).json()
  expect(balance).toEqual({
    balance_usd: 1 - done.billed_cost_usd,
    held_usd: 0,
    available_usd: 1 - done.billed_cost_usd,
  })
})
