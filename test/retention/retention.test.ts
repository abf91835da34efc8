import { afterAll, afterEach, beforeAll, expect, test } from "vitest"
import { reconcileNow } from "../../src/billing/reconcile.ts"
import { sweepRetention } from "../../src/retention/sweep-retention.ts"
import { SETTINGS } from "../../src/settings/registry.ts"
import { contextOf } from "../harness/context.ts"
import { makeWebhook, serveReceiver } from "../harness/receiver.ts"
import { createWorld, turnOf, type World } from "../harness/world.ts"

const DAY_MS = 86_400_000
/** A mark looks an hour after the last turn became due, and at turns that it left after another hour. */
const LATE_MS = 2 * 3_600_000 + 60_000

let world: World
beforeAll(async () => {
  world = await createWorld({ isNew: true })
})
afterEach(() => world.sql("delete from settings"))
afterAll(() => world.close())

/** Runs the sweep until it finds nothing more, as it does minute after minute. */
async function sweep() {
  const ctx = contextOf(world)
  for (let runs = 0; runs < 20; runs++) if ((await sweepRetention(ctx)).looked === 0) return
  throw new Error("the sweep does not end")
}

async function passDays(days: number) {
  await world.advance(days * DAY_MS + LATE_MS)
  await sweep()
  await world.advance(LATE_MS)
  await sweep()
}

/** The rows that the database keeps of a turn, besides its own. */
async function rowsOf(turnId: string) {
  const [rows] = await world.sql<Record<"steps" | "log" | "events" | "deliveries" | "attempts", number>>(
    `select (select count(*)::int from turn_steps p where p.turn_id = $1) as steps,
      (select count(*)::int from turn_log l where l.turn_id = $1) as log,
      (select count(*)::int from events e where e.turn_id = $1) as events,
      (select count(*)::int from webhook_deliveries d where d.turn_id = $1) as deliveries,
      (select count(*)::int from webhook_attempts a join webhook_deliveries d on d.delivery_id = a.delivery_id
        where d.turn_id = $1) as attempts`,
    [turnId],
  )
  return rows
}

const setting = (key: string, value: number) =>
  world.sql(
    "insert into settings (key, value) values ($1, $2::text::jsonb) on conflict (key) do update set value = excluded.value",
    [key, value],
  )

/** An account with a webhook, and a turn of it that has used a tool. */
async function finishedTurn({ test = false } = {}) {
  const client = await world.createAccount({ test })
  const receiver = serveReceiver(world)
  const { webhook_id } = await makeWebhook(client, { url: receiver.url })
  const space = await client.space()
  const text = "[write a.txt hello]\n[reply a secret of ours]"
  const key = crypto.randomUUID()
  const { turn_id } = await turnOf(await client.sendTurn({ space, text, metadata: { order: "A-1" } }, key))
  await world.drain()
  return { client, receiver, webhook_id, space, turn_id, key, text }
}

