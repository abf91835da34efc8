import { beforeEach, expect, test } from "vitest"
import { MINUTE_MS } from "../harness/cron.ts"
import { makeWebhook, type Receiver, serveReceiver } from "../harness/receiver.ts"
import { sendUntilItWaits, serveTools } from "../harness/waiting.ts"
import { refundText, refundTool } from "../harness/waiting-tools.ts"
import { WATCHED, watch } from "../harness/watch.ts"
import { createWorld, type TestClient, turnOf, type World } from "../harness/world.ts"

let world: World
let client: TestClient
let space: string
let service: ReturnType<typeof watch>
beforeEach(async () => {
  world = await createWorld({ env: WATCHED })
  service = watch(world)
  serveTools(world)
  client = await world.createAccount({ usd: 50 })
  space = await client.space({ tools: [refundTool({ approval: "always" })] })
  return () => world.close()
})

const webhooks = async () => (await service.viewOf("system")).webhooks

/** An endpoint of the client with deliveries that are five minutes old. */
async function makeBacklog(answer: () => Response | Promise<Response> = () => new Response(null, { status: 204 })) {
  const receiver = serveReceiver(world, answer)
  for (let nth = 0; nth < 10; nth++) await client.runTurn({ space, text: "hello", conversation: `turn ${nth}` })
  const { webhook_id } = await makeWebhook(client, { url: receiver.url })
  const replay = await client.call("POST", `/v1/webhooks/${webhook_id}/replay`, {
    from: new Date(world.clock.ms() - 3_600_000).toISOString(),
  })
  expect(replay.status, await replay.text()).toBeLessThan(300)
  await world.settled()
  await world.advance(5 * MINUTE_MS)
  await world.sweep()
  return { webhook_id, receiver }
}

test("An account without money and a dead receiver fail no check", async () => {
  const poor = await world.createAccount({ usd: 0 })
  const dead = serveReceiver(world, () => new Response(null, { status: 500 }))
  expect((await poor.call("POST", "/v1/webhooks", { url: dead.url })).status).toBe(201)
  await world.drain()
  for (let nth = 0; nth < 5; nth++) await world.makeKey(poor.userId)
  expect(await service.passInOrder(20)).toBeGreaterThan(0)
  const { pending, overdue, waiting } = await webhooks()
  expect(overdue).toBe(0)
  expect(waiting.map((one) => [one.for, one.deliveries])).toEqual([
    ["verification", pending - 1],
    ["retry", 1],
    ["attempt", 0],
  ])
})

test("A receiver that is too slow for its events fails no check", async () => {
  const { receiver } = await makeBacklog(async () => {
    await world.advance(10_000)
    return new Response(null, { status: 204 })
  })
  expect((await service.health())[1]).toEqual(["webhooks"])
  let runs = 0
  for (;;) {
    const [message] = await world.qstash.due()
    if (!message) break
    runs++
    const { status } = await world.deliver(message)
    await world.qstash.answer({ delivery_id: message.delivery_id, status, headers: {} })
    await world.sweep()
    await world.settled()
    expect(await service.health(), `after ${runs} runs`).toEqual([200, []])
  }
  expect(runs).toBeGreaterThan(3)
  expect(receiver.received.length).toBeGreaterThan(29)
})

const IN_ORDER: [what: string, plant: (webhookId: string, receiver: Receiver) => Promise<unknown>][] = [
  [
    "whose host has had its requests of this minute",
    (_webhookId, { url }) =>
      world.sql("insert into webhook_hosts (host, test, free_at) values ($1, false, $2)", [
        new URL(url).host,
        new Date(world.clock.ms() + 55_000),
      ]),
  ],
  [
    "that was stopped",
    () =>
      world.sql("update webhook_endpoints set disabled_at = $1, disabled_reason = 'customer', stopping = true", [
        world.clock.now(),
      ]),
  ],
  [
    "whose run has claimed the first of them",
    () =>
      world.sql(
        `update webhook_deliveries set epoch = 1, lease_until = $1
          where delivery_id = (select min(delivery_id) from webhook_deliveries where state = 'pending')`,
        [new Date(world.clock.ms() + 30_000)],
      ),
  ],
  [
    "whose wake is in the queue after other endpoints of its lane",
    async (webhookId) => {
      await world.sql("update webhook_endpoints set woken_at = $2 where webhook_id = $1", [
        webhookId,
        world.clock.now(),
      ])
      const other = serveReceiver(world)
      const { webhook_id } = await makeWebhook(client, { url: other.url })
      await world.sql("update webhook_endpoints set attempted_at = $2 where webhook_id = $1", [
        webhook_id,
        world.clock.now(),
      ])
    },
  ],
]

test.each(IN_ORDER)("An endpoint %s has no overdue delivery", async (_what, plant) => {
  const { webhook_id, receiver } = await makeBacklog()
  expect((await webhooks()).overdue).toBeGreaterThan(0)
  await plant(webhook_id, receiver)
  expect(await service.health()).toEqual([200, []])
  expect((await webhooks()).overdue).toBe(0)
})

test("A dispatcher that is never called is found within two minutes", async () => {
  const receiver = serveReceiver(world)
  await makeWebhook(client, { url: receiver.url, events: ["turn.queued"] })
  await sendUntilItWaits(world, client, { space, text: refundText(90) })
  const { turn_id } = await turnOf(await client.sendTurn({ space, conversation: "another" }))
  expect((await client.call("POST", `/v1/turns/${turn_id}/cancel`)).status).toBe(200)
  expect(await service.untilFound("webhooks")).toBeLessThanOrEqual(120)
})

test("A dispatcher that fails at its claims is found within two minutes", async () => {
  const receiver = serveReceiver(world)
  await makeWebhook(client, { url: receiver.url })
  await world.sweep()
  await world.plan([{ service: "pg", match: "claim_deliveries", call: 1, times: 999, action: "fail", when: "before" }])
  await sendUntilItWaits(world, client, { space, text: refundText(90) })
  expect(await service.untilFound("webhooks")).toBeLessThanOrEqual(120)
  expect(receiver.received).toEqual([])
})
