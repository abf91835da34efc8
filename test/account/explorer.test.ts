import { afterAll, beforeAll, describe, expect, test } from "vitest"
import type { TurnSummary } from "../../src/turns/find-turns.ts"
import type { TraceSpan } from "../../src/turns/turn-trace.ts"
import { parseCsv } from "../harness/csv.ts"
import { orderTool, serveCustomer } from "../harness/customer.ts"
import { createWorld, turnOf, type World } from "../harness/world.ts"

let world: World
beforeAll(async () => {
  world = await createWorld()
  serveCustomer(world)
})
afterAll(() => world.close())

async function account() {
  const client = await world.createAccount({ usd: 100 })
  let owner = await world.signIn(client.userId)
  const space = await client.space({ title: "Support desk" })
  const get = async (path: string) => {
    const [status, answer] = await owner.json("GET", `/api/account/${path}`)
    expect(status, JSON.stringify(answer)).toBe(200)
    return answer
  }
  const ids = async (query: string): Promise<string[]> =>
    (await get(`turn-summaries?${query}`)).items.map(({ turn_id }: TurnSummary) => turn_id)
  const hits = async (q: string): Promise<{ kind: string; id: string }[]> =>
    (await get(`search?q=${encodeURIComponent(q)}`)).items.map(({ kind, id }: { kind: string; id: string }) => ({
      kind,
      id,
    }))
  const signIn = async () => {
    owner = await world.signIn(client.userId)
  }
  return { client, owner, space, get, ids, hits, signIn }
}

describe("The explorer", () => {
  test("Turns are sorted by time, cost and duration, open ones too, with the names of their space and key", async () => {
    const { client, space, get, ids } = await account()
    const dear = await client.runTurn({ space, text: "[use input=10 output=900]\nhello" })
    await world.advance(1000)
    const slow = await turnOf(
      await client.sendTurn({ space, text: "[use input=10 output=30]\nhello", end_user_ref: "slow" }),
    )
    await world.advance(7000)
    await world.drain()
    const open = await turnOf(await client.sendTurn({ space, end_user_ref: "open" }))
    expect(await ids("")).toEqual([open.turn_id, slow.turn_id, dear.turn_id])
    expect(await ids("direction=asc")).toEqual([dear.turn_id, slow.turn_id, open.turn_id])
    expect(await ids("sort=cost")).toEqual([dear.turn_id, slow.turn_id, open.turn_id])
    expect((await ids("sort=duration"))[0]).toBe(slow.turn_id)
    const [first] = (await get("turn-summaries?sort=duration")).items
    expect(first).toMatchObject({
      space_title: "Support desk",
      key: { name: "test" },
      end_user_ref: "slow",
      state: "done",
    })
    expect(first.seconds).toBeGreaterThanOrEqual(7)
    await world.drain()
  })

  test("Each filter keeps exactly the turns that it names", async () => {
    const { client, space, ids } = await account()
    const other = await client.space({ title: "Other" })
    const done = await client.runTurn({
      space,
      text: "[use input=10 output=900]\nwhere is my parcel",
      end_user_ref: "ann",
    })
    const failed = await client.runTurn({ space: other, text: "[fail OUT_OF_STOCK]", end_user_ref: "bob" })
    const keyed = await world.makeKey(client.userId, { scope: "all", name: "Second" })
    const second = await world.createClient(client.userId, keyed.value).runTurn({ space, end_user_ref: "cid" })
    const only = async (query: string, ...expected: { turn_id: string }[]) =>
      expect((await ids(query)).sort(), query).toEqual(expected.map(({ turn_id }) => turn_id).sort())
    await only(`space=${other}`, failed)
    await only("space=spc_unknown")
    await only(`key=${keyed.key_id}`, second)
    await only("end_user_ref=ann", done)
    await only("state=failed", failed)
    await only("reason=OUT_OF_STOCK", failed)
    await only("model=rehearsal%2Fstandard", done, failed, second)
    await only("model=nobody%2Felse")
    await only(`conversation=${done.conversation}`, done)
    await only(`min_cost_usd=${done.billed_cost_usd}`, done)
    await only("min_seconds=3600")
    await only("created_before=2020-01-01T00:00:00Z")
    await only("q=PARCEL", done)
    await only("q=bo", failed)
    await only("q=support", done, second)
    await only(`q=${failed.turn_id}`, failed)
    await only(`q=${done.conversation}&state=failed`)
  })

  test("The figures count the same turns as the list, by state, bucket and reason", async () => {
    const { client, space, get } = await account()
    for (const text of ["a", "b", "[fail OUT_OF_STOCK]", "[fail OUT_OF_STOCK]", "[fail BROKEN]"])
      await client.runTurn({ space, text })
    const stats = await get("turn-stats")
    expect(stats).toMatchObject({ turns: 5, done: 2, failed: 3, cancelled: 0, open: 0, success_rate: 0.4 })
    expect(stats.reasons).toMatchObject([
      { value: "OUT_OF_STOCK", turns: 2 },
      { value: "BROKEN", turns: 1 },
    ])
    expect(stats.buckets.reduce((sum: number, { turns }: { turns: number }) => sum + turns, 0)).toBe(5)
    expect(await get("turn-stats?state=failed")).toMatchObject({ turns: 3, done: 0, success_rate: 0 })
    expect(await get("turn-stats?end_user_ref=nobody")).toMatchObject({
      turns: 0,
      p95_seconds: null,
      success_rate: null,
      buckets: [],
    })
  })

  test("The CSV has every turn of the search in its order", async () => {
    const { client, owner, space, ids } = await account()
    for (const output of [10, 30, 20])
      await client.runTurn({ space, text: `[use input=1 output=${output}]\n${output}` })
    const response = await owner.call("GET", "/api/account/turn-summaries?sort=cost&format=csv&limit=1")
    const [, ...rows] = parseCsv(await response.text())
    expect(rows.map(([id]) => id)).toEqual(await ids("sort=cost"))
    // A turn that arrives while the file is sent is not in it, because it would move the others to another page.
    const others = await ids("")
    const [, { turn_id }] = await owner.json("POST", "/api/account/chat/turns", { space, text: "later" })
    await world.sql("update turns set created_at = created_at + interval '1 hour' where turn_id = $1", [turn_id])
    expect(await ids("")).toEqual([turn_id, ...others])
    const later = await owner.call("GET", "/api/account/turn-summaries?format=csv")
    const [, ...kept] = parseCsv(await later.text())
    expect(kept.map(([id]) => id)).toEqual(others)
  })

  test("A list without a start goes back 30 days, except for a conversation", async () => {
    const { client, space, ids, signIn } = await account()
    const old = await client.runTurn({ space })
    await world.advance(31 * 86_400_000)
    await signIn()
    expect(await ids("")).toEqual([])
    expect(await ids("created_after=2020-01-01T00:00:00Z")).toEqual([old.turn_id])
    expect(await ids(`conversation=${old.conversation}`)).toEqual([old.turn_id])
  })
})

