import { afterAll, beforeAll, expect, test } from "vitest"
import { readAnswer } from "../harness/answers.ts"
import { deliveriesOf, makeWebhook, serveReceiver } from "../harness/receiver.ts"
import { sendUntilItWaits, serveTools, waiter } from "../harness/waiting.ts"
import { refundText, refundTool } from "../harness/waiting-tools.ts"
import { createWorld, type World } from "../harness/world.ts"

let world: World
beforeAll(async () => {
  world = await createWorld()
  serveTools(world)
})
afterAll(() => world.close())

test.each([
  { decision: "allow", input: { order: "B-2", amount: 60 } },
  { decision: "deny", message: "Ask Ada first." },
])(
  "The event of a wait is the same before and after the decision $decision, in the feed and in each delivery",
  async (body) => {
    const client = await world.createAccount()
    const receiver = serveReceiver(world)
    const { webhook_id } = await makeWebhook(client, { url: receiver.url, events: ["turn.waiting"] })
    const space = await client.space({ tools: [refundTool()] })
    const { turn_id } = await sendUntilItWaits(world, client, { space, text: refundText(80) })
    const feed = async () => (await readAnswer(client.call("GET", "/v1/events?type=turn.waiting"))).body.data
    const [event, ...others] = await feed()
    expect(others).toEqual([])
    expect(event).toMatchObject({
      type: "turn.waiting",
      data: { turn: { turn_id, state: "running", waiting: { for: "approval" } } },
    })
    expect(event.data.turn.waiting.calls).toEqual([{ call: "0.0", tool: "refund", input: null, for: "approval" }])
    expect(receiver.received.map((received) => received.event)).toEqual([event])

    expect(await waiter(client).decide(turn_id, body)).toMatchObject({ status: 200 })
    await world.drain()
    expect(await client.getTurn(turn_id)).toMatchObject({ state: "done", waiting: null })
    const [delivery] = await deliveriesOf(client, webhook_id)
    const again = await client.call("POST", `/v1/deliveries/${delivery?.delivery_id}/redeliver`)
    expect(again.status, await again.text()).toBeLessThan(300)
    await world.drain()
    expect(receiver.received).toHaveLength(2)
    expect(receiver.received[1]?.body).toBe(receiver.received[0]?.body)
    expect(await feed()).toEqual([event])
    expect((await readAnswer(client.call("GET", `/v1/events/${event.id}`))).body).toEqual(event)
  },
)

test("The event of a wait for a limit, which has no calls, is in the feed and delivered", async () => {
  const client = await world.createAccount()
  const receiver = serveReceiver(world)
  await makeWebhook(client, { url: receiver.url, events: ["turn.waiting"] })
  const space = await client.space()
  const text = "[use input=1000 output=1000]\n[steps 3]"
  const { turn_id } = await sendUntilItWaits(world, client, { space, text, on_limit: "wait", max_cost_usd: 0.006 })
  const feed = await readAnswer(client.call("GET", "/v1/events?type=turn.waiting"))
  expect(feed).toMatchObject({
    status: 200,
    body: {
      data: [{ data: { turn: { turn_id, waiting: { for: "limit", limit: { kind: "max_cost" }, calls: [] } } } }],
    },
  })
  expect(receiver.received.map(({ event }) => event)).toEqual(feed.body.data)
})
