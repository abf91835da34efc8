import { afterAll, beforeAll, expect, test } from "vitest"
import { REDELIVERY_SECONDS } from "../../src/platform/queue.ts"
import { createWorld, type TestClient, type World } from "../harness/world.ts"

let world: World
let client: TestClient
beforeAll(async () => {
  world = await createWorld()
  client = await world.createAccount()
})
afterAll(() => world.close())

test("A callback that finds the database down is retried for longer than the outage, and no second callback is needed", async () => {
  const { turn_id } = (await (await client.sendTurn({ space: await client.space() })).json()) as { turn_id: string }
  await world.settled()
  await world.plan([{ service: "pg", call: 1, action: "fail", when: "before", times: 1000 }])
  let waited = 0
  for (const seconds of REDELIVERY_SECONDS) {
    const [delivery] = await world.qstash.due()
    if (!delivery) throw new Error("nothing is due")
    const response = await world.deliver(delivery)
    expect([response.status, response.headers.get("retry-after")]).toEqual([503, String(seconds)])
    const headers = Object.fromEntries(response.headers)
    const { state } = await world.qstash.answer({ delivery_id: delivery.delivery_id, status: 503, headers })
    expect(state).toBe("retry")
    await world.advance((seconds - 1) * 1000)
    expect(await world.qstash.due()).toEqual([])
    await world.advance(1000)
    waited += seconds
  }
  expect(waited).toBeGreaterThan(60)
  await world.clearFaults()
  await world.drain()
  expect((await client.getTurn(turn_id)).state).toBe("done")
})

test("The test world passes a callback's answer to the queue, including its headers", async () => {
  await client.sendTurn({ space: await client.space() })
  await world.settled()
  await world.plan([{ service: "pg", call: 1, action: "fail", when: "before", times: 2 }])
  await world.drain()
  const [pending] = await world.qstash.pending()
  expect((pending?.not_before_ms ?? 0) - world.clock.ms()).toBe(1000 * REDELIVERY_SECONDS[0])
  await world.clearFaults()
})

test("Clients of /v1 are told to retry after a second", async () => {
  await world.plan([{ service: "pg", call: 1, action: "fail", when: "before" }])
  const response = await client.call("GET", "/v1/me")
  expect([response.status, response.headers.get("retry-after")]).toEqual([503, "1"])
  await world.clearFaults()
})
