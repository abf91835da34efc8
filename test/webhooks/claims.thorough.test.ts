import { afterAll, beforeAll, expect, test } from "vitest"
import { holdRows } from "../harness/locks.ts"
import { makeWebhook, serveReceiver } from "../harness/receiver.ts"
import { createWorld, type World } from "../harness/world.ts"

let world: World
beforeAll(async () => {
  world = await createWorld()
})
afterAll(() => world.close())

test("A delivery that another run claims at this moment is left to that run, and all others are sent", async () => {
  const client = await world.createAccount()
  const receiver = serveReceiver(world, () => new Response(null, { status: 500 }))
  await makeWebhook(client, { url: receiver.url, events: ["turn.done"] })
  const space = await client.space()
  await client.runTurn({ space })
  await client.runTurn({ space })
  const [first, second] = receiver.received.map(({ event }) => event.id)
  expect(receiver.received).toHaveLength(2)
  receiver.received.length = 0
  receiver.answer = () => new Response()

  const release = await holdRows(world, `select from webhook_deliveries where event_id = '${first}' for no key update`)
  await world.advance(10_000)
  await world.drain()
  expect(receiver.received.map(({ event }) => event.id)).toEqual([second])
  await release()
  await world.advance(60_000)
  await world.sweep()
  await world.drain()
  expect(receiver.received.map(({ event }) => event.id)).toEqual([second, first])
})
