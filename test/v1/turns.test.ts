import { afterAll, beforeAll, describe, expect, test } from "vitest"
import type { Turn } from "../../src/turns/schemas.ts"
import { expectPromises } from "../harness/promises.ts"
import { createWorld, turnOf, type World } from "../harness/world.ts"

let world: World
beforeAll(async () => {
  world = await createWorld()
})
afterAll(() => world.close())

describe("Idempotency", () => {
  test("The same key returns the same turn for the same body, and 422 for another body", async () => {
    const client = await world.createAccount()
    const space = await client.space()
    const body = { space, text: "one", metadata: { a: "1", b: "2" } }
    const first = await client.sendTurn(body, "key-1")
    expect(first.headers.get("idempotent-replayed")).toBeNull()
    const turn = await turnOf(first)
    await world.drain()

    const again = await client.sendTurn({ metadata: { b: "2", a: "1" }, text: "one", space }, '"key-1"')
    expect([again.status, again.headers.get("idempotent-replayed")]).toEqual([202, "true"])
    expect(await turnOf(again)).toMatchObject({ turn_id: turn.turn_id, state: "done" })

    const other = await client.sendTurn({ ...body, text: "two" }, "key-1")
    expect(other.status).toBe(422)
    expect(await other.json()).toMatchObject({ error: { code: "IDEMPOTENCY_KEY_REUSED" } })
    expect(await expectPromises(world, client.userId)).toHaveLength(1)
  })

  test("A refusal is not stored: the key works once there is credit", async () => {
    const client = await world.createAccount({ usd: 0 })
    const space = await client.space()
    expect((await client.sendTurn({ space }, "later")).status).toBe(402)
    await world.sql("update wallets set balance_credit_micros = 10000000 where user_id = $1", [client.userId])
    await world.sql(
      `insert into ledger (user_id, reason, amount_credit_micros, balance_after_credit_micros, actor, created_at)
       values ($1, 'manual_topup', 10000000, 10000000, 'test', now())`,
      [client.userId],
    )
    expect((await client.sendTurn({ space }, "later")).status).toBe(202)
    await world.drain()
    await expectPromises(world, client.userId)
  })

  test("Keys belong to the account, and live and test keys are separate", async () => {
    const [one, two] = [await world.createAccount(), await world.createAccount()]
    const test = world.createClient(one.userId, (await world.makeKey(one.userId, { test: true })).value)
    const ids = await Promise.all(
      [one, two, test].map(
        async (client) => (await turnOf(await client.sendTurn({ space: await client.space() }, "k"))).turn_id,
      ),
    )
    expect(new Set(ids).size).toBe(3)
  })
})

describe("Conversations", () => {
  test("Turns of a conversation run first in, first out, and other conversations run in parallel", async () => {
    const client = await world.createAccount()
    const space = await client.space()
    const send = (text: string, more = {}) => client.sendTurn({ space, text, ...more }).then(turnOf)
    const [a, b, c] = [await send("a"), await send("b"), await send("c")]
    const named = await send("d", { conversation: "orders" })
    expect(new Set([a, b, c].map((turn) => turn.conversation)).size).toBe(1)
    expect(named.conversation).not.toBe(a.conversation)
    await world.settled()
    // The messages are delivered in reverse, because the conversation decides the order, not the queue.
    for (const delivery of (await world.qstash.due()).reverse()) {
      expect((await world.deliver(delivery)).status).toBe(200)
      await world.qstash.answer({ delivery_id: delivery.delivery_id, status: 200 })
    }
    await world.drain()
    const results = await Promise.all(
      [a, b, c, named].map(async ({ turn_id }) => (await client.getTurn(turn_id)).result),
    )
    expect(results).toEqual([
      "You said: a",
      "You said: b (after 2 earlier messages)",
      "You said: c (after 4 earlier messages)",
      "You said: d",
    ])
    const again = await client.runTurn({ space, text: "e", conversation: named.conversation })
    expect(again.result).toBe("You said: e (after 2 earlier messages)")
  })

  test("The history is limited by turns and by size", async () => {
    const client = await world.createAccount()
    const space = await client.space({ manifest: { history: { max_turns: 3, max_tokens: 300 } } })
    for (const text of ["[reply a]", "[reply b]", "[reply c]", "[reply d]"]) await client.runTurn({ space, text })
    expect((await client.runTurn({ space, text: "short" })).result).toBe("You said: short (after 6 earlier messages)")
    await client.runTurn({ space, text: "[long 1300]" })
    expect((await client.runTurn({ space, text: "late" })).result, "the newest turn does not fit").toBe(
      "You said: late",
    )
  })

  test("An end user never sees another end user's history", async () => {
    const client = await world.createAccount()
    const space = await client.space()
    await client.runTurn({ space, end_user_ref: "ann", text: "secret" })
    const bob = await client.runTurn({ space, end_user_ref: "bob", text: "hi", conversation: "default" })
    expect(bob.result).toBe("You said: hi")
  })
})