test("Each kind of data is deleted after its own time, and the bill of the turn is kept", async () => {
  const days = { attempt_days: 8, step_days: 10, delivery_days: 30, event_days: 32, text_days: 34 }
  for (const [key, value] of Object.entries(days)) await setting(key, value)
  const { client, turn_id } = await finishedTurn()
  const before = await client.getTurn(turn_id)
  const rows = await rowsOf(turn_id)
  expect(rows).toMatchObject({ steps: 2, events: 3, deliveries: 3, attempts: 3 })
  expect(before.billed_cost_usd).toBeGreaterThan(0)

  let passed = 0
  const upTo = async (days: number) => {
    await passDays(days - passed)
    passed = days
  }
  await upTo(days.attempt_days - 1)
  expect(await rowsOf(turn_id)).toEqual(rows)
  await upTo(days.attempt_days)
  expect(await rowsOf(turn_id)).toEqual({ ...rows, attempts: 0 })
  await upTo(days.step_days)
  expect(await rowsOf(turn_id)).toEqual({ steps: 0, log: 0, events: 3, deliveries: 3, attempts: 0 })
  await upTo(days.delivery_days)
  expect(await rowsOf(turn_id)).toEqual({ steps: 0, log: 0, events: 3, deliveries: 0, attempts: 0 })
  expect(await client.getTurn(turn_id)).toEqual({ ...before, steps_deleted_at: expect.any(String) })
  await upTo(days.event_days)
  expect((await rowsOf(turn_id))?.events).toBe(0)
  expect((await client.getTurn(turn_id)).text).toBe(before.text)
  await upTo(days.text_days)
  expect(await client.getTurn(turn_id)).toEqual({
    ...before,
    text: "",
    result: null,
    metadata: {},
    texts_deleted_at: expect.any(String),
    steps_deleted_at: expect.any(String),
  })
  const [money] = await world.sql(
    `select (select count(*)::int from model_calls c where c.turn_id = $1) as calls,
      (select -sum(l.amount_credit_micros)::int from ledger l where l.turn_id = $1) as charged`,
    [turn_id],
  )
  expect(money).toEqual({ calls: 2, charged: Math.round(before.billed_cost_usd * 1e7) })
  expect((await reconcileNow(contextOf(world))).findings).toBe(0)
})

test("The log of a turn without steps is empty, and its stream ends at once", async () => {
  const { client, turn_id } = await finishedTurn()
  await passDays(SETTINGS.step_days.default)
  const log = (await (await client.call("GET", `/v1/turns/${turn_id}/events`)).json()) as { data: unknown[] }
  expect(log.data).toEqual([])
  const stream = await client.call("GET", `/v1/turns/${turn_id}/events`, undefined, { accept: "text/event-stream" })
  expect(await stream.text()).not.toContain("turn.")
})

test("A repeated Idempotency-Key still gets its turn after the texts are gone", async () => {
  const { client, turn_id, space, text, key } = await finishedTurn()
  await passDays(SETTINGS.text_days.default)
  const repeated = await client.sendTurn({ space, text, metadata: { order: "A-1" } }, key)
  expect(repeated.headers.get("idempotent-replayed")).toBe("true")
  expect(await turnOf(repeated)).toMatchObject({ turn_id, text: "", texts_deleted_at: expect.any(String) })
  expect((await client.sendTurn({ space, text: "another request" }, key)).status).toBe(422)
})

test("A conversation whose texts are gone starts again under the same id", async () => {
  const client = await world.createAccount()
  const ticket = { space: await client.space(), conversation: "ticket-1" }
  const first = await client.runTurn({ ...ticket, text: "[reply one]" })
  const second = await client.runTurn({ ...ticket, text: "[reply two]" })
  // The rehearsal model reads the whole history, so its prompt grows with each turn.
  expect(second.usage.tokens_input).toBeGreaterThan(first.usage.tokens_input)
  await passDays(SETTINGS.text_days.default)
  const third = await client.runTurn({ ...ticket, text: "[reply one]" })
  expect(third).toMatchObject({ state: "done", result: "one", conversation: first.conversation })
  expect(third.usage.tokens_input).toBe(first.usage.tokens_input)
})

