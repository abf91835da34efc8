import { afterAll, beforeAll, expect, test } from "vitest"
import { WEBHOOK_POLICY } from "../../src/webhooks/policies.ts"
import type { Webhook } from "../../src/webhooks/schemas.ts"
import { deliveriesOf, makeWebhook, serveReceiver, untilNextAttempt } from "../harness/receiver.ts"
import { createWorld, type TestClient, type World } from "../harness/world.ts"

let world: World
beforeAll(async () => {
  world = await createWorld()
})
afterAll(() => world.close())

const create = (client: TestClient, url: string) => client.call("POST", "/v1/webhooks", { url })
const idOf = async (answer: Response) => ((await answer.json()) as Webhook).webhook_id
const read = async (client: TestClient, id: string) =>
  (await (await client.call("GET", `/v1/webhooks/${id}`)).json()) as Webhook
const codeOf = async (answer: Response) => ((await answer.json()) as { error: { code: string } }).error.code

test("An account cannot register 48 endpoints on one URL, whether concurrently or with different spellings", async () => {
  const client = await world.createAccount({ test: true })
  const receiver = serveReceiver(world)
  const written = [receiver.url, receiver.url.replace("https://r", "HTTPS://R"), `${receiver.url}#a`]
  const answers = await Promise.all(Array.from({ length: 48 }, (_, n) => create(client, written[n % 3] as string)))
  expect(answers.filter(({ status }) => status === 201)).toHaveLength(1)
  const refused = answers.filter(({ status }) => status === 409)
  expect(refused).toHaveLength(47)
  expect(await codeOf(refused[0] as Response)).toBe("WEBHOOK_EXISTS")
  await client.runTurn({ space: await client.space(), text: "hello ".repeat(16_000) })
  expect(receiver.types(), "one free turn").toEqual(["ping", "turn.queued", "turn.running", "turn.done"])
  const other = await world.createAccount({ test: true })
  expect((await create(other, receiver.url)).status, "another account's endpoint").toBe(201)
})

test("No endpoint can be moved to the URL of another endpoint", async () => {
  const client = await world.createAccount()
  const [one, two] = [serveReceiver(world), serveReceiver(world)]
  const first = await idOf(await create(client, one.url))
  const second = await idOf(await create(client, two.url))
  const moved = await client.call("PATCH", `/v1/webhooks/${second}`, { url: `${one.url}#other` })
  expect([moved.status, await codeOf(moved)]).toEqual([409, "WEBHOOK_EXISTS"])
  expect((await client.call("PATCH", `/v1/webhooks/${first}`, { url: one.url })).status, "its own URL").toBe(200)
  await client.call("DELETE", `/v1/webhooks/${first}`)
  expect((await client.call("PATCH", `/v1/webhooks/${second}`, { url: one.url })).status, "the URL is free").toBe(200)
})

test("Of many endpoints that move to one URL concurrently, one gets it", async () => {
  const client = await world.createAccount()
  const ids = await Promise.all(
    Array.from({ length: 10 }, async () => idOf(await create(client, serveReceiver(world).url))),
  )
  const { url } = serveReceiver(world)
  const moved = await Promise.all(ids.map((id) => client.call("PATCH", `/v1/webhooks/${id}`, { url })))
  expect(moved.map(({ status }) => status).sort()).toEqual([200, ...Array(9).fill(409)])
})

test("A server that does not answer the ping with 2xx gets no other events until it does", async () => {
  const client = await world.createAccount()
  const receiver = serveReceiver(world, () => new Response("who are you?", { status: 404 }))
  const made = await create(client, receiver.url)
  expect(await made.clone().json()).toMatchObject({ state: "pending", verified_at: null, enabled: true })
  const id = await idOf(made)
  const { turn_id } = await client.runTurn({ space: await client.space() })
  expect(receiver.types()).toEqual(["ping"])
  await world.advance(120_000)
  await world.sweep()
  await world.drain()
  expect(receiver.types(), "the retry of the ping").toEqual(["ping", "ping"])

  receiver.answer = () => new Response(null, { status: 204 })
  expect((await client.call("POST", `/v1/webhooks/${id}/test`)).status).toBe(202)
  await world.drain()
  expect(await read(client, id)).toMatchObject({ state: "verified", verified_at: expect.any(String) })
  expect(receiver.types(turn_id)).toEqual(["turn.queued", "turn.running", "turn.done"])
  expect((await deliveriesOf(client, id)).filter(({ state }) => state === "pending")).toHaveLength(1)
})

