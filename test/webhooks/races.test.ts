import { afterAll, beforeAll, expect, test } from "vitest"
import type { Delivery } from "../../src/webhooks/schemas.ts"
import { holdRows, holdWrites, untilBlocked, waitForLocks } from "../harness/locks.ts"
import { deliveriesOf, makeWebhook, serveReceiver } from "../harness/receiver.ts"
import { createWorld, type World } from "../harness/world.ts"

let world: World
beforeAll(async () => {
  world = await createWorld()
  await waitForLocks(world)
})
afterAll(() => world.close())

/**
 * Blocks every statement that inserts deliveries after it has its own locks and before it takes the
 * locks of its foreign keys.
 */
const holdDeliveries = () => holdWrites(world, "after insert on webhook_deliveries")

async function pass(minutes: number) {
  for (let minute = 0; minute < minutes; minute++) {
    await world.advance(60_000)
    await world.sweep()
    await world.drain()
  }
}

test("An endpoint that is disabled while an attempt is recorded can be replayed, which sends the event once", async () => {
  const client = await world.createAccount()
  const receiver = serveReceiver(world)
  const { webhook_id } = await makeWebhook(client, { url: receiver.url, events: ["turn.done"] })
  const space = await client.space()
  let patched: Promise<Response> | undefined
  let held: Promise<unknown> | undefined
  receiver.answer = async () => {
    // Both wait with the data that they have already read: first the change, then the record of this attempt.
    const row = `select from webhook_endpoints where webhook_id = '${webhook_id}' for no key update`
    const letGo = await holdRows(world, row)
    patched = client.call("PATCH", `/v1/webhooks/${webhook_id}`, { enabled: false })
    await untilBlocked(world)
    held = untilBlocked(world, 2).then(letGo)
    return new Response()
  }
  await client.runTurn({ space })
  await held
  expect((await patched)?.status).toBe(200)
  receiver.answer = () => new Response()
  expect(await deliveriesOf(client, webhook_id)).toMatchObject([
    { state: "failed", status_reason: "endpoint_disabled" },
  ])

  await client.call("PATCH", `/v1/webhooks/${webhook_id}`, { enabled: true })
  await client.call("POST", `/v1/webhooks/${webhook_id}/replay`, { from: "2026-01-01T00:00:00Z" })
  await world.drain()
  await pass(3)
  expect(await deliveriesOf(client, webhook_id)).toMatchObject([{ state: "delivered" }])
  expect(receiver.received, "the first attempt and the replay").toHaveLength(2)
})

test("A replay and a concurrent attempt do not overwrite each other", async () => {
  const client = await world.createAccount()
  const receiver = serveReceiver(world)
  const space = await client.space()
  await client.runTurn({ space })
  const { webhook_id } = await makeWebhook(client, { url: receiver.url, events: ["turn.done"] })
  await world.advance(1000)
  let replayed: Promise<Response> | undefined
  let held: Promise<unknown> | undefined
  receiver.answer = async () => {
    receiver.answer = () => new Response()
    const letGo = await holdDeliveries()
    replayed = client.call("POST", `/v1/webhooks/${webhook_id}/replay`, { from: "2026-01-01T00:00:00Z" })
    await untilBlocked(world)
    held = untilBlocked(world, 2).then(letGo)
    return new Response()
  }
  await client.runTurn({ space })
  await held
  expect((await replayed)?.status).toBe(202)
  await world.drain()
  await pass(3)
  expect((await deliveriesOf(client, webhook_id)).map(({ state }) => state)).toEqual(["delivered", "delivered"])
  const ids = receiver.received.map(({ headers }) => headers["webhook-id"])
  expect(new Set(ids).size, "each event once").toBe(ids.length)
})

