import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { createWorld, type TestClient, type World } from "../harness/world.ts"

let world: World
let client: TestClient
let space: string
beforeAll(async () => {
  world = await createWorld()
  const { userId } = await world.createAccount()
  client = world.createClient(userId, (await world.makeKey(userId, { scope: "all" })).value)
  space = await client.space()
  await client.call("PUT", "/v1/prices/standard", { multiplier: 1 })
  world.serve("receiver.com", () => new Response("ok"))
})
afterAll(() => world.close())

const get = async (path: string) => {
  const response = await client.call("GET", path)
  return { status: response.status, etag: response.headers.get("etag") ?? "" }
}
async function send(method: string, path: string, body: unknown, headers: Record<string, string> = {}) {
  const response = await client.call(method, path, body, headers)
  // biome-ignore lint/suspicious/noExplicitAny: each operation answers its own shape
  return { status: response.status, etag: response.headers.get("etag") ?? "", body: (await response.json()) as any }
}

const TOOL = (url: string) => ({
  description: "Looks up an order.",
  input_schema: { type: "object", properties: {} },
  request: { method: "GET", url },
})

/** Each object of the configuration: the path of its change, that of its GET, and two bodies that differ. */
const OBJECTS: [name: string, method: string, paths: () => [string, string], one: unknown, other: unknown][] = [
  ["a manifest", "PUT", () => same(`/v1/spaces/${space}/manifest`), { instructions: "A" }, { instructions: "B" }],
  ["a space", "PATCH", () => same(`/v1/spaces/${space}`), { title: "A" }, { title: "B" }],
  ["a tool", "PUT", () => same(`/v1/spaces/${space}/tools/look`), TOOL("https://a.com/"), TOOL("https://b.com/")],
  [
    "an MCP server",
    "PUT",
    () => same(`/v1/spaces/${space}/mcp-servers/desk`),
    { url: "https://a.com/mcp" },
    { url: "https://b.com/mcp" },
  ],
  ["a price", "PUT", () => same("/v1/prices/standard"), { multiplier: 2 }, { multiplier: 3 }],
  ["the defaults", "PUT", () => same("/v1/end-user-defaults"), { price: "standard" }, { price: null }],
  ["usage keys", "PUT", () => same("/v1/usage-keys"), { keys: ["a"] }, { keys: ["b"] }],
  ["the retention", "PUT", () => same(`/v1/spaces/${space}/retention`), { text_days: 10 }, { text_days: 20 }],
  [
    "limits",
    "PUT",
    () => ["/v1/end-users/one/limits", "/v1/end-users/one"],
    { daily_usd: "1.50" },
    { daily_usd: 2, monthly_usd: 20 },
  ],
  [
    "the billing",
    "PUT",
    () => ["/v1/end-users/one/billing", "/v1/end-users/one/balance"],
    { price: "standard" },
    { price: null },
  ],
]
const same = (path: string): [string, string] => [path, path]

