import { afterAll, beforeAll, expect, test } from "vitest"
import { deliveriesOf, makeWebhook, serveReceiver } from "../harness/receiver.ts"
import { createWorld, type TestClient, type World } from "../harness/world.ts"

let world: World
beforeAll(async () => {
  world = await createWorld()
})
afterAll(() => world.close())

type KeyOptions = Parameters<World["makeKey"]>[1]

async function spaceNumber(slug: string): Promise<number> {
  const [row] = await world.sql<{ space_id: number }>("select space_id from spaces where slug = $1", [slug])
  return Number(row?.space_id)
}

/** An account with one API key for each of `keys`. */
async function keysOf<Name extends string>(
  userId: number,
  keys: Record<Name, KeyOptions>,
): Promise<Record<Name, TestClient>> {
  const made = Object.entries<KeyOptions>(keys).map(async ([name, key]) => [
    name,
    world.createClient(userId, (await world.makeKey(userId, key)).value),
  ])
  return Object.fromEntries(await Promise.all(made))
}

test("An endpoint gets exactly the events that its key may see", async () => {
  const { userId } = await world.createAccount()
  const { all, first, second } = await keysOf(userId, { all: { scope: "all" }, first: {}, second: {} })
  const spaces = { all: await all.space(), first: await first.space(), second: await second.space() }
  const { one, tests } = await keysOf(userId, {
    one: { scope: "space", spaceId: await spaceNumber(spaces.second) },
    tests: { scope: "all", test: true },
  })
  const testSpace = await tests.space()
  const stranger = await world.createAccount()
  const receivers = Object.fromEntries(
    await Promise.all(
      Object.entries({ all, first, second, one, tests, stranger }).map(async ([name, client]) => {
        const receiver = serveReceiver(world)
        await makeWebhook(client, { url: receiver.url })
        return [name, receiver] as const
      }),
    ),
  )
  await all.runTurn({ space: spaces.all, text: "all" })
  await first.runTurn({ space: spaces.first, text: "first" })
  await second.runTurn({ space: spaces.second, text: "second" })
  await one.runTurn({ space: spaces.second, text: "one" })
  await tests.runTurn({ space: testSpace, text: "tests" })
  await stranger.runTurn({ space: await stranger.space(), text: "stranger" })
  const heard = Object.entries(receivers).map(([name, { received }]) => [
    name,
    [...new Set(received.map(({ event }) => event.data.turn?.text))].sort(),
  ])
  expect(Object.fromEntries(heard)).toEqual({
    all: ["all", "first", "one", "second"],
    first: ["first"],
    second: ["one", "second"],
    one: ["one", "second"],
    tests: ["tests"],
    stranger: ["stranger"],
  })
  const feeds = Object.entries({ all, first, second, one, tests, stranger }).map(async ([name, client]) => {
    const response = await client.call("GET", "/v1/events?limit=100")
    const { data } = (await response.json()) as { data: { data: { turn: { text: string } } }[] }
    return [name, [...new Set(data.map(({ data: { turn } }) => turn.text))].sort()]
  })
  expect(Object.fromEntries(await Promise.all(feeds)), "the feed has the same events").toEqual(
    Object.fromEntries(heard),
  )
})

test("An endpoint gets the types that it names, and an endpoint without types also gets future types", async () => {
  const client = await world.createAccount()
  const some = serveReceiver(world)
  const every = serveReceiver(world)
  const { webhook_id } = await makeWebhook(client, { url: some.url, events: ["turn.failed", "turn.cancelled"] })
  await makeWebhook(client, { url: every.url, events: null })
  const space = await client.space()
  await client.runTurn({ space })
  await client.runTurn({ space, text: "[fail OUT_OF_STOCK]" })
  expect(some.types()).toEqual(["turn.failed"])
  expect(every.types()).toEqual([
    "turn.queued",
    "turn.running",
    "turn.done",
    "turn.queued",
    "turn.running",
    "turn.failed",
  ])
  const changed = await client.call("PATCH", `/v1/webhooks/${webhook_id}`, { events: ["turn.queued"] })
  expect(await changed.json()).toMatchObject({ events: ["turn.queued"] })
  await client.runTurn({ space })
  expect(some.types()).toEqual(["turn.failed", "turn.queued"])
})

test("A ping is sent to the requested endpoint and reports its answer", async () => {
  const client = await world.createAccount()
  const asked = serveReceiver(world, () => new Response("pong"))
  const other = serveReceiver(world)
  const { webhook_id } = await makeWebhook(client, { url: asked.url, events: ["turn.done"] })
  await makeWebhook(client, { url: other.url })
  const response = await client.call("POST", `/v1/webhooks/${webhook_id}/test`)
  expect([response.status, await response.json()]).toEqual([
    202,
    expect.objectContaining({ state: "pending", event_type: "ping", attempts: [] }),
  ])
  await world.drain()
  expect(asked.received.map(({ event }) => [event.type, event.data])).toEqual([["ping", { webhook_id }]])
  expect(other.received).toEqual([])
  expect((await deliveriesOf(client, webhook_id))[0]).toMatchObject({
    state: "delivered",
    attempts: [{ status: 200, answer: "pong" }],
  })
})

test("An account has at most 50 endpoints, even if 60 are requested concurrently", async () => {
  const client = await world.createAccount()
  world.serve("hooks.customer.com", () => new Response())
  let made = 0
  const make = () => client.call("POST", "/v1/webhooks", { url: `https://hooks.customer.com/${++made}` })
  const statuses = (await Promise.all(Array.from({ length: 60 }, make))).map(({ status }) => status)
  expect(statuses.filter((status) => status === 201)).toHaveLength(50)
  expect(statuses.filter((status) => status === 409)).toHaveLength(10)
  const { data } = (await (await client.call("GET", "/v1/webhooks")).json()) as { data: { webhook_id: string }[] }
  expect((await client.call("DELETE", `/v1/webhooks/${data[0]?.webhook_id}`)).status).toBe(200)
  expect((await make()).status, "its place is free").toBe(201)
})

test("Events about an endpoint are hidden from other keys of its space", async () => {
  const owner = await world.createAccount()
  const slug = await owner.space()
  const spaceId = await spaceNumber(slug)
  const keyOfSpace = async () =>
    world.createClient(owner.userId, (await world.makeKey(owner.userId, { scope: "space", spaceId })).value)
  const [mine, other] = [await keyOfSpace(), await keyOfSpace()]
  const [gone, watching, listening] = [serveReceiver(world), serveReceiver(world), serveReceiver(world)]
  const { webhook_id } = await makeWebhook(mine, { url: `${gone.url}?token=of-mine` })
  await makeWebhook(mine, { url: watching.url, events: ["endpoint.disabled"] })
  await makeWebhook(other, { url: listening.url })
  await mine.call("POST", `/v1/webhooks/${webhook_id}/test`)
  await world.drain()
  gone.answer = () => new Response(null, { status: 410 })
  await owner.runTurn({ space: slug })
  expect(watching.types()).toEqual(["endpoint.disabled"])
  expect(listening.types().sort()).toEqual(["turn.done", "turn.queued", "turn.running"])
  const feedOf = async (client: Pick<TestClient, "call">) => (await client.call("GET", "/v1/events?limit=100")).text()
  expect(await feedOf(mine)).toContain("of-mine")
  expect(await feedOf(mine)).toContain('"ping"')
  const feed = await feedOf(other)
  expect(feed).toContain("turn.done")
  expect(feed).not.toContain("of-mine")
  expect(feed).not.toContain('"ping"')
})