test("An endpoint whose URL changes must answer a new ping before it gets events", async () => {
  const client = await world.createAccount()
  const [before, after] = [serveReceiver(world), serveReceiver(world, () => new Response(null, { status: 401 }))]
  const { webhook_id } = await makeWebhook(client, { url: before.url })
  const moved = await client.call("PATCH", `/v1/webhooks/${webhook_id}`, { url: after.url })
  expect(await moved.json()).toMatchObject({ state: "pending", url: after.url })
  await client.runTurn({ space: await client.space() })
  expect([before.types(), after.types()]).toEqual([[], ["ping"]])
})

test("A late answer of an endpoint's former URL does not verify the new URL", async () => {
  const client = await world.createAccount()
  const [before, after] = [serveReceiver(world), serveReceiver(world, () => new Response(null, { status: 404 }))]
  const id = await idOf(await create(client, before.url))
  before.answer = async () => {
    await client.call("PATCH", `/v1/webhooks/${id}`, { url: after.url })
    return new Response(null, { status: 204 })
  }
  await world.drain()
  expect(await read(client, id)).toMatchObject({ state: "pending", url: after.url })
  await client.runTurn({ space: await client.space() })
  expect([before.types(), after.types()]).toEqual([["ping"], ["ping"]])
})

test("A ping that is never answered with 2xx disables its endpoint at the last attempt, and enabling sends another ping", async () => {
  const client = await world.createAccount()
  const receiver = serveReceiver(world, () => new Response(null, { status: 500 }))
  const id = await idOf(await create(client, receiver.url))
  await world.drain()
  for (let tries = 0; tries < WEBHOOK_POLICY.retryAfterMs.length; tries++) {
    const [ping] = await deliveriesOf(client, id)
    await untilNextAttempt(world, ping?.next_attempt_at as string)
  }
  expect(receiver.types()).toEqual(Array(8).fill("ping"))
  expect(await read(client, id)).toMatchObject({ state: "pending", enabled: false, disabled_reason: "failing" })
  receiver.answer = () => new Response()
  await client.call("PATCH", `/v1/webhooks/${id}`, { enabled: true })
  await world.drain()
  expect(await read(client, id)).toMatchObject({ state: "verified", enabled: true })
})

test("All accounts together send a host a limited number of deliveries, test keys fewer, and the rest later", async () => {
  const { perSecond, burst } = WEBHOOK_POLICY.hostRate.test
  const receiver = serveReceiver(world)
  const { host } = new URL(receiver.url)
  const clients = [await world.createAccount({ test: true }), await world.createAccount({ test: true })]
  for (const client of clients) {
    for (const path of ["/a", "/b"]) await makeWebhook(client, { url: `https://${host}${path}` })
  }
  // Nearly all of the host's allowance is used.
  const owed = (burst - 3) / perSecond
  const owe = (test: boolean) =>
    world.sql("insert into webhook_hosts values ($1, $2, $3)", [
      host,
      test,
      new Date(world.clock.ms() + owed * 1000).toISOString(),
    ])
  await owe(true)
  for (const client of clients) await client.sendTurn({ space: await client.space() })
  await world.drain()
  expect(receiver.received).toHaveLength(3)
  const live = await world.createAccount()
  const { webhook_id } = await makeWebhook(live, { url: `https://${host}/live` })
  await live.runTurn({ space: await live.space() })
  expect((await deliveriesOf(live, webhook_id)).map(({ state }) => state)).toEqual(Array(3).fill("delivered"))
  const sent = receiver.received.length
  for (let second = 1; second <= 3; second++) {
    await world.advance(1_000)
    await world.drain()
    expect(receiver.received.length - sent, "no more than was returned to the allowance").toBeLessThanOrEqual(
      second * perSecond,
    )
  }
  expect(receiver.received.length, "all of them are delivered in the end").toBe(sent + 9)
  await world.advance(3_600_000)
  await world.sweep()
  expect(await world.sql("select 1 from webhook_hosts where host = $1", [host])).toEqual([])
})

