import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { createUser } from "../../src/ops/seed.ts"
import { signInAdmin } from "../harness/books.ts"
import { serveReceiver } from "../harness/receiver.ts"
import { shareSpace } from "../harness/shared-space.ts"
import { createWorld, turnOf, type World } from "../harness/world.ts"

const SETUP = "/api/account/setup"
const SECOND_MS = 1_000

let world: World
beforeAll(async () => {
  world = await createWorld()
})
afterAll(() => world.close())

type Browser = Awaited<ReturnType<World["signIn"]>>

async function setupOf(browser: Browser, query = "") {
  const [status, setup] = await browser.json("GET", `${SETUP}${query}`)
  expect(status, JSON.stringify(setup)).toBe(200)
  return setup
}

const NOTHING = {
  has_key: false,
  key_turn: null,
  has_done_turn: false,
  is_in_use: false,
  has_chat_turn: false,
  webhook: "none",
  has_tool: false,
  own_space: null,
  shared_space: null,
  refused: [],
  top_up_url: null,
}

const TOOL = {
  description: "Finds an order.",
  input_schema: { type: "object", properties: {} },
  request: { method: "GET", url: "https://shop.example.com/orders" },
}

describe("The first steps of an account", () => {
  test("A new user has done none of them", async () => {
    const browser = await world.signIn(await createUser(world.sql, { name: "New" }))
    expect(await setupOf(browser)).toEqual(NOTHING)
  })

  test("A key, a turn, a webhook and a tool are done one after the other, in live data alone", async () => {
    const client = await world.createAccount()
    const browser = await world.signIn(client.userId)
    expect(await setupOf(browser)).toEqual({ ...NOTHING, has_key: true })

    const space = await client.space({ title: "Support" })
    const sent = await turnOf(await client.sendTurn({ space, text: "hello" }))
    const waiting = { own_space: { space_id: space, title: "Support" }, key_turn: { turn_id: sent.turn_id } }
    expect(await setupOf(browser)).toMatchObject({ ...waiting, has_done_turn: false })
    await world.drain()
    expect(await setupOf(browser)).toMatchObject({ key_turn: { state: "done" }, has_done_turn: true })

    const receiver = serveReceiver(world)
    await client.call("POST", "/v1/webhooks", { url: receiver.url })
    expect(await setupOf(browser)).toMatchObject({ webhook: "pending" })
    await world.drain()
    expect(await setupOf(browser)).toMatchObject({ webhook: "verified", has_tool: false })

    expect((await client.call("PUT", `/v1/spaces/${space}/tools/find`, TOOL)).status).toBe(200)
    expect(await setupOf(browser)).toMatchObject({ has_tool: true, has_chat_turn: false, refused: [] })
    expect(await setupOf(browser, "?test=true")).toEqual(NOTHING)
  })

  test("A done turn stays done while all newer turns of its key are open, before and after the totals have it", async () => {
    const client = await world.createAccount()
    const browser = await world.signIn(client.userId)
    const space = await client.space({ title: "Support" })
    await client.runTurn({ space, text: "hello" })
    await world.advance(SECOND_MS)
    const open = Array.from({ length: 6 }, () => client.sendTurn({ space, text: "hello" }))
    const ids = await Promise.all(open.map(async (sent) => (await turnOf(await sent)).turn_id))
    const newest = ids.sort().at(-1)
    expect(await setupOf(browser)).toMatchObject({ has_done_turn: true, key_turn: { turn_id: newest } })
    await world.sweep()
    expect(await setupOf(browser)).toMatchObject({ has_done_turn: true, is_in_use: false })
  })

  test("An account is in use after a hundred done turns of keys", async () => {
    const client = await world.createAccount()
    const browser = await world.signIn(client.userId)
    const add = (ref: string, done: number) =>
      world.sql(
        `insert into end_user_sums (user_id, test, end_user_ref, turns, done, failed, billed_credit_micros, took_us, last_ended_at)
         values ($1, false, $2, $3, $3, 0, 0, 0, now())`,
        [client.userId, ref, done],
      )
    await add("ada", 60)
    expect(await setupOf(browser)).toMatchObject({ has_done_turn: true, is_in_use: false })
    await add("ben", 40)
    expect(await setupOf(browser)).toMatchObject({ is_in_use: true })
    expect(await setupOf(browser, "?test=true")).toMatchObject({ has_done_turn: false, is_in_use: false })
  })

  test("A turn of the playground is not the first turn of the account's code", async () => {
    const client = await world.createAccount()
    const browser = await world.signIn(client.userId)
    const [, { space_id: space }] = await browser.json("POST", "/api/account/spaces", { title: "Mine" })
    await browser.json("POST", "/api/account/chat/turns", { space, text: "hello" })
    await world.drain()
    expect(await setupOf(browser)).toMatchObject({ has_chat_turn: true, has_done_turn: false, key_turn: null })
  })

  test("A member of a shared space sees that space, and no space of their own", async () => {
    const shared = await shareSpace(world, "setup")
    const { member } = shared.people
    expect(await setupOf(member)).toMatchObject({ own_space: null, shared_space: { title: "Shared" } })
    await member.json("POST", "/api/account/chat/turns", { space: shared.space, text: "hello" })
    expect(await setupOf(member)).toMatchObject({ has_chat_turn: true })
    expect(await setupOf(shared.people.owner)).toMatchObject({ has_chat_turn: false })
  })

  test("The page for buying credit is the operator's setting, and a javascript address is rejected", async () => {
    const admin = await signInAdmin(world)
    const put = (value: string) => admin.json("PUT", "/api/admin/settings", { key: "top_up_url", value })
    expect((await put("javascript:alert(1)"))[0]).toBe(422)
    expect((await put("http://insecure.example.com"))[0]).toBe(422)
    expect((await put("https://pay.example.com/credit"))[0]).toBe(200)
    const browser = await world.signIn(await createUser(world.sql, { name: "Poor" }))
    expect(await setupOf(browser)).toMatchObject({ top_up_url: "https://pay.example.com/credit" })
    expect((await put(""))[0]).toBe(200)
    expect(await setupOf(browser)).toMatchObject({ top_up_url: null })
  })
})

