import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest"
import { createPerson } from "../harness/auth.ts"
import { type Admin, signInAdmin } from "../harness/books.ts"
import { resetAccounts } from "../harness/provider-accounts.ts"
import { createRoutedWorld, type RoutedWorld } from "../harness/routed-world.ts"
import type { TestClient } from "../harness/world.ts"

const DAY = 86_400_000

let world: RoutedWorld
let client: TestClient
let space: string
let admin: Admin
let owner: Admin
beforeAll(async () => {
  world = await createRoutedWorld()
  const { userId } = await world.createAccount({ usd: 100 })
  client = world.createClient(userId, (await world.makeKey(userId, { scope: "all" })).value)
  space = await client.space()
  admin = await signInAdmin(world)
  owner = await world.signIn(userId)
  const plan = (label: string) => ({ label, included_credit_usd: 20 })
  await admin.json("PUT", "/api/admin/settings", { key: "plans", value: { pro: plan("Pro"), max: plan("Max") } })
})
afterAll(() => world.close())

const JSON_TYPE = "application/json"
const latin1 = (text: string) => Uint8Array.from(text, (char) => char.charCodeAt(0))

type Sent = [method: string, path: string, body: string | Uint8Array, headers?: Record<string, string>]

/** Sends bytes as they are, with the client's key. `SPACE` in path and text is the id of its space. */
async function send([method, path, body, headers = {}]: Sent) {
  const text = typeof body === "string" ? body.replaceAll("SPACE", space) : body
  const request = new Request(`https://api.test${path.replaceAll("SPACE", space)}`, {
    method,
    headers: {
      authorization: `Bearer ${client.key}`,
      "content-type": JSON_TYPE,
      "idempotency-key": crypto.randomUUID(),
      ...headers,
    },
    body: text,
  })
  const response = await world.invoke(request)
  const { error } = (await response.json()) as { error?: { code: string } }
  return [response.status, error?.code ?? ""]
}

const turnOf = (ref: string, more = "") => `{"space": "SPACE", "text": "Hello", "end_user_ref": "${ref}"${more}}`
const turnIn = (ref: string) => latin1(turnOf(ref).replaceAll("SPACE", space))
const LIMITS = "/v1/end-users/one/limits"
const MANIFEST = "/v1/spaces/SPACE/manifest"

const BYTES = [400, "INVALID_JSON"]
const TYPE = [415, "UNSUPPORTED_MEDIA_TYPE"]
const VALUE = [422, "VALIDATION_FAILED"]
const OTHER = [412, "VERSION_MISMATCH"]

test.each<[row: string, sent: () => Sent, expected: unknown[]]>([
  ["B2, a Latin-1 name", () => ["POST", "/v1/turns", turnIn("Andr\xe9")], BYTES],
  ["B2, another Latin-1 name", () => ["POST", "/v1/turns", turnIn("Andr\xe8")], BYTES],
  ["B2, Latin-1 instructions", () => ["PUT", MANIFEST, latin1('{"instructions": "Gr\xfc\xdf"}')], BYTES],
  [
    "B2, a secret with another charset",
    () => [
      "PUT",
      "/v1/spaces/SPACE/secrets/A",
      latin1('{"value": "p\xe4ss"}'),
      { "content-type": `${JSON_TYPE}; charset=iso-8859-1` },
    ],
    TYPE,
  ],
  ["new bytes, GBK", () => ["POST", "/v1/turns", turnIn("\xc4\xe3\xba\xc3")], BYTES],
  ["new bytes, beyond Unicode", () => ["POST", "/v1/turns", turnIn("\xf5\x80\x80\x80")], BYTES],
  ["new bytes, in a field's name", () => ["POST", "/v1/spaces", latin1('{"title\x80": "A"}')], BYTES],
  ["new bytes, UTF-7", () => ["POST", "/v1/spaces", "{}", { "content-type": `${JSON_TYPE}; charset=utf-7` }], TYPE],
  ["B7, a stale version", () => ["PUT", MANIFEST, "{}", { "if-match": '"999"' }], OTHER],
  ["new precondition, version 0", () => ["PATCH", "/v1/spaces/SPACE", '{"title": "A"}', { "if-match": '"0"' }], OTHER],
  [
    "new precondition, a retention that exists",
    () => ["PUT", "/v1/spaces/SPACE/retention", '{"text_days": 9}', { "if-none-match": "*" }],
    OTHER,
  ],
  [
    "new precondition, an MCP server that does not exist",
    () => ["PUT", "/v1/spaces/SPACE/mcp-servers/none", '{"url": "https://a.com/mcp"}', { "if-match": "*" }],
    OTHER,
  ],
  ["B8, a number too large for JSON", () => ["POST", "/v1/turns", turnOf("a", ', "max_cost_usd": 1e999')], VALUE],
  ["B8, the same as text", () => ["POST", "/v1/turns", turnOf("a", ', "max_cost_usd": "1e999"')], VALUE],
  ["B8, a key of every object", () => ["POST", "/v1/turns", turnOf("a", ', "metadata": {"__proto__": "b"}')], VALUE],
  ["B8, a usage key of this name", () => ["PUT", "/v1/usage-keys", '{"keys": ["__proto__"]}'], VALUE],
  ["B8, a compressed body", () => ["POST", "/v1/spaces", "{}", { "content-encoding": "gzip" }], TYPE],
  ["B8, a sum as JavaScript adds it", () => ["PUT", LIMITS, `{"daily_usd": ${0.1 + 0.2}}`], VALUE],
  ["B8, the sum as text", () => ["PUT", LIMITS, '{"daily_usd": "0.30"}'], [200, ""]],
  ["new amount, Arabic digits", () => ["PUT", LIMITS, '{"daily_usd": "١.٥"}'], VALUE],
  ["new amount, grouped by a blank", () => ["PUT", LIMITS, '{"daily_usd": "1 000"}'], VALUE],
  ["new amount, full-width", () => ["PUT", LIMITS, '{"daily_usd": "１.５"}'], VALUE],
])("A foreign input of /v1 has its right answer: %s", async (_row, sent, expected) => {
  expect(await send(sent())).toEqual(expected)
})

