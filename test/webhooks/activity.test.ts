import { afterAll, beforeAll, expect, test } from "vitest"
import type { ActivityEntry } from "../../src/actor/activity-entry.ts"
import { type Receiver, serveReceiver } from "../harness/receiver.ts"
import { createWorld, type World } from "../harness/world.ts"

const TYPE = "activity.recorded"
const WEBHOOKS = "/api/account/webhooks"

let world: World
beforeAll(async () => {
  world = await createWorld()
})
afterAll(() => world.close())

async function arrange(events: string[] | null) {
  const client = await world.createAccount()
  const browser = await world.signIn(client.userId)
  const receiver = serveReceiver(world)
  const [status] = await browser.json("POST", WEBHOOKS, { url: receiver.url, events })
  expect(status).toBe(201)
  await world.drain()
  return { client, browser, receiver }
}

/** The entries that a receiver has got. */
const entriesOf = ({ received }: Receiver) =>
  received.filter(({ event }) => event.type === TYPE).map(({ event }) => event.data as unknown as ActivityEntry)

/** Lets the sweep write events, and the receiver get them. */
async function told() {
  await world.sweep()
  await world.drain()
}

test("A webhook that names the type gets each change once, as Activity shows it, and nothing for a delivery", async () => {
  const { browser, receiver } = await arrange([TYPE])
  const [, key] = await browser.json("POST", "/api/account/keys", { name: "Server", caps: { daily_usd: 5 } })
  await browser.json("PATCH", `/api/account/keys/${key.key_id}`, { caps: { daily_usd: 20 } })
  await told()
  const [, { items }] = await browser.json("GET", "/api/account/activity?limit=100")
  const bodies = entriesOf(receiver)
  const shown = items.filter(({ action }: { action: string }) => action !== "session.create")
  expect(bodies.map(({ action }) => action).sort()).toEqual(["key.create", "key.update", "webhook.create"])
  for (const body of bodies) {
    const entry = shown.find(({ activity_id }: { activity_id: number }) => activity_id === body.activity_id)
    expect(body).toEqual({ ...entry, address: null })
  }
  await told()
  await told()
  expect(entriesOf(receiver)).toHaveLength(3)
})

test("A webhook for all types does not get it, and without a webhook that names it nothing is written", async () => {
  const { client, browser, receiver } = await arrange(null)
  await browser.json("POST", "/api/account/keys", { name: "Server" })
  await told()
  expect(receiver.types()).toContain("key.created")
  expect(receiver.types()).not.toContain(TYPE)
  expect(await world.sql("select from events where user_id = $1 and type = $2", [client.userId, TYPE])).toEqual([])
  expect(await world.sql("select from activity_queue")).toEqual([])
})

test("A webhook of a key to its own spaces gets none", async () => {
  const client = await world.createAccount()
  const key = await world.makeKey(client.userId, { scope: "created" })
  const narrow = world.createClient(client.userId, key.value)
  const receiver = serveReceiver(world)
  await narrow.call("POST", "/v1/webhooks", { url: receiver.url, events: [TYPE] })
  await world.drain()
  const browser = await world.signIn(client.userId)
  await browser.json("POST", "/api/account/keys", { name: "Server" })
  await told()
  expect(receiver.types()).toEqual(["ping"])
})

test("Changes of the account's own user to themselves are no event, and no address is told", async () => {
  const { client, browser, receiver } = await arrange([TYPE])
  await world.sql(
    "insert into audit_log (actor_user_id, account_user_id, action, subject_type, subject_id, address, created_at) values ($1::bigint, $1::bigint, 'password.set', 'user', $1::bigint::text, '203.0.113.9', $2)",
    [client.userId, world.clock.now()],
  )
  await browser.json("POST", "/api/account/keys", { name: "Server" })
  await told()
  const entries = entriesOf(receiver)
  expect(entries.map(({ action }) => action).sort()).toEqual(["key.create", "webhook.create"])
  expect(entries.map(({ address }) => address)).toEqual([null, null])
})

test("The ids of events sort as their changes, also of one moment", async () => {
  const { client, browser } = await arrange([TYPE])
  for (let at = 0; at < 12; at++) await browser.json("POST", "/api/account/keys", { name: `Key ${at}` })
  await told()
  const events = await world.sql<{ id: number }>(
    "select (data->>'audit_id')::int as id from events where user_id = $1 and type = $2 order by event_id",
    [client.userId, TYPE],
  )
  expect(events).toHaveLength(13)
  expect(events).toEqual(events.toSorted((a, b) => a.id - b.id))
})

test("A change while the webhook is disabled is in the feed, and a replay sends it once the webhook is enabled", async () => {
  const { client, browser, receiver } = await arrange([TYPE])
  const [, { items }] = await browser.json("GET", WEBHOOKS)
  const path = `${WEBHOOKS}/${items[0].webhook_id}`
  expect((await browser.json("PATCH", path, { enabled: false }))[0]).toBe(200)
  await browser.json("POST", "/api/account/keys", { name: "Server" })
  await told()
  expect(entriesOf(receiver).map(({ action }) => action)).not.toContain("key.create")
  const [, feed] = await browser.json("GET", `/api/account/events?type=${TYPE}&limit=100`)
  expect(feed.data.map(({ data }: { data: ActivityEntry }) => data.action)).toContain("key.create")
  expect((await browser.json("PATCH", path, { enabled: true }))[0]).toBe(200)
  expect((await browser.json("POST", `${path}/replay`, { from: "2020-01-01T00:00:00Z" }))[0]).toBe(202)
  await told()
  expect(entriesOf(receiver).map(({ action }) => action)).toContain("key.create")
  expect((await browser.json("DELETE", path))[0]).toBeLessThan(300)
  await browser.json("POST", "/api/account/keys", { name: "Later" })
  await told()
  const later = await world.sql("select from events where user_id = $1 and data ->> 'action' = 'key.create'", [
    client.userId,
  ])
  expect(later).toHaveLength(1)
})

test("More changes than one batch, of an account whose webhook is gone, do not hold back another account", async () => {
  const { client } = await arrange([TYPE])
  const other = await arrange([TYPE])
  await told()
  await world.sql(
    `insert into audit_log (actor_user_id, account_user_id, action, subject_type, subject_id, created_at)
     select $1::bigint, $1::bigint, 'key.update', 'key', 'key_' || n, $2 from generate_series(1, 600) n`,
    [client.userId, world.clock.now()],
  )
  await world.sql("update webhook_endpoints set deleted_at = $2 where user_id = $1", [client.userId, world.clock.now()])
  await other.browser.json("POST", "/api/account/keys", { name: "Server" })
  await told()
  expect(entriesOf(other.receiver).map(({ action }) => action)).toContain("key.create")
})
