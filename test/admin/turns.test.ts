import { afterAll, beforeAll, expect, test } from "vitest"
import type { AdminTurnSummary } from "../../src/turns/find-turns.ts"
import { type Admin, signInAdmin } from "../harness/books.ts"
import { createWorld, type World } from "../harness/world.ts"

let world: World
let admin: Admin
beforeAll(async () => {
  world = await createWorld()
  admin = await signInAdmin(world)
})
afterAll(() => world.close())

const TEXT = "a secret of the customer"

async function failedTurn() {
  const client = await world.createAccount({ usd: 10 })
  const space = await client.space({ title: "Checkout helper" })
  return {
    client,
    space,
    turn: await client.runTurn({ space, text: `[fail OUT_OF_STOCK]\n${TEXT}`, end_user_ref: "ann" }),
  }
}

const looks = (turnId: string) =>
  world.sql<{ actor: number; after: { reason: string | null; texts: boolean } }>(
    "select actor_user_id::int as actor, after from audit_log where action = 'turn.read' and subject_id = $1 order by audit_id",
    [turnId],
  )

test("An operator lists turns of all accounts by state, reason and account, without their texts", async () => {
  const { client, turn } = await failedTurn()
  const other = await failedTurn()
  const [status, all] = await admin.json("GET", "/api/admin/turns?reason=OUT_OF_STOCK")
  expect(status).toBe(200)
  const ids = all.items.map(({ turn_id }: AdminTurnSummary) => turn_id)
  expect(ids).toEqual(expect.arrayContaining([turn.turn_id, other.turn.turn_id]))
  expect(JSON.stringify(all)).not.toContain(TEXT)
  const [, own] = await admin.json("GET", `/api/admin/turns?user_id=${client.userId}&state=failed`)
  expect(own).toMatchObject({
    total: 1,
    items: [
      {
        turn_id: turn.turn_id,
        account: { user_id: client.userId },
        space_title: "Checkout helper",
        status_reason: "OUT_OF_STOCK",
      },
    ],
  })
  expect(
    (await admin.json("GET", `/api/admin/turns?q=${encodeURIComponent(TEXT)}`))[1].items,
    "texts are not searched",
  ).toEqual([])
  expect((await admin.json("GET", `/api/admin/turn-stats?user_id=${client.userId}`))[1]).toMatchObject({
    turns: 1,
    failed: 1,
  })
})

test("Turns with a failure of the infrastructure can be narrowed to a conversation and to live turns", async () => {
  const { client, space, turn } = await failedTurn()
  const other = await client.runTurn({ space, text: "hello", end_user_ref: "ann", conversation: "another" })
  const key = await world.makeKey(client.userId, { test: true, scope: "all" })
  const tester = world.createClient(client.userId, key.value)
  const tested = await tester.runTurn({ space: await tester.space(), text: "hello" })
  for (const { turn_id } of [turn, other, tested]) {
    await world.sql(
      "insert into infrastructure_errors (kind, name, code, turn_id, created_at) select 'model_call', 'openai', 'X', $1, created_at from turns where turn_id = $1",
      [turn_id],
    )
  }
  const find = async (more = "") =>
    (await admin.json("GET", `/api/admin/turns?user_id=${client.userId}&failure=model_call${more}`))[1].items.map(
      ({ turn_id }: AdminTurnSummary) => turn_id,
    )
  expect((await find()).sort()).toEqual([turn.turn_id, other.turn_id].sort())
  expect(await find(`&conversation=${other.conversation}`)).toEqual([other.turn_id])
})

