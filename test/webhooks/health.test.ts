import { afterAll, beforeAll, expect, test } from "vitest"
import { makeWebhook, serveReceiver } from "../harness/receiver.ts"
import { createWorld, type World } from "../harness/world.ts"

const WEBHOOKS = "/api/account/webhooks"
const HOUR_MS = 3_600_000

let world: World
beforeAll(async () => {
  world = await createWorld()
})
afterAll(() => world.close())

async function arrange() {
  const client = await world.createAccount()
  const browser = await world.signIn(client.userId)
  const space = await client.space()
  const receiver = serveReceiver(world)
  const { webhook_id: id } = await makeWebhook(client, { url: receiver.url, events: ["turn.done"] })
  const read = async (path: string) => {
    const [status, body] = await browser.json("GET", path)
    expect(status, JSON.stringify(body)).toBe(200)
    return body
  }
  const health = () => read(`${WEBHOOKS}/${id}/health`)
  const run = () => client.runTurn({ space, text: "hello" })
  return { client, browser, space, receiver, id, read, health, run }
}

test("A webhook's health counts delivered, retried and failed deliveries of those that were attempted", async () => {
  const { client, browser, space, receiver, id, read, health, run } = await arrange()
  expect(await health()).toEqual({ attempted: 0, delivered: 0, failed: 0, retrying: 0 })
  await run()
  receiver.answer = () => new Response("busy", { status: 503 })
  await run()
  expect(await health()).toEqual({ attempted: 2, delivered: 1, failed: 0, retrying: 1 })
  // A delivery that was not attempted yet does not count.
  await world.advance(1_000)
  await client.sendTurn({ space, text: "hello" })
  await world.deliverDue()
  expect((await read(`${WEBHOOKS}/${id}/deliveries`)).items[0].attempts).toEqual([])
  expect(await health()).toMatchObject({ attempted: 2 })
  await browser.json("PATCH", `${WEBHOOKS}/${id}`, { enabled: false })
  await world.drain()
  expect(await health()).toEqual({ attempted: 2, delivered: 1, failed: 1, retrying: 0 })
  expect((await read(WEBHOOKS)).items[0].health).toEqual(await health())
  const stranger = await world.signIn((await world.createAccount()).userId)
  expect((await stranger.json("GET", `${WEBHOOKS}/${id}/health`))[0]).toBe(404)
})

test("The list of failing webhooks has those whose last attempt failed, until one succeeds", async () => {
  const { receiver, read, run, id } = await arrange()
  const failing = async () =>
    (await read(`${WEBHOOKS}?failing=true`)).items.map((one: { webhook_id: string }) => one.webhook_id)
  const working = async () => (await read(`${WEBHOOKS}?failing=false`)).total
  expect([await failing(), await working()]).toEqual([[], 1])
  receiver.answer = () => new Response(null, { status: 500 })
  await run()
  expect([await failing(), await working()]).toEqual([[id], 0])
  receiver.answer = () => new Response(null, { status: 204 })
  await run()
  expect([await failing(), await working()]).toEqual([[], 1])
})

test("A webhook that has not answered its first ping yet is pending, and not in the list of failing webhooks", async () => {
  const { client, read } = await arrange()
  const receiver = serveReceiver(world, () => new Response(null, { status: 500 }))
  const made = await client.call("POST", "/v1/webhooks", { url: receiver.url })
  expect(made.status).toBe(201)
  await world.drain()
  const { webhook_id } = (await made.json()) as { webhook_id: string }
  expect(await read(`${WEBHOOKS}/${webhook_id}`)).toMatchObject({ state: "pending", failing_since: expect.any(String) })
  const idsOf = async (failing: boolean) =>
    (await read(`${WEBHOOKS}?failing=${failing}`)).items.map((one: { webhook_id: string }) => one.webhook_id)
  expect(await idsOf(true)).toEqual([])
  expect(await idsOf(false)).toContain(webhook_id)
})

test("Recovering since a moment sends what failed from then on, and nothing that was delivered", async () => {
  const { client, receiver, id, run } = await arrange()
  receiver.answer = () => new Response(null, { status: 500 })
  const early = await run()
  await world.advance(HOUR_MS)
  const since = world.clock.now().toISOString()
  const lost = await run()
  receiver.answer = () => new Response(null, { status: 204 })
  const fine = await run()
  const later = await world.signIn(client.userId)
  const enable = (enabled: boolean) => later.json("PATCH", `${WEBHOOKS}/${id}`, { enabled })
  expect((await enable(false))[0]).toBe(200)
  await world.drain()
  expect((await enable(true))[0]).toBe(200)
  receiver.received.length = 0
  const [status, replayed] = await later.json("POST", `${WEBHOOKS}/${id}/replay`, { from: since })
  expect([status, replayed.replayed]).toEqual([202, 1])
  await world.drain()
  expect(receiver.types(lost.turn_id)).toEqual(["turn.done"])
  expect([...receiver.types(fine.turn_id), ...receiver.types(early.turn_id)]).toEqual([])
})

test("An attempt shows the headers that its receiver got, except for the signature", async () => {
  const { receiver, read, id, run } = await arrange()
  await run()
  const [delivery] = (await read(`${WEBHOOKS}/${id}/deliveries`)).items
  const { request_headers } = delivery.attempts[0]
  const [received] = receiver.received
  expect(Object.keys(request_headers).sort()).toEqual(["content-type", "user-agent", "webhook-id", "webhook-timestamp"])
  expect(received?.headers).toMatchObject(request_headers)
  expect(received?.headers["webhook-signature"]).toMatch(/^v1,/)
})