describe("If-Match with a change of configuration", () => {
  test.each(OBJECTS)(
    "The change of %s needs the current ETag, which its GET and its change return",
    async (_name, method, paths, one, other) => {
      const [path, read] = paths()
      const first = await send(method, path, one)
      expect([first.status, first.etag]).toEqual([200, expect.stringMatching(/^"[\w-]{22}"$/)])
      expect(await get(read)).toEqual({ status: 200, etag: first.etag })
      const stale = await send(method, path, other, { "if-match": '"999"' })
      expect([stale.status, stale.body.error.code]).toEqual([412, "VERSION_MISMATCH"])
      expect((await get(read)).etag, "nothing was written").toBe(first.etag)
      const second = await send(method, path, other, { "if-match": first.etag })
      expect([second.status, second.etag === first.etag]).toEqual([200, false])
      const late = await send(method, path, one, { "if-match": first.etag })
      expect([late.status, late.etag, late.body.error.details.current]).toEqual([412, second.etag, expect.anything()])
      for (const tag of [`W/${second.etag}`, '""'])
        expect((await send(method, path, one, { "if-match": tag })).status).toBe(412)
      expect((await send(method, path, one, { "if-match": "999" })).body.error.code).toBe("IF_MATCH_INVALID")
      const list = await send(method, path, one, { "if-match": `"other", ${second.etag}` })
      expect(list.status).toBe(200)
      expect((await send(method, path, other, { "if-match": "*" })).status).toBe(200)
    },
  )

  test("A webhook's ETag changes with its settings, and not with its deliveries", async () => {
    const made = await send("POST", "/v1/webhooks", { url: "https://receiver.com/hook" })
    const path = `/v1/webhooks/${made.body.webhook_id}`
    const { etag } = await get(path)
    await world.drain()
    expect((await get(path)).etag).toBe(etag)
    expect((await send("PATCH", path, { description: "A" }, { "if-match": etag })).status).toBe(200)
    expect((await send("PATCH", path, { description: "B" }, { "if-match": etag })).status).toBe(412)
    expect((await client.call("DELETE", path, undefined, { "if-match": etag })).status).toBe(412)
    expect((await client.call("DELETE", path)).status).toBe(200)
  })

  test("The number of the configuration's version is accepted too, for changes of several objects", async () => {
    const version = async () =>
      ((await (await client.call("GET", `/v1/spaces/${space}`)).json()) as { config_version: number }).config_version
    const manifest = (instructions: string, tag: number) =>
      send("PUT", `/v1/spaces/${space}/manifest`, { instructions }, { "if-match": `"${tag}"` })
    const now = await version()
    expect((await manifest("1", now)).status).toBe(200)
    expect((await manifest("2", now)).status).toBe(412)
    expect((await manifest("2", now + 1)).status).toBe(200)
    const tool = await send("PUT", `/v1/spaces/${space}/tools/other`, TOOL("https://a.com/"), {
      "if-match": `"${now}"`,
    })
    expect(tool.status, "it does not exist, so no version of it is current").toBe(412)
  })

  test("Exactly one of ten concurrent changes with the same ETag is made", async () => {
    const path = `/v1/spaces/${space}/manifest`
    const { etag } = await get(path)
    const sent = await Promise.all(
      Array.from({ length: 10 }, (_, at) => send("PUT", path, { instructions: `Change ${at}` }, { "if-match": etag })),
    )
    expect(sent.map(({ status }) => status).sort()).toEqual([200, ...Array(9).fill(412)])
  })

  test.each([
    ["a space", () => `/v1/spaces/${space}`],
    ["a manifest", () => `/v1/spaces/${space}/manifest`],
    ["a price", () => "/v1/prices/standard"],
  ])("A GET of %s that is known answers 304 without a body, and in full after a change", async (_name, pathOf) => {
    const path = pathOf()
    const { etag } = await get(path)
    const again = async (known: string) => {
      const response = await client.call("GET", path, undefined, { "if-none-match": known })
      return [response.status, response.headers.get("etag"), (await response.text()) !== ""]
    }
    for (const known of [etag, `W/${etag}`, `"other", ${etag}`, "*"])
      expect(await again(known)).toEqual([304, etag, false])
    for (const known of ['"other"', "no tag"]) expect(await again(known)).toEqual([200, etag, true])
    await client.call("PATCH", `/v1/spaces/${space}`, { title: `Changed for ${path}` })
    await client.call("PUT", `/v1/spaces/${space}/manifest`, { instructions: `Changed for ${path}` })
    await client.call("PUT", "/v1/prices/standard", { multiplier: path.length })
    expect((await again(etag))[0]).toBe(200)
  })

  test("A GET whose ETag names a part of the answer is never 304", async () => {
    const { etag } = await get("/v1/end-users/one")
    const response = await client.call("GET", "/v1/end-users/one", undefined, { "if-none-match": etag })
    expect([response.status, response.headers.get("etag")]).toEqual([200, etag])
  })

  test("If-None-Match with * creates an object and never replaces one", async () => {
    const path = `/v1/spaces/${space}/tools/once`
    const create = () => send("PUT", path, TOOL("https://once.com/"), { "if-none-match": "*" })
    expect([(await create()).status, (await create()).status]).toEqual([200, 412])
    expect((await send("PUT", "/v1/prices/none", {}, { "if-match": "*" })).status, "there is no such price").toBe(412)
    expect((await client.call("DELETE", path, undefined, { "if-match": '"1"' })).status).toBe(412)
    expect((await client.call("DELETE", path, undefined, { "if-match": (await get(path)).etag })).status).toBe(200)
  })

  test("Another account learns nothing about an object from a precondition", async () => {
    const other = await world.createAccount()
    const response = await other.call("PUT", `/v1/spaces/${space}/manifest`, {}, { "if-match": '"1"' })
    expect([response.status, response.headers.get("etag")]).toEqual([412, null])
    expect(await response.json()).toMatchObject({ error: { details: {} } })
  })
})