test("An event that commits while its endpoint is disabled or removed is recorded as failed", async () => {
  for (const method of ["PATCH", "DELETE"]) {
    const client = await world.createAccount()
    const receiver = serveReceiver(world)
    const { webhook_id } = await makeWebhook(client, { url: receiver.url, events: ["turn.queued"] })
    const space = await client.space()
    const letGo = await holdDeliveries()
    const sent = client.sendTurn({ space })
    await untilBlocked(world)
    const body = method === "PATCH" ? { enabled: false } : undefined
    expect((await client.call(method, `/v1/webhooks/${webhook_id}`, body)).status).toBe(200)
    await letGo()
    expect((await sent).status).toBe(202)
    await world.drain()
    await pass(4)
    const states = await world.sql<Pick<Delivery, "state" | "status_reason">>(
      "select state, status_reason from webhook_deliveries where webhook_id = $1",
      [webhook_id],
    )
    const reason = method === "PATCH" ? "endpoint_disabled" : "endpoint_deleted"
    expect(states).toEqual([{ state: "failed", status_reason: reason }])
    expect(receiver.received).toEqual([])
    expect(await world.sql("select 1 from webhook_endpoints where webhook_id = $1 and stopping", [webhook_id])).toEqual(
      [],
    )
  }
})

test("An answer with an invalid status fails its own attempt and no other attempt of the run", async () => {
  const client = await world.createAccount()
  const receiver = serveReceiver(world, ({ event }) => {
    const response = new Response("go away")
    // The object that fetch returns for such a server; `new Response` rejects the status.
    return event.type === "turn.queued" ? Object.defineProperty(response, "status", { value: 999 }) : response
  })
  const { webhook_id } = await makeWebhook(client, { url: receiver.url, events: ["turn.queued", "turn.done"] })
  const space = await client.space()
  await client.runTurn({ space })
  await pass(1)
  const log = await deliveriesOf(client, webhook_id)
  const queued = log.find(({ event_type }) => event_type === "turn.queued")
  const done = log.find(({ event_type }) => event_type === "turn.done")
  expect(queued).toMatchObject({ event_type: "turn.queued", state: "pending", attempt_count: 2 })
  expect(queued?.attempts[0]).toMatchObject({ status: null, error: expect.stringContaining("999") })
  expect(done).toMatchObject({ event_type: "turn.done", state: "delivered", attempt_count: 1 })
  expect(receiver.received).toHaveLength(3)
})

test("A 410 of an endpoint's former URL does not disable the endpoint", async () => {
  const client = await world.createAccount()
  const [before, after] = [serveReceiver(world), serveReceiver(world)]
  const { webhook_id } = await makeWebhook(client, { url: before.url, events: ["turn.done"] })
  before.answer = async () => {
    await client.call("PATCH", `/v1/webhooks/${webhook_id}`, { url: after.url })
    return new Response("gone", { status: 410 })
  }
  await client.runTurn({ space: await client.space() })
  const webhook = await (await client.call("GET", `/v1/webhooks/${webhook_id}`)).json()
  expect(webhook).toMatchObject({ enabled: true, url: after.url })
  await pass(1)
  const deliveries = await deliveriesOf(client, webhook_id)
  expect(deliveries.filter(({ event_type }) => event_type !== "ping")).toMatchObject([
    { state: "delivered", attempt_count: 2 },
  ])
  expect(before.received).toHaveLength(1)
  expect(after.types(), "the new URL must answer a ping first").toEqual(["ping", "turn.done"])
})

test("A record that the database refuses at first is retried: no event is sent or recorded twice", async () => {
  const client = await world.createAccount()
  let failing = false
  const receiver = serveReceiver(world, () => new Response(null, { status: failing ? 500 : 200 }))
  const { webhook_id } = await makeWebhook(client, { url: receiver.url, events: ["turn.done"] })
  const space = await client.space()
  for (const when of ["before", "after"] as const) {
    for (failing of [false, true]) {
      const sent = receiver.received.length
      await world.plan([{ call: 1, match: "record_attempts", action: "cut", when }])
      await client.runTurn({ space })
      await world.clearFaults()
      expect(receiver.received).toHaveLength(sent + 1)
      const [newest] = await deliveriesOf(client, webhook_id)
      expect(newest).toMatchObject({
        state: failing ? "pending" : "delivered",
        attempt_count: 1,
        attempts: [{ attempt: 1 }],
      })
      await world.advance(1000)
    }
  }
})