test("A space has shorter times of its own, which never lengthen those of the service", async () => {
  const { client, turn_id, space } = await finishedTurn()
  const other = await client.runTurn({ space: await client.space(), text: "kept" })
  const path = `/v1/spaces/${space}/retention`
  const put = await client.call("PUT", path, { text_days: 3, step_days: 36_500, event_days: 5 })
  expect(put.status, await put.clone().text()).toBe(200)
  const { own, service, kept } = (await put.json()) as Record<"own" | "service" | "kept", Record<string, number>>
  expect(own).toEqual({ text_days: 3, step_days: 36_500, event_days: 5 })
  expect(kept).toEqual({ ...service, text_days: 3, event_days: 5 })
  expect(await (await client.call("GET", path)).json()).toEqual({ own, service, kept })

  await passDays(3)
  expect((await client.getTurn(turn_id)).text).toBe("")
  expect((await rowsOf(turn_id))?.events).toBe(3)
  await passDays(2)
  expect(await rowsOf(turn_id)).toMatchObject({ events: 0, deliveries: 0, attempts: 0 })
  expect(await client.getTurn(other.turn_id)).toMatchObject({ text: "kept", texts_deleted_at: null })
  await passDays(SETTINGS.step_days.default - 5)
  expect((await rowsOf(turn_id))?.steps).toBe(0)

  // Without days of its own, the space is like any other.
  await client.call("PUT", path, {})
  const later = await client.runTurn({ space, text: "kept again" })
  await passDays(5)
  expect((await client.getTurn(later.turn_id)).text).toBe("kept again")
})

test.each([
  [{ text_days: 0 }, "text_days"],
  [{ text_days: 1.5 }, "text_days"],
  [{ step_days: 36_501 }, "step_days"],
  [{ delivery_days: 30 }, "delivery_days"],
])("Days of a space that make no sense are refused: %j", async (body, field) => {
  const client = await world.createAccount()
  const answer = await client.call("PUT", `/v1/spaces/${await client.space()}/retention`, body)
  expect([answer.status, await answer.text()]).toEqual([422, expect.stringContaining(field)])
})

test("An event that is still being sent is kept with its delivery, and deleted after it has ended", async () => {
  const { client, receiver, turn_id } = await finishedTurn()
  const [{ delivery_id } = { delivery_id: "" }] = await world.sql<{ delivery_id: string }>(
    "select delivery_id from webhook_deliveries where turn_id = $1 order by seq desc limit 1",
    [turn_id],
  )
  await world.advance(SETTINGS.delivery_days.default * DAY_MS - DAY_MS)
  receiver.answer = () => new Response(null, { status: 500 })
  expect((await client.call("POST", `/v1/deliveries/${delivery_id}/redeliver`)).status).toBeLessThan(300)
  await world.advance(DAY_MS + LATE_MS)
  await sweep()
  expect(await rowsOf(turn_id)).toMatchObject({ events: 3, deliveries: 3 })
  receiver.answer = () => new Response(null, { status: 204 })
  await world.drain()
  expect(receiver.types(turn_id).filter((type) => type === "turn.done").length).toBeGreaterThan(1)
  await world.advance(LATE_MS)
  await sweep()
  expect(await rowsOf(turn_id)).toMatchObject({ events: 3, deliveries: 0 })
})

test("A replay leaves out events whose deliveries are no longer kept, so none is sent twice", async () => {
  const { client, receiver, webhook_id, turn_id } = await finishedTurn()
  await passDays(SETTINGS.delivery_days.default)
  expect(await rowsOf(turn_id)).toMatchObject({ events: 3, deliveries: 0 })
  const got = receiver.received.length
  const answer = await client.call("POST", `/v1/webhooks/${webhook_id}/replay`, { from: "2020-01-01T00:00:00Z" })
  expect(await answer.json()).toMatchObject({ replayed: 0 })
  await world.drain()
  expect(receiver.received).toHaveLength(got)
})

test("A turn that is open when the sweep passes it loses its texts after its end", async () => {
  const client = await world.createAccount()
  const space = await client.space()
  await client.call("PUT", `/v1/spaces/${space}/retention`, { text_days: 1 })
  const { turn_id } = await turnOf(await client.sendTurn({ space, text: "still open" }))
  await world.advance(DAY_MS + LATE_MS)
  await sweep()
  expect((await client.getTurn(turn_id)).text).toBe("still open")
  await world.drain()
  expect((await client.getTurn(turn_id)).finished_at).not.toBeNull()
  await sweep()
  expect((await client.getTurn(turn_id)).text).toBe("still open")
  await passDays(1)
  expect((await client.getTurn(turn_id)).text).toBe("")
})

