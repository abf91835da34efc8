import { afterAll, beforeAll, describe, expect, test } from "vitest"
import type { Turn } from "../../src/turns/schemas.ts"
import { isThorough } from "../harness/crash.ts"
import { expectPromises } from "../harness/promises.ts"
import { createRandom } from "../harness/random.ts"
import { createWorld, type World } from "../harness/world.ts"

const CHAT = "/api/account/chat/turns"

let world: World
beforeAll(async () => {
  world = await createWorld()
})
afterAll(() => world.close())

async function arrange({ usd = 10 } = {}) {
  const client = await world.createAccount({ usd })
  const browser = await world.signIn(client.userId)
  const [, { space_id: space }] = await browser.json("POST", "/api/account/spaces", { title: "Mine" })
  const send = (body: object = {}, headers = {}) =>
    browser.json("POST", CHAT, { space, text: "hello", ...body }, headers)
  const run = async (body: object = {}): Promise<Turn> => {
    const [status, { turn_id }] = await send(body)
    expect(status).toBe(202)
    await world.drain()
    return (await browser.json("GET", `${CHAT}/${turn_id}`))[1]
  }
  return { client, browser, space: space as string, send, run }
}

const usageOf = (userId: number) => world.sql("select * from usage where user_id = $1", [userId])