test("Turns are listed by the provider account that they called, also if the call failed", async () => {
  const { client, space, turn } = await failedTurn()
  const served = await client.runTurn({ space, text: "hello", end_user_ref: "ann" })
  await world.sql("update model_calls set subscription_id = 'sub_ada' where turn_id = $1", [served.turn_id])
  const note = (name: string, kind: string) =>
    world.sql(
      "insert into infrastructure_errors (kind, name, code, turn_id, created_at) values ($1, $2, 'X', $3, $4)",
      [kind, name, turn.turn_id, world.clock.now()],
    )
  await note("sub_ada", "model_call")
  await note("sub_grace", "container_exec")
  const find = async (query: string) =>
    (await admin.json("GET", `/api/admin/turns?user_id=${client.userId}&${query}`))[1].items.map(
      ({ turn_id }: AdminTurnSummary) => turn_id,
    )
  expect((await find("provider=sub_ada")).sort()).toEqual([served.turn_id, turn.turn_id].sort())
  expect(await find("provider=sub_ada&failure=model_call")).toEqual([turn.turn_id])
  expect(await find("provider=sub_ada&failure=container_exec")).toEqual([])
  expect(await find("provider=sub_ada&state=done")).toEqual([served.turn_id])
})

test("The calls of a provider are searched for a day, or for the newest seven days of a range", async () => {
  const { client, space } = await failedTurn()
  const { turn_id } = await client.runTurn({ space, text: "hello" })
  const daysAgo = (days: number) => new Date(world.clock.ms() - days * 86_400_000).toISOString()
  const callAt = (days: number) =>
    world.sql("update model_calls set subscription_id = 'sub_hopper', created_at = $2 where turn_id = $1", [
      turn_id,
      daysAgo(days),
    ])
  const read = async (path: string, query: string) =>
    (await admin.json("GET", `${path}?user_id=${client.userId}&provider=sub_hopper${query}`))[1]
  const find = async (query: string) =>
    (await read("/api/admin/turns", query)).items.map((found: AdminTurnSummary) => found.turn_id)
  await callAt(2)
  expect(await find("")).toEqual([])
  expect(await find(`&created_after=${daysAgo(3)}`)).toEqual([turn_id])
  expect(await find(`&created_before=${daysAgo(1.5)}`)).toEqual([turn_id])
  await callAt(8)
  expect(await find(`&created_after=${daysAgo(30)}`)).toEqual([])
  expect(await read("/api/admin/turn-stats", `&created_after=${daysAgo(30)}`)).toMatchObject({
    turns: 0,
    since: daysAgo(7),
  })
  expect(await find(`&created_after=${daysAgo(30)}&created_before=${daysAgo(2)}`)).toEqual([turn_id])
  await world.sql(
    "insert into infrastructure_errors (kind, name, code, turn_id, created_at) values ('model_call', 'sub_hopper', 'X', $1, $2)",
    [turn_id, daysAgo(8)],
  )
  expect(await find("&failure=model_call"), "failures are few").toEqual([turn_id])
})

test("Each look at a turn is audited, and with the setting its texts need a reason", async () => {
  const { client, turn } = await failedTurn()
  const path = `/api/admin/turns/${turn.turn_id}`
  const [, shown] = await admin.json("GET", path)
  expect(shown).toMatchObject({
    texts: "shown",
    account: { user_id: client.userId },
    turn: { turn_id: turn.turn_id, error: { code: "OUT_OF_STOCK" } },
  })
  expect(shown.turn.text).toContain(TEXT)
  await admin.json("PUT", "/api/admin/settings", { key: "turn_texts_for_operators", value: "with_reason" })
  const [, hidden] = await admin.json("GET", path)
  expect(hidden).toMatchObject({
    texts: "hidden",
    turn: { text: "", result: null, error: { code: "OUT_OF_STOCK", message: "" } },
    steps: [],
  })
  expect(JSON.stringify(hidden)).not.toContain(TEXT)
  expect(hidden.trace.spans.length).toBeGreaterThan(0)
  const [, stated] = await admin.json("GET", `${path}?reason=${encodeURIComponent("Ticket 4711")}`)
  expect([stated.texts, stated.turn.text.includes(TEXT)]).toEqual(["shown", true])
  expect((await admin.json("GET", `${path}?reason=no`))[0], "a reason says something").toBe(422)
  await admin.json("PUT", "/api/admin/settings", { key: "turn_texts_for_operators", value: "shown" })
  expect((await looks(turn.turn_id)).map(({ actor, after }) => [actor, after.texts, after.reason])).toEqual([
    [admin.userId, true, null],
    [admin.userId, false, null],
    [admin.userId, true, "Ticket 4711"],
  ])
})