describe("Cancel", () => {
  test("A cancel ends a queued turn at once, can be repeated, and gives 409 when the turn is done", async () => {
    const client = await world.createAccount()
    const space = await client.space()
    const sent = await turnOf(await client.sendTurn({ space }))
    const path = `/v1/turns/${sent.turn_id}/cancel`
    for (let times = 0; times < 2; times++) {
      const response = await client.call("POST", path)
      expect(response.status).toBe(200)
      expect(await response.json()).toMatchObject({
        state: "cancelled",
        status_reason: "client",
        held_usd: 0,
        billed_cost_usd: 0,
      })
    }
    const done = await client.runTurn({ space })
    const late = await client.call("POST", `/v1/turns/${done.turn_id}/cancel`)
    expect([late.status, ((await late.json()) as { error: { code: string } }).error.code]).toEqual([
      409,
      "TURN_FINISHED",
    ])
    await expectPromises(world, client.userId)
  })
})

describe("Reading", () => {
  test("The list pages without gaps or repeats, and a cursor keeps its filters", async () => {
    const client = await world.createAccount()
    const space = await client.space()
    const sent: string[] = []
    for (let n = 0; n < 7; n++) {
      await world.advance(1000)
      sent.push((await turnOf(await client.sendTurn({ space, end_user_ref: n % 2 ? "odd" : "even" }))).turn_id)
    }
    const seen: string[] = []
    let cursor = ""
    do {
      const page = (await (await client.call("GET", `/v1/turns?limit=3${cursor}`)).json()) as {
        data: Turn[]
        has_more: boolean
        next_cursor: string | null
      }
      seen.push(...page.data.map((turn) => turn.turn_id))
      expect(page.has_more).toBe(page.next_cursor !== null)
      cursor = page.next_cursor === null ? "" : `&cursor=${page.next_cursor}`
      if (cursor) {
        const other = await client.call("GET", `/v1/turns?limit=3&state=done${cursor}`)
        expect(other.status).toBe(422)
      }
    } while (cursor)
    expect(seen).toEqual([...sent].reverse())
    const odd = (await (await client.call("GET", "/v1/turns?end_user_ref=odd")).json()) as { data: Turn[] }
    expect(odd.data).toHaveLength(3)
  })

  test("A page of large turns ends early, and the next page continues", async () => {
    const client = await world.createAccount({ usd: 100 })
    const space = await client.space()
    // JSON escapes make them six times as long: 600 kB each.
    const text = "\u0001".repeat(100_000)
    for (let n = 0; n < 10; n++) await client.sendTurn({ space, text, end_user_ref: `c${n}` })
    const seen = new Set<string>()
    let cursor = ""
    let pages = 0
    for (; pages < 10 && cursor !== "end"; pages++) {
      const response = await client.call("GET", `/v1/turns?limit=100${cursor}`)
      expect(response.status).toBe(200)
      const { data, next_cursor } = (await response.json()) as { data: Turn[]; next_cursor: string | null }
      expect(data.length).toBeGreaterThan(0)
      for (const turn of data) seen.add(turn.turn_id)
      cursor = next_cursor === null ? "end" : `&cursor=${next_cursor}`
    }
    expect(seen.size).toBe(10)
    expect(pages).toBeGreaterThan(1)
  })

  test("Events are numbered and paged", async () => {
    const client = await world.createAccount()
    const turn = await client.runTurn({ space: await client.space() })
    const path = `/v1/turns/${turn.turn_id}/events`
    const all = (await (await client.call("GET", path)).json()) as { data: { seq: number; type: string }[] }
    expect(all.data.map(({ seq, type }) => [seq, type])).toEqual([
      [1, "turn.queued"],
      [2, "turn.running"],
      [3, "step.started"],
      [4, "step.ended"],
      [5, "turn.done"],
    ])
    const rest = (await (await client.call("GET", `${path}?limit=1&cursor=1`)).json()) as {
      data: object[]
      next_cursor: string
    }
    expect([rest.data.length, rest.next_cursor]).toEqual([1, "2"])
  })

  test("The parameter wait holds the answer until the turn ends or the wait is over", async () => {
    const client = await world.createAccount()
    const sent = await turnOf(await client.sendTurn({ space: await client.space() }))
    await world.settled()
    const waiting = client.call("GET", `/v1/turns/${sent.turn_id}?wait=30`).then(turnOf)
    await world.clock.sleeping(1)
    await world.drain()
    await world.advance(1000)
    expect((await waiting).state).toBe("done")

    const stuck = await turnOf(await client.sendTurn({ space: sent.space, end_user_ref: "other" }))
    const impatient = client.call("GET", `/v1/turns/${stuck.turn_id}?wait=1`).then(turnOf)
    await world.clock.sleeping(1)
    await world.advance(1000)
    expect((await impatient).state).toBe("queued")
  })
})