test("Live keys have a limit per host too, across its ports, and pings count", async () => {
  const { perSecond, burst } = WEBHOOK_POLICY.hostRate.live
  const receiver = serveReceiver(world)
  const { host } = new URL(receiver.url)
  const atPort: unknown[] = []
  world.serve(`${host}:8443`, async (request) => {
    atPort.push(await request.json())
    return new Response()
  })
  const client = await world.createAccount()
  const owe = (events: number) =>
    world.sql(
      `insert into webhook_hosts values ($1, false, $2)
       on conflict (host, test) do update set free_at = excluded.free_at`,
      [host, new Date(world.clock.ms() + (events / perSecond) * 1000).toISOString()],
    )
  await owe(burst)
  await create(client, receiver.url)
  await create(client, `https://${host}:8443/events`)
  await world.drain()
  const sent = () => [receiver.received.length, atPort.length]
  /** Moves the clock so that deliveries that were postponed to the next second are due. */
  const pass = async () => {
    for (let second = 0; second < 3; second++) {
      await world.advance(1_000)
      await world.drain()
    }
  }
  expect(sent()).toEqual([0, 0])
  await pass()
  expect(sent(), "the pings").toEqual([1, 1])
  await owe(burst)
  await client.sendTurn({ space: await client.space() })
  await world.drain()
  expect(sent()).toEqual([1, 1])
  await pass()
  expect(sent(), "three events for each endpoint").toEqual([4, 4])
})

test.each([
  ["test", true],
  ["live", false],
] as const)("Replays within an hour are limited for each endpoint of %s keys", async (mode, test) => {
  const most = WEBHOOK_POLICY.resendsAnHour[mode]
  const client = await world.createAccount({ test })
  const receiver = serveReceiver(world)
  const { webhook_id } = await makeWebhook(client, { url: receiver.url })
  await client.runTurn({ space: await client.space() })
  await world.sql("update webhook_endpoints set resends_free_at = $2 where webhook_id = $1", [
    webhook_id,
    new Date(world.clock.ms() + ((most - 2.5) / most) * 3_600_000).toISOString(),
  ])
  const replay = () =>
    client.call("POST", `/v1/webhooks/${webhook_id}/replay`, { from: "2020-01-01T00:00:00Z", include_delivered: true })
  expect(await (await replay()).json()).toMatchObject({ replayed: 2, has_more: true })
  const refused = await replay()
  expect(refused.status).toBe(429)
  expect(await refused.json()).toMatchObject({
    error: { code: "QUOTA_EXCEEDED", details: { cap: "resent_events", limit: most } },
  })
  expect((await client.call("POST", `/v1/webhooks/${webhook_id}/test`)).status).toBe(429)
  const [delivery] = await deliveriesOf(client, webhook_id)
  const again = () => client.call("POST", `/v1/deliveries/${delivery?.delivery_id}/redeliver`)
  expect((await again()).status).toBe(429)
  // Retry-After is whole seconds, in which live keys regain more than one delivery.
  const wait = Number(refused.headers.get("retry-after"))
  await world.advance(wait * 1000)
  const room = Math.ceil((wait * most) / 3_600)
  const statuses: number[] = []
  for (let n = 0; n <= room; n++) statuses.push((await again()).status)
  expect([statuses[0], statuses.at(-1)]).toEqual([202, 429])
})