test("An unknown turn is not found, and nothing is audited", async () => {
  expect((await admin.json("GET", "/api/admin/turns/turn_nobody"))[0]).toBe(404)
  expect(await looks("turn_nobody")).toEqual([])
})

test("An operator finds a turn of any account by its id and by its request, and the audit entries of a request", async () => {
  const { client, space, turn } = await failedTurn()
  const find = async (q: string) => (await admin.json("GET", `/api/admin/search?q=${encodeURIComponent(q)}`))[1].items
  expect(await find(turn.turn_id)).toMatchObject([{ kind: "turn", id: turn.turn_id }])
  expect(await find(space)).toMatchObject([{ kind: "space", id: space }])
  const [sent] = await world.sql<{ request_id: string }>("select request_id from turns where turn_id = $1", [
    turn.turn_id,
  ])
  expect(await find(sent?.request_id ?? "")).toMatchObject([{ kind: "turn", id: turn.turn_id }])
  const changed = await admin.call("PUT", "/api/admin/settings", { key: "trial_days", value: 15 })
  expect(await find(changed.headers.get("x-request-id") ?? "")).toMatchObject([
    { kind: "audit", title: "setting.update" },
  ])
  expect(await find(String(client.userId))).toEqual(
    expect.arrayContaining([expect.objectContaining({ kind: "user", id: String(client.userId) })]),
  )
  expect((await find("checkout h"))[0]).toMatchObject({ kind: "space", title: "Checkout helper" })
})

test("An operator finds end users and webhooks of all accounts by the start of their name or URL, with the account", async () => {
  const client = await world.createAccount({ usd: 10 })
  const space = await client.space()
  const name = `Northwind-${client.userId}`
  await client.runTurn({ space, text: "hi", end_user_ref: `${name}-one` })
  const owner = await world.signIn(client.userId)
  const limited = await owner.call("PUT", `/api/account/end-users/${name}-two/limits`, { daily_usd: 1 })
  expect(limited.status).toBe(200)
  const url = `https://hooks.customer.com/${name}/turns`
  const [, { webhook_id }] = await owner.json("POST", "/api/account/webhooks", { url, ping: false })
  await world.sweep()
  const find = async (q: string) => (await admin.json("GET", `/api/admin/search?q=${encodeURIComponent(q)}`))[1].items
  const detail = String(client.userId)
  const [one, two] = [`${name}-one`, `${name}-two`].map((id) => ({ kind: "end_user", id, detail }))
  expect(await find(name.toUpperCase())).toMatchObject([one, two])
  expect(await find(`${name}-two`)).toMatchObject([{ ...two, title: expect.stringContaining(`${name}-two · `) }])
  expect(await find(`orthwind-${client.userId}`), "a part in the middle").toEqual([])
  const webhook = { kind: "webhook", id: webhook_id, detail }
  for (const start of [url, url.slice("https://".length), webhook_id])
    expect(await find(start)).toMatchObject([webhook])
})

test("An operator finds the turn of an event by the event's id, and the account of an event without a turn", async () => {
  const { client, turn } = await failedTurn()
  const find = async (q: string) => (await admin.json("GET", `/api/admin/search?q=${q}`))[1].items
  const owner = await world.signIn(client.userId)
  const [, { items }] = await owner.json("GET", `/api/account/turns/${turn.turn_id}/events`)
  expect(await find(items[0].id)).toMatchObject([{ kind: "turn", id: turn.turn_id, detail: items[0].id }])
  const made = await owner.call("POST", "/api/account/keys", { name: "second", scope: "all" })
  expect(made.status).toBe(201)
  const [event] = await world.sql<{ event_id: string }>(
    "select event_id from events where user_id = $1 and type = 'key.created' order by event_id limit 1",
    [client.userId],
  )
  const id = event?.event_id ?? ""
  expect(await find(id)).toMatchObject([{ kind: "event", id, title: "key.created", detail: String(client.userId) }])
})