describe("Scopes and test keys", () => {
  test("A key sees exactly its scope", async () => {
    const owner = await world.createAccount()
    const mine = await owner.space()
    const [row] = await world.sql<{ space_id: string }>("select space_id from spaces where slug = $1", [mine])
    const as = async (key: Parameters<World["makeKey"]>[1]) =>
      world.createClient(owner.userId, (await world.makeKey(owner.userId, key)).value)
    const created = await as({ scope: "created" })
    const all = await as({ scope: "all" })
    const one = await as({ scope: "space", spaceId: Number(row?.space_id) })
    const theirs = await created.space()

    const reads = (client: typeof owner, id: string) =>
      client.call("GET", `/v1/spaces/${id}`).then((response) => response.status)
    expect([await reads(created, mine), await reads(created, theirs)]).toEqual([404, 200])
    expect([await reads(all, mine), await reads(all, theirs)]).toEqual([200, 200])
    expect([await reads(one, mine), await reads(one, theirs)]).toEqual([200, 404])
    const denied = await one.call("POST", "/v1/spaces", { title: "x" })
    expect([denied.status, await denied.json()]).toMatchObject([403, { error: { code: "SCOPE_DENIED" } }])
    expect(await (await one.call("GET", "/v1/me")).json()).toMatchObject({ key: { scope: "space", space: mine } })
  })

  test("A test key rehearses turns free of charge and sees only test data", async () => {
    const owner = await world.createAccount({ usd: 0 })
    const tester = world.createClient(
      owner.userId,
      (await world.makeKey(owner.userId, { test: true, scope: "all" })).value,
    )
    const space = await tester.space()
    const turn = await tester.runTurn({ space })
    expect(turn).toMatchObject({ state: "done", test: true, billed_cost_usd: 0, model: "rehearsal/standard" })
    expect((await owner.call("GET", `/v1/turns/${turn.turn_id}`)).status).toBe(404)
    const live = world.createClient(owner.userId, (await world.makeKey(owner.userId, { scope: "all" })).value)
    expect((await live.call("GET", `/v1/spaces/${space}`)).status).toBe(404)
    await expectPromises(world, owner.userId)
  })
})

test("A POST takes 1 statement, a GET 1, and a plain turn 3 in total", async () => {
  const client = await world.createAccount()
  const space = await client.space()
  await world.plan([])
  const calls = (response: Response, service: string) =>
    Number(
      new RegExp(`${service};dur=[\\d.]+;desc="calls=(\\d+)"`).exec(response.headers.get("server-timing") ?? "")?.[1],
    )
  const accepted = await client.sendTurn({ space })
  expect(calls(accepted, "pg")).toBe(1)
  expect(calls(accepted, "qstash"), "the answer does not wait for QStash").toBe(0)
  const { turn_id } = await turnOf(accepted)
  await world.drain()
  const statements = (await world.calls()).filter((call) => call.service === "pg")
  expect(statements.length, statements.map((call) => call.label.slice(0, 50)).join("\n")).toBe(3)

  await world.plan([])
  const read = await client.call("GET", `/v1/turns/${turn_id}`)
  expect(calls(read, "pg")).toBe(1)
  expect((await world.calls()).filter((call) => call.service === "pg")).toHaveLength(1)
  await world.clearFaults()
})