describe("Another tab", () => {
  const keysOf = async () => (await owner.json("GET", "/api/account/keys"))[1].total
  test.each<[row: string, page: () => Promise<string>, status: number]>([
    ["B3, another user", async () => String((await createPerson(world)).userId), 409],
    ["new tab, a user who does not exist", async () => "2000000000", 409],
    ["new tab, an admin's page", async () => `${admin.userId}/${client.userId}`, 409],
    ["new tab, a number with a sign", async () => `+${client.userId}`, 422],
  ])("A key is not created for a page of %s", async (_row, page, status) => {
    const before = await keysOf()
    const headers = { "x-turnpike-user": await page() }
    expect((await owner.json("POST", "/api/account/keys", { name: "x", scope: "all" }, headers))[0]).toBe(status)
    expect(await keysOf()).toBe(before)
  })
})

describe("A second subscription", () => {
  /** An instant as a clock at UTC+14 writes it. */
  const atKiritimati = (ms: number) =>
    `${new Date(world.clock.ms() + ms + 14 * 3_600_000).toISOString().slice(0, -1)}+14:00`
  test.each<[row: string, body: () => object, expected: [number, string | undefined]]>([
    ["B5, of the same plan", () => ({ plan: "pro" }), [409, "SUBSCRIPTION_ACTIVE"]],
    [
      "new, from its last millisecond",
      () => ({ plan: "max", starts_at: atKiritimati(10 * DAY - 1) }),
      [409, "SUBSCRIPTION_ACTIVE"],
    ],
    [
      "new, from its end by another clock",
      () => ({ plan: "max", starts_at: atKiritimati(10 * DAY) }),
      [200, undefined],
    ],
    ["new, that replaces a text", () => ({ plan: "max", replaces: "1" }), [422, undefined]],
  ])("The next subscription has its right answer: %s", async (_row, body, expected) => {
    const { userId } = await createPerson(world)
    const create = (more: object) => admin.json("POST", "/api/admin/subscriptions", { user_id: userId, ...more })
    const ends_at = new Date(world.clock.ms() + 10 * DAY).toISOString()
    expect((await create({ plan: "pro", ends_at }))[0]).toBe(200)
    const [status, { code }] = await create(body())
    expect([status, code]).toEqual(expected)
  })
})

describe("An account's fault", () => {
  beforeEach(() => resetAccounts(world, ["a", "b", "c"]))

  test.each([
    [
      "A2",
      400,
      "This credential is only authorized for use with Claude Code and cannot be used for other API requests.",
    ],
    ["new fault", 400, "Ce compte a été fermé à la demande de son titulaire."],
    ["new fault", 422, "请先完成实名认证。"],
    ["new fault", 400, "<html><body>Blocked by your administrator</body></html>"],
  ])("No turn fails while one of three accounts refuses: %s, %i %s", async (_row, status, message) => {
    const called = world.script((account) => (account === "a" ? { status, message } : { words: ["Fine."] }))
    const own = await client.space({ manifest: { builtin_tools: [] } })
    for (let n = 0; n < 12; n++)
      expect(await world.runTurn(client, { space: own, conversation: crypto.randomUUID() })).toMatchObject({
        state: "done",
      })
    expect(called.filter(({ account }) => account === "a")).toHaveLength(3)
  })
})