describe("The trace of a turn", () => {
  test("Model and tool calls follow each other from acceptance to end", async () => {
    const { client, space, get } = await account()
    const { name, ...tool } = orderTool()
    await client.call("PUT", `/v1/spaces/${space}/secrets/TOKEN`, { value: "s3cret" })
    await client.call("PUT", `/v1/spaces/${space}/tools/${name}`, tool)
    const sent = await turnOf(await client.sendTurn({ space, text: '[call lookup_order {"id":"A-1"}]' }))
    await world.advance(2000)
    await world.drain()
    const trace = await get(`turns/${sent.turn_id}/trace`)
    expect(trace).toMatchObject({ space: { title: "Support desk" }, key: { name: "test" } })
    const spans: TraceSpan[] = trace.spans
    expect(spans.map(({ kind, name: of }) => [kind, of])).toEqual([
      ["queue", "Queue"],
      ["model", "rehearsal/standard"],
      ["tool", "lookup_order"],
      ["model", "rehearsal/standard"],
    ])
    expect(spans[0]).toMatchObject({ start_ms: 0, state: "ok" })
    expect(spans[0]?.duration_ms).toBeGreaterThanOrEqual(2000)
    for (const span of spans) expect(span.start_ms + span.duration_ms).toBeLessThanOrEqual(trace.total_ms)
    expect(trace.request_id).toMatch(/^req_/)
    expect(JSON.stringify(trace)).not.toContain("A-1")
  })

  test("A failed attempt has its code, and the pause after it is a wait", async () => {
    const { client, space, get } = await account()
    const turn = await client.runTurn({ space })
    await world.sql(
      `insert into infrastructure_errors (kind, name, code, turn_id, created_at)
       select 'model_call', 'account-of-the-operator', 'unavailable', turn_id, created_at from turns where turn_id = $1`,
      [turn.turn_id],
    )
    const trace = await get(`turns/${turn.turn_id}/trace`)
    expect(trace.spans).toContainEqual(
      expect.objectContaining({ kind: "attempt", name: "unavailable", state: "failed", detail: "model_call" }),
    )
    expect(JSON.stringify(trace)).not.toContain("account-of-the-operator")
  })
})