describe("Refused requests of a key", () => {
  test("A turn without credit, to an unknown space and with a wrong field appears with its cure, newest first", async () => {
    const client = await world.createAccount({ usd: 0 })
    const browser = await world.signIn(client.userId)
    const space = await client.space({ title: "Support" })
    // Few refusals are stored at once, so each is stored before the next one.
    const send = async (body: object) => {
      const turn = { end_user_ref: "ada", text: "hi", ...body }
      const answer = await client.call("POST", "/v1/turns", turn, { "idempotency-key": "one" })
      await world.settled()
      return answer
    }
    expect((await send({ space })).status).toBe(402)
    await world.advance(SECOND_MS)
    expect((await send({ space: "spc_unknown" })).status).toBe(404)
    await world.advance(SECOND_MS)
    expect((await send({ space, text: 5 })).status).toBe(422)

    const { refused } = await setupOf(browser)
    expect(
      refused.map(({ code, status, param }: { code: string; status: number; param: string }) => [status, code, param]),
    ).toEqual([
      [422, "VALIDATION_FAILED", "text"],
      [404, "NOT_FOUND", "space"],
      [402, "INSUFFICIENT_CREDITS", null],
    ])
    expect(refused[2]).toMatchObject({
      operation: "POST /v1/turns",
      key_id: expect.stringMatching(/^key_/),
      request_id: expect.stringMatching(/^req_/),
      cure: expect.stringContaining("Top up"),
    })
    expect((await setupOf(browser, "?test=true")).refused).toEqual([])
  })

  test("A key that was revoked, and one that has expired, are refused with their codes", async () => {
    const client = await world.createAccount()
    const browser = await world.signIn(client.userId)
    const make = async (body: object = {}) => {
      const [, key] = await browser.json("POST", "/api/account/keys", { name: "Server", scope: "all", ...body })
      return { ...key, client: world.createClient(client.userId, key.value) }
    }
    const revoked = await make()
    await browser.json("POST", `/api/account/keys/${revoked.key_id}/revoke`)
    const expires_at = new Date(world.clock.now().getTime() + 60 * SECOND_MS).toISOString()
    const expired = await make({ expires_at })
    await world.advance(61 * SECOND_MS)
    expect((await revoked.client.call("GET", "/v1/me")).status).toBe(401)
    expect((await expired.client.call("GET", "/v1/me")).status).toBe(401)
    await world.settled()
    const { refused } = await setupOf(browser)
    expect(refused.map(({ code, key_id }: { code: string; key_id: string }) => [code, key_id]).sort()).toEqual([
      ["API_KEY_EXPIRED", expired.key_id],
      ["INVALID_API_KEY", revoked.key_id],
    ])
  })

  test("A flood of equal refusals writes one row, an accepted turn writes none, and a path shows no end user", async () => {
    const client = await world.createAccount()
    const browser = await world.signIn(client.userId)
    const space = await client.space({ title: "Support" })
    await client.runTurn({ space, text: "hello" })
    await world.settled()
    expect((await setupOf(browser)).refused).toEqual([])
    const ask = async () => (await client.call("GET", "/v1/end-users/secret-name?limit=1")).headers.get("x-request-id")
    const first = await ask()
    for (let sent = 0; sent < 20; sent++) await ask()
    await world.settled()
    const { refused } = await setupOf(browser)
    expect(refused).toHaveLength(1)
    expect(refused[0]).toMatchObject({ request_id: first, operation: "GET /v1/end-users/{end_user_ref}" })
    await world.advance(6 * SECOND_MS)
    const later = await ask()
    await world.settled()
    expect((await setupOf(browser)).refused[0].request_id).toBe(later)
  })

  test("A refusal is shown for seven days", async () => {
    const client = await world.createAccount({ usd: 0 })
    const browser = await world.signIn(client.userId)
    await client.call("GET", "/v1/turns/turn_unknown")
    await world.settled()
    expect((await setupOf(browser)).refused).toHaveLength(1)
    await world.advance(7 * 86_400_000 + SECOND_MS)
    const later = await world.signIn(client.userId)
    expect((await setupOf(later)).refused).toEqual([])
  })
})
