import { afterAll, beforeAll, expect, test } from "vitest"
import { deliveriesOf, makeWebhook, serveReceiver } from "../harness/receiver.ts"
import { createWorld, type World } from "../harness/world.ts"

let world: World
beforeAll(async () => {
  world = await createWorld()
})
afterAll(() => world.close())

test("Deliveries that are due in the same second are retried together, without the sweeper", async () => {
  const client = await world.createAccount({ usd: 100 })
  const receiver = serveReceiver(world, () => new Response(null, { status: 503 }))
  const { webhook_id } = await makeWebhook(client, { url: receiver.url, events: ["turn.done"] })
  const space = await client.space()
  for (const end_user_ref of ["one", "two"]) await client.sendTurn({ space, end_user_ref })
  await world.drain()
  receiver.answer = () => new Response()
  // A whole number of seconds of delay from here ends between the two.
  await world.advance(1900 - (world.clock.ms() % 1000))
  const second = Math.floor(world.clock.ms() / 1000) * 1000
  const [first, last] = await deliveriesOf(client, webhook_id)
  for (const [delivery, ms] of [
    [first, 5300],
    [last, 5950],
  ] as const) {
    const at = new Date(second + ms).toISOString()
    await world.sql("update webhook_deliveries set next_attempt_at = $2 where delivery_id = $1", [
      delivery?.delivery_id,
      at,
    ])
  }
  await world.qstash.reset()
  await client.call("POST", `/v1/webhooks/${webhook_id}/test`)
  await world.drain()
  for (let step = 0; step < 80; step++) {
    await world.advance(100)
    await world.drain()
  }
  expect((await deliveriesOf(client, webhook_id)).map(({ state }) => state)).toEqual(Array(3).fill("delivered"))
})

test("Deliveries that wait for one with a delay of a day are sent as soon as that one was replayed", async () => {
  const client = await world.createAccount()
  const headers = { "retry-after": "86400" }
  const receiver = serveReceiver(world, () => new Response(null, { status: 429, headers }))
  const { webhook_id } = await makeWebhook(client, { url: receiver.url })
  await client.runTurn({ space: await client.space() })
  expect(receiver.types(), "the others wait for the first delivery").toEqual(["turn.queued"])
  receiver.answer = () => new Response()
  const [queued] = (await deliveriesOf(client, webhook_id)).filter(({ event_type }) => event_type === "turn.queued")
  await client.call("POST", `/v1/deliveries/${queued?.delivery_id}/redeliver`)
  await world.drain()
  expect(receiver.types()).toEqual(["turn.queued", "turn.queued", "turn.running", "turn.done"])
})

test("Events of large turns are claimed and listed within the size limit of one database answer", async () => {
  const client = await world.createAccount({ usd: 100 })
  const receiver = serveReceiver(world, () => new Response(null, { status: 503 }))
  const { webhook_id } = await makeWebhook(client, { url: receiver.url, events: ["turn.done"] })
  const space = await client.space()
  await Promise.all(Array.from({ length: 8 }, (_, n) => client.sendTurn({ space, end_user_ref: `c${n}` })))
  await world.drain()
  // Each quote takes four bytes in JSON within JSON.
  await world.sql(`update turns set result = repeat('"', 900000) where user_id = $1`, [client.userId])
  receiver.answer = () => new Response()
  await world.advance(10_000)
  await world.sweep()
  await world.drain()
  expect((await deliveriesOf(client, webhook_id)).map(({ state }) => state)).toEqual(Array(8).fill("delivered"))
  let seen = 0
  for (let cursor = ""; ; ) {
    const response = await client.call("GET", `/v1/events?type=turn.done&limit=100${cursor}`)
    expect(response.status).toBe(200)
    const { data, next_cursor, has_more } = (await response.json()) as {
      data: unknown[]
      next_cursor: string
      has_more: boolean
    }
    seen += data.length
    if (!has_more) break
    cursor = `&cursor=${next_cursor}`
  }
  expect(seen).toBe(8)
})

test("Cloudflare's errors about an unreachable server are explained in the answer", async () => {
  const client = await world.createAccount({ usd: 100 })
  const space = await client.space()
  for (const [status, server, error] of [
    [521, "cloudflare", expect.stringContaining("refused")],
    [522, "cloudflare", expect.stringContaining("in time")],
    [525, "cloudflare", expect.stringContaining("TLS")],
    [530, "cloudflare", expect.stringContaining("DNS")],
    [521, "own", null],
  ] as const) {
    const receiver = serveReceiver(world, () => new Response("error code", { status, headers: { server } }))
    const { webhook_id } = await makeWebhook(client, { url: receiver.url, events: ["turn.done"] })
    await client.sendTurn({ space })
    await world.drain()
    const [delivery] = await deliveriesOf(client, webhook_id)
    expect(delivery?.attempts[0]).toMatchObject({ status, error })
  }
})