describe("The search", () => {
  test("Any id leads to its object: a turn also by an event, a request and an Idempotency-Key", async () => {
    const { client, owner, space, hits } = await account()
    const response = await client.call(
      "POST",
      "/v1/turns",
      { space, end_user_ref: "ann", text: "hello" },
      { "idempotency-key": "order-4711" },
    )
    const { turn_id: id, conversation } = await turnOf(response)
    await world.drain()
    const turn = { kind: "turn", id }
    expect(await hits(id)).toEqual([turn])
    expect(await hits(` ${id} `)).toEqual([turn])
    expect(await hits(response.headers.get("x-request-id") ?? "")).toEqual([turn])
    expect(await hits("order-4711")).toEqual([turn])
    const [, { items }] = await owner.json("GET", `/api/account/turns/${id}/events`)
    expect(items.length).toBeGreaterThan(3)
    for (const event of items) expect(await hits(event.id), event.type).toEqual([turn])
    expect(await hits(conversation)).toEqual([{ kind: "conversation", id: conversation }])
    expect(await hits(space)).toEqual([{ kind: "space", id: space }])
    const [key] = (await owner.json("GET", "/api/account/keys"))[1].items
    expect(await hits(key.key_id)).toEqual([{ kind: "key", id: key.key_id }])
  })

  test("A part of a title, a customer, a key or a webhook is found, the best first", async () => {
    const { client, owner, space, hits } = await account()
    await client.runTurn({ space, end_user_ref: "acme-support" })
    expect(await hits("support")).toEqual([
      { kind: "space", id: space },
      { kind: "end_user", id: "acme-support" },
    ])
    const [, webhook] = await owner.json("POST", "/api/account/webhooks", { url: "https://hooks.customer.com/x" })
    expect(await hits("hooks.customer")).toEqual([{ kind: "webhook", id: webhook.webhook_id }])
    expect(await hits("100%")).toEqual([])
    await world.sweep()
    expect(await hits("ACME-S")).toEqual([{ kind: "end_user", id: "acme-support" }])
  })

  test("No search, list or trace shows another account's data", async () => {
    const mine = await account()
    const theirs = await account()
    const sent = await theirs.client.call(
      "POST",
      "/v1/turns",
      { space: theirs.space, end_user_ref: "their-customer", text: "hi" },
      { "idempotency-key": "their-key" },
    )
    const { turn_id, conversation } = await turnOf(sent)
    await world.drain()
    const [, { items }] = await theirs.owner.json("GET", `/api/account/turns/${turn_id}/events`)
    const request = sent.headers.get("x-request-id") ?? ""
    for (const q of [
      turn_id,
      conversation,
      theirs.space,
      request,
      items[0].id,
      items[2].id,
      "their-key",
      "their-customer",
    ]) {
      expect(await mine.hits(q), q).toEqual([])
      expect(await mine.ids(`q=${encodeURIComponent(q)}`), q).toEqual([])
    }
    expect(await mine.ids(`space=${theirs.space}`)).toEqual([])
    expect(await mine.ids(`conversation=${conversation}`)).toEqual([])
    expect((await mine.owner.json("GET", `/api/account/turns/${turn_id}/trace`))[0]).toBe(404)
    expect((await mine.owner.json("GET", "/api/admin/turns"))[0]).toBe(403)
    expect((await mine.owner.json("GET", `/api/admin/turns/${turn_id}`))[0]).toBe(403)
    expect((await mine.owner.json("GET", "/api/admin/search?q=x"))[0]).toBe(403)
  })
})

test("The CSV of the ledger has every entry that matches, newest first", async () => {
  const { client, owner, space } = await account()
  for (let n = 0; n < 3; n++) await client.runTurn({ space, text: "[use input=10 output=10]\nhello" })
  const [, { items }] = await owner.json("GET", "/api/account/ledger?reason=usage")
  const response = await owner.call("GET", "/api/account/ledger?reason=usage&format=csv&limit=1")
  const [, ...rows] = parseCsv(await response.text())
  expect(rows.map(([id]) => Number(id))).toEqual(items.map(({ ledger_id }: { ledger_id: number }) => ledger_id))
})
