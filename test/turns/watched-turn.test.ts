import { afterAll, beforeAll, expect, test } from "vitest"
import { holdRows, untilCalled } from "../harness/locks.ts"
import { createWorld, turnOf, type World } from "../harness/world.ts"

let world: World
beforeAll(async () => {
  world = await createWorld()
})
afterAll(() => world.close())

test("A turn whose row another transaction has locked when a runner looks runs without a sweep", async () => {
  const client = await world.createAccount()
  const { turn_id } = await turnOf(await client.sendTurn({ space: await client.space() }))
  await world.settled()
  await world.plan([])
  // A reader that starts to follow the turn holds this lock.
  const letGo = await holdRows(world, `select from turns where turn_id = '${turn_id}' for no key update`)
  const running = world.drain()
  await untilCalled(world, { match: "claim_turn", request: running })
  await running
  expect((await client.getTurn(turn_id)).state).toBe("queued")
  await letGo()
  await world.advance(1_000)
  await world.drain()
  expect((await client.getTurn(turn_id)).state).toBe("done")
})