test("A test turn loses texts and steps after test_data_days, and a live turn does not", async () => {
  const [live, testing] = [await finishedTurn(), await finishedTurn({ test: true })]
  await setting("test_data_days", 5)
  await passDays(5)
  expect(await testing.client.getTurn(testing.turn_id)).toMatchObject({ state: "done", text: "", result: null })
  expect(await rowsOf(testing.turn_id)).toMatchObject({ steps: 0, log: 0, events: 3 })
  expect((await live.client.getTurn(live.turn_id)).text).toBe(live.text)
  const browser = await world.signIn(testing.client.userId)
  const erased = await browser.call("DELETE", "/api/account/end-users/customer-1?test=true")
  expect(erased.status).toBeLessThan(300)
})

test("A lower setting takes effect with the next run, and no setting goes below a promise", async () => {
  const { client, turn_id } = await finishedTurn()
  await passDays(8)
  expect((await client.getTurn(turn_id)).text).not.toBe("")
  await setting("text_days", 1)
  const young = await client.runTurn({ space: await client.space(), text: "young" })
  await world.advance(2 * DAY_MS)
  await sweep()
  expect((await client.getTurn(turn_id)).text).toBe("")
  expect((await client.getTurn(young.turn_id)).text).toBe("young")
})

test("Events of an account, their deliveries and the audit log are deleted after their times", async () => {
  const client = await world.createAccount()
  const receiver = serveReceiver(world)
  const { webhook_id } = await makeWebhook(client, { url: receiver.url })
  expect((await client.call("POST", `/v1/webhooks/${webhook_id}/test`)).status).toBeLessThan(300)
  await world.drain()
  await world.sql(
    "insert into audit_log (action, subject_type, subject_id, created_at) values ('test', 'test', $1, $2)",
    [webhook_id, world.clock.now()],
  )
  const left = async () => {
    const [rows] = await world.sql(
      `select (select count(*)::int from webhook_deliveries d where d.webhook_id = $1) as deliveries,
        (select count(*)::int from webhook_attempts a join webhook_deliveries d on d.delivery_id = a.delivery_id
          where d.webhook_id = $1) as attempts,
        (select count(*)::int from events e where e.user_id = $2 and e.turn_id is null) as events,
        (select count(*)::int from audit_log a where a.subject_id = $1 and a.action = 'test') as audit`,
      [webhook_id, client.userId],
    )
    return rows
  }
  const all = { deliveries: 1, attempts: 1, events: 1, audit: 1 }
  expect(await left()).toEqual(all)
  await passDays(SETTINGS.attempt_days.default)
  expect(await left()).toEqual({ ...all, attempts: 0 })
  await passDays(SETTINGS.delivery_days.default - SETTINGS.attempt_days.default)
  expect(await left()).toEqual({ ...all, attempts: 0, deliveries: 0 })
  await passDays(SETTINGS.event_days.default - SETTINGS.delivery_days.default)
  expect(await left()).toEqual({ deliveries: 0, attempts: 0, events: 0, audit: 1 })
  await passDays(SETTINGS.audit_days.default - SETTINGS.event_days.default)
  expect((await left())?.audit).toBe(0)
})

test("Outside the retention, no event, step or audit entry can be deleted", async () => {
  for (const table of ["events", "turn_events", "turn_steps", "audit_log"]) {
    await expect(world.sql(`delete from ${table}`), table).rejects.toThrow("append-only")
  }
})

test("A run without due data takes no mark and writes nothing", async () => {
  await sweep()
  const marks = () => world.sql("select * from retention_marks order by space_id, data")
  const before = await marks()
  expect(await sweepRetention(contextOf(world))).toEqual({ looked: 0, deleted: 0, objects: 0, failed: 0 })
  expect(await marks()).toEqual(before)
})