describe("A web-chat turn", () => {
  test("A chat turn does not make its owner an end user", async () => {
    const { client, run } = await arrange()
    await run()
    const { key } = world.createClient(client.userId, (await world.makeKey(client.userId, { scope: "all" })).value)
    const list = await world.createClient(client.userId, key).call("GET", "/v1/end-users")
    expect(await list.json()).toEqual({ data: [], has_more: false, next_cursor: null })
  })

  test("A chat turn runs and is billed once, in the ledger and api_turns, and not in the usage of keys", async () => {
    const { client, browser, space, run } = await arrange()
    const turn = await run({ text: "[steps 3]\n[use input=1200 cached=200 output=300]" })
    expect(turn).toMatchObject({ state: "done", space, end_user_ref: "", test: false, usage: { model_calls: 3 } })
    expect(turn.billed_cost_usd).toBeGreaterThan(0)
    const [record, ...more] = await world.sql(
      "select *, billed_credit_micros::float8 as billed from api_turns where user_id = $1",
      [client.userId],
    )
    expect(more).toEqual([])
    expect(record).toMatchObject({
      turn_id: turn.turn_id,
      provider: "rehearsal",
      model: "rehearsal/standard",
      model_calls: 3,
    })
    expect(record).toMatchObject({ tokens_input: "3600", tokens_cached: "600", tokens_output: "900" })
    expect(record?.billed).toBe(Math.round(turn.billed_cost_usd * 10_000_000))
    expect(await usageOf(client.userId)).toEqual([])
    const [, ledger] = await browser.json("GET", "/api/account/ledger?reason=space_usage")
    expect(ledger).toMatchObject({ total: 1, items: [{ turn_id: turn.turn_id, amount_usd: -turn.billed_cost_usd }] })
    await expectPromises(world, client.userId)
  })

  test("A user tries tools by hand: the turn ends with their calls, and the results continue it", async () => {
    const { run, send } = await arrange()
    const tools = [{ name: "find", input_schema: { type: "object" } }]
    const first = await run({ text: '[call find {"id":"A"}]\n[reply Done.]', tools, tool_choice: "required" })
    expect(first).toMatchObject({ finish: "tool_calls", calls: [{ name: "find", input: { id: "A" } }] })
    const results = [{ id: first.calls[0]?.id, output: "Here." }]
    expect(await run({ text: undefined, results })).toMatchObject({ finish: "stop", result: "Done." })
    expect(await send({ text: undefined, results })).toMatchObject([409, { code: "CALLS_NOT_OPEN" }])
    expect((await send({ text: undefined }))[0]).toBe(422)
    expect((await send({ tool_choice: "required" }))[0]).toBe(422)
  })

  test("A repeated key returns the same chat turn, and a request without a key gets a new one", async () => {
    const { client, browser, space, send } = await arrange()
    const key = { "idempotency-key": "one" }
    const [, first] = await send({}, key)
    const again = await browser.call("POST", CHAT, { space, text: "hello" }, key)
    expect([again.status, again.headers.get("idempotent-replayed")]).toEqual([202, "true"])
    expect(((await again.json()) as Turn).turn_id).toBe(first.turn_id)
    expect(again.headers.get("location")).toBe(`${CHAT}/${first.turn_id}`)
    const [status, reused] = await send({ text: "other" }, key)
    expect([status, reused]).toEqual([
      422,
      { detail: [{ loc: ["header", "Idempotency-Key"], msg: expect.any(String), type: "idempotency_key_reused" }] },
    ])
    expect((await send())[1].turn_id).not.toBe((await send())[1].turn_id)
    // The same key from one of the owner's servers is a different request.
    expect((await client.sendTurn({ space: await client.space() }, "one")).status).toBe(202)
    expect((await send({}, { "idempotency-key": "x".repeat(256) }))[1].code).toBe("IDEMPOTENCY_KEY_INVALID")
    await world.drain()
    expect(await expectPromises(world, client.userId)).toHaveLength(4)
  })

  test("A chat shares no conversation with a customer, whatever the conversation is called", async () => {
    const { client, browser, run } = await arrange()
    const space = await client.space()
    for (const end_user_ref of ["owner", "chat", " ", "default"]) await client.runTurn({ space, end_user_ref })
    const first = await run({ space })
    expect(first.result).toBe("You said: hello")
    expect((await run({ space })).result).toContain("(after 2 earlier messages)")
    expect((await run({ space, conversation: "other" })).result).toBe("You said: hello")
    expect((await run({ space, conversation: first.conversation })).result).toContain("(after 4 earlier messages)")
    expect((await client.runTurn({ space, end_user_ref: "owner" })).result).toContain("(after 2 earlier messages)")
    const theirs = await client.sendTurn({ space, end_user_ref: "owner", conversation: first.conversation })
    expect(theirs.status).toBe(404)
    expect((await client.sendTurn({ space, end_user_ref: "" })).status).toBe(422)
    const [, list] = await browser.json("GET", `${CHAT}?space=${space}`)
    expect([list.total, list.items.length]).toEqual([4, 4])
    expect((await browser.json("GET", `/api/account/turns?space=${space}`))[1].total).toBe(9)
    expect((await browser.json("GET", "/api/account/turns?end_user_ref=owner"))[1].total).toBe(2)
  })

  test("A chat turn is refused for the same reasons as any other turn, and a refused turn holds nothing", async () => {
    const { client, browser, send } = await arrange({ usd: 0 })
    expect(await send()).toEqual([
      402,
      {
        detail: expect.stringContaining("top up"),
        code: "INSUFFICIENT_CREDITS",
        details: { balance_usd: 0, held_usd: 0, available_usd: 0 },
      },
    ])
    const other = await arrange()
    expect((await browser.json("POST", CHAT, { space: other.space, text: "x" }))[1]).toMatchObject({
      code: "NOT_FOUND",
      param: "space",
    })
    for (const [field, value] of [
      ["text", ""],
      ["model", "no/such"],
      ["max_cost_usd", 0],
      ["space", undefined],
    ] as const) {
      const [status, { detail }] = await send({ [field]: value })
      expect([status, detail[0].loc], field).toEqual([422, ["body", field]])
    }
    expect(await expectPromises(world, client.userId)).toEqual([])
  })

  test("A chat turn with test=true costs nothing and appears only in test lists", async () => {
    const { client, browser } = await arrange({ usd: 0 })
    const [, { space_id: space }] = await browser.json("POST", "/api/account/spaces?test=true", { title: "Tests" })
    const [status, { turn_id }] = await browser.json("POST", `${CHAT}?test=true`, { space, text: "hello" })
    expect(status).toBe(202)
    await world.drain()
    expect((await browser.json("GET", `${CHAT}/${turn_id}`))[0]).toBe(404)
    expect((await browser.json("GET", `${CHAT}/${turn_id}?test=false`))[0]).toBe(404)
    expect((await browser.json("GET", `${CHAT}/${turn_id}?test=maybe`))[0]).toBe(422)
    expect((await browser.json("GET", `${CHAT}/${turn_id}?test=true`))[1]).toMatchObject({
      state: "done",
      test: true,
      billed_cost_usd: 0,
    })
    expect([
      (await browser.json("GET", CHAT))[1].total,
      (await browser.json("GET", `${CHAT}?test=true`))[1].total,
    ]).toEqual([0, 1])
    await expectPromises(world, client.userId)
  })

  test("A chat turn that failed or was cancelled is recorded with its bill", async () => {
    const { client, browser, run, send } = await arrange()
    expect(await run({ text: "[fail INTERNAL_THING]" })).toMatchObject({ state: "failed", billed_cost_usd: 0 })
    const [, queued] = await send()
    expect((await browser.json("POST", `/api/account/turns/${queued.turn_id}/cancel`))[1].state).toBe("cancelled")
    const [, running] = await send({ text: "[steps 2]\n[think 35000 ms]" })
    const work = world.drain()
    await world.clock.sleeping(1, 35_000)
    const asked = browser.json("POST", `/api/account/turns/${running.turn_id}/cancel`)
    expect((await asked)[0]).toBe(200)
    await world.advance(35_000)
    await work
    const [, cancelled] = await browser.json("GET", `${CHAT}/${running.turn_id}`)
    expect(cancelled).toMatchObject({ state: "cancelled", status_reason: "client", usage: { model_calls: 1 } })
    expect(cancelled.billed_cost_usd).toBeGreaterThan(0)
    const records = await world.sql("select turn_id from api_turns where user_id = $1 order by created_at", [
      client.userId,
    ])
    expect(records).toHaveLength(2)
    await expectPromises(world, client.userId)
  })

  test("A chat request can wait for the end of its turn and follow its events", async () => {
    const { browser, send } = await arrange()
    const [, { turn_id }] = await send({ text: "[reply done]" })
    const waiting = browser.json("GET", `${CHAT}/${turn_id}?wait=30`)
    await world.clock.sleeping(1)
    await world.drain()
    await world.advance(50)
    expect((await waiting)[1]).toMatchObject({ state: "done", result: "done" })
    const events = `/api/account/turns/${turn_id}/events`
    const [, page] = await browser.json("GET", `${events}?limit=2&offset=1`)
    expect(page).toMatchObject({ limit: 2, offset: 1, items: [{ seq: 2, type: "turn.running" }, { seq: 3 }] })
    expect(page.total).toBeGreaterThanOrEqual(3)
    const stream = await browser.call("GET", events, undefined, { accept: "text/event-stream", "last-event-id": "1" })
    expect(stream.headers.get("content-type")).toContain("text/event-stream")
    const text = await stream.text()
    expect(text).toContain("event: turn.done")
    expect(text).not.toContain("event: turn.queued")
  })
})

test("Another owner's spaces, turns, events, chat and ledger are not found", async () => {
  const { client, browser, space, run } = await arrange()
  const turn = await run()
  const keyed = await client.runTurn({ space: await client.space() })
  const { browser: other } = await arrange()
  for (const [method, path] of [
    ["GET", `/api/account/spaces/${space}`],
    ...[turn, keyed].flatMap(({ turn_id }) => [
      ["GET", `/api/account/turns/${turn_id}`],
      ["GET", `/api/account/turns/${turn_id}/events`],
      ["POST", `/api/account/turns/${turn_id}/cancel`],
      ["GET", `${CHAT}/${turn_id}`],
    ]),
  ] as [string, string][]) {
    const [status, error] = await other.json(method, path)
    expect([status, error.code], path).toEqual([404, "NOT_FOUND"])
    if (method === "GET" && !path.endsWith(keyed.turn_id))
      expect((await browser.call("GET", path)).status, path).toBe(200)
  }
  expect((await browser.json("GET", `${CHAT}/${keyed.turn_id}`))[0], "a key's turn is not part of the chat").toBe(404)
  expect((await other.json("GET", "/api/account/spaces"))[1].total).toBe(1)
  for (const list of ["/api/account/turns", CHAT])
    expect((await other.json("GET", list))[1]).toMatchObject({ items: [], total: 0 })
  expect((await other.json("GET", `/api/account/ledger?turn=${turn.turn_id}`))[1].total).toBe(0)
})

test("The ledger sums to the balance over a random month of chat and keys, page by page", async () => {
  const random = createRandom("ledger")
  const { client, browser, space } = await arrange({ usd: 3 })
  const keyed = await world.makeKey(client.userId, { scope: "all" })
  const server = world.createClient(client.userId, keyed.value)
  for (let turn = 0; turn < (isThorough ? 40 : 16); turn++) {
    const body = {
      space,
      text: `[use input=${1 + random.int(9000)} cached=0 output=${1 + random.int(900)}]`,
      max_cost_usd: 0.05,
    }
    if (random.int(2)) await server.sendTurn({ ...body, end_user_ref: `c${random.int(4)}` })
    else await browser.json("POST", CHAT, { ...body, conversation: `c${random.int(4)}` })
    if (random.int(3) === 0) await world.drain()
    await world.advance(random.int(60_000))
  }
  await world.drain()
  const turns = await expectPromises(world, client.userId)
  type Entry = {
    amount_credit_micros: number
    amount_energy: number
    amount_usd: number
    balance_after_usd: number
    reason: string
  }
  const entries: Entry[] = []
  for (let offset = 0; ; offset += 7) {
    const [, page] = await browser.json("GET", `/api/account/ledger?limit=7&offset=${offset}`)
    entries.push(...page.items)
    if (offset + 7 >= page.total) break
  }
  const sum = (list: Entry[]) => list.reduce((total, entry) => total + entry.amount_credit_micros, 0)
  const [, balance] = await browser.json("GET", "/api/account/balance")
  expect(balance).toEqual({
    balance_usd: sum(entries) / 10_000_000,
    held_usd: 0,
    available_usd: sum(entries) / 10_000_000,
  })
  expect(entries[0]?.balance_after_usd).toBe(balance.balance_usd)
  for (const entry of entries)
    expect([entry.amount_energy, entry.amount_usd]).toEqual([
      entry.amount_credit_micros / 1e6,
      entry.amount_credit_micros / 1e7,
    ])
  const billed = (chat: boolean) =>
    turns.filter((turn) => turn.chat === chat).reduce((total, turn) => total + turn.billed, 0)
  const of = (reason: string) => -sum(entries.filter((entry) => entry.reason === reason))
  expect([of("usage"), of("space_usage")]).toEqual([billed(false), billed(true)])
  expect(Math.min(billed(true), billed(false))).toBeGreaterThan(0)
  console.log(`${turns.length} turns, ${entries.length} entries, seed ${random.seed}`)
})
