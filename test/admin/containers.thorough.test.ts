import { afterAll, beforeAll, beforeEach, describe, expect, inject, test, vi } from "vitest"
import { type Admin, signInAdmin } from "../harness/books.ts"
import { addModel, MODEL_PIN } from "../harness/models.ts"
import { PROVIDER_URL, scriptProvider } from "../harness/scripted-provider.ts"
import { createWorld, type TestClient, type World } from "../harness/world.ts"

const PATH = "/api/admin/system/containers/mappings"
const URL_ = "https://sandbox.corp.internal/mcp"
const TOKEN = "canary-token-of-the-container"
const ECHO = `[call container__echo {"message":"at ${URL_} with ${TOKEN}"}]`

let world: World
let admin: Admin
let client: TestClient
let space: string
const logged: string[] = []
/** The published MCP server under a private name, as a container. Tests can stop it and delay its calls. */
const container = { stopped: false, stopsAtCalls: false, callMs: 0, redirects: false, seen: [] as Headers[] }
beforeAll(async () => {
  for (const level of ["info", "error", "log", "warn"] as const) {
    vi.spyOn(console, level).mockImplementation((...parts: unknown[]) => void logged.push(parts.map(String).join(" ")))
  }
  world = await createWorld({ env: { OPENAI_BASE_URL: PROVIDER_URL, LOG_LEVEL: "info" } })
  admin = await signInAdmin(world)
  await addModel(world)
  client = await world.createAccount()
  for (const host of ["sandbox.corp.internal", "10.0.0.7:3001"]) {
    world.serve(host, async (request) => {
      container.seen.push(request.headers)
      if (container.redirects) return Response.redirect("https://elsewhere.corp.internal/mcp", 307)
      const body = request.method === "POST" ? await request.text() : undefined
      const isCall = body?.includes('"tools/call"') === true
      if (container.stopped || (isCall && container.stopsAtCalls)) throw new TypeError(`connect ECONNREFUSED ${URL_}`)
      if (isCall) world.clock.advance(container.callMs)
      return fetch(inject("mcpUrl"), { method: request.method, headers: request.headers, ...(body && { body }) })
    })
  }
})
afterAll(async () => {
  vi.restoreAllMocks()
  await world.close()
})
beforeEach(async () => {
  Object.assign(container, { stopped: false, stopsAtCalls: false, callMs: 0, redirects: false, seen: [] })
  space = await client.space()
})

const put = (body: object, headers: Record<string, string> = {}) => admin.call("PUT", PATH, body, headers)
const map = async (more: object = {}) => {
  const response = await put({
    container: "sandbox",
    space,
    url: URL_,
    headers: { authorization: `Bearer ${TOKEN}` },
    ...more,
  })
  expect(response.status).toBe(200)
  return (await response.json()) as Record<string, unknown>
}
const failures = (turnId: string) =>
  world.sql<{ kind: string; name: string; code: string }>(
    "select kind, name, code from infrastructure_errors where turn_id = $1 order by error_id",
    [turnId],
  )

describe("A mapping", () => {
  test("A mapping can be made, changed and listed without revealing the values of its headers", async () => {
    const made = await map()
    expect(made).toEqual({
      container: "sandbox",
      space,
      url: URL_,
      header_names: ["authorization"],
      enabled: true,
      version: 1,
      created_at: world.clock.now().toISOString(),
      updated_at: world.clock.now().toISOString(),
      updated_by: { user_id: admin.userId, name: "Ada" },
    })
    await world.advance(1000)
    const off = (await (await put({ container: "sandbox", space, url: URL_, enabled: false })).json()) as object
    expect(off).toEqual({ ...made, enabled: false, version: 2, updated_at: world.clock.now().toISOString() })
    const same = await put({ container: "sandbox", space, url: URL_ })
    expect(await same.json(), "omitted fields are kept, so the mapping is unchanged").toEqual(off)
    const bare = (await (await put({ container: "sandbox", space, url: URL_, headers: null })).json()) as object
    expect(bare).toMatchObject({ header_names: [], enabled: false, version: 3 })
    const other = await map({ container: "another" })
    const [, page] = await admin.json("GET", `${PATH}?space=${space}`)
    expect(page).toEqual({ items: [bare, other], total: 2, limit: 50, offset: 0 })
    const [, second] = await admin.json("GET", `${PATH}?space=${space}&limit=1&offset=1`)
    expect(second).toEqual({ items: [other], total: 2, limit: 1, offset: 1 })
    const [, named] = await admin.json("GET", `${PATH}?space=${space}&container=another`)
    expect(named).toMatchObject({ items: [other], total: 1 })
    const [, all] = await admin.json("GET", PATH)
    expect(all.total).toBeGreaterThanOrEqual(2)
  })

  test("An edit of another version is refused with the current row", async () => {
    const made = await map()
    const stale = await put({ container: "sandbox", space, url: `${URL_}/2` }, { "if-match": '"7"' })
    expect([stale.status, await stale.json()]).toMatchObject([412, { details: { current: made } }])
    const edited = await put({ container: "sandbox", space, url: `${URL_}/2` }, { "if-match": '"1"' })
    expect([edited.status, edited.headers.get("etag")]).toEqual([200, '"2"'])
    const absent = await put({ container: "absent", space, url: URL_ }, { "if-match": '"1"' })
    expect([absent.status, await absent.json()]).toMatchObject([412, { code: "VERSION_MISMATCH" }])
    expect((await put({ container: "absent", space, url: URL_ }, { "if-match": '"0"' })).status).toBe(200)
  })

  test("A mapping that moves to another server drops the unreadable headers", async () => {
    await put({ container: "sandbox", space, url: URL_, headers: { authorization: "Bearer canary-1" } })
    const evil = "evil.corp.internal"
    const urls = [
      `https://${evil}/mcp`,
      URL_.replace("://", `://${evil}.`),
      `https:/${evil}/mcp`,
      `https:\\\\${evil}/mcp`,
    ]
    for (const url of urls) {
      expect((await put({ container: "sandbox", space, url })).status, url).toBe(422)
    }
    const [, { items }] = await admin.json("GET", `${PATH}?space=${space}&container=sandbox`)
    expect(items).toMatchObject([{ url: URL_, header_names: ["authorization"] }])
    const [path, none] = [`${URL_}/2`, `https://${evil}/mcp`]
    expect((await put({ container: "sandbox", space, url: path })).status, "the same server").toBe(200)
    expect((await put({ container: "sandbox", space, url: none, headers: null })).status).toBe(200)
    expect((await put({ container: "sandbox", space, url: URL_ })).status, "there are no headers").toBe(200)
  })

  test("A mapping of an unknown space is not found", async () => {
    const refused = await put({ container: "sandbox", space: "nowhere", url: URL_ })
    expect([refused.status, await refused.json()]).toMatchObject([404, { code: "NOT_FOUND" }])
  })

  test.each([
    ["a name with __", { container: "a__b" }],
    ["no URL", { url: "sandbox" }],
    ["another protocol", { url: "ftp://sandbox.corp.internal" }],
    ["a user in its URL", { url: "https://user:pass@sandbox.corp.internal" }],
    ["our own host", { url: "https://callbacks.test/mcp" }],
    ["a placeholder", { url: "https://sandbox.corp.internal/{{secrets.X}}" }],
    ["a header of ours", { headers: { host: "x" } }],
    ["a line break", { headers: { "x-y": "a\nb" } }],
    ["an unknown field", { urls: [] }],
    ["a null", { url: null }],
    ["a limit of 201", "?limit=201"],
  ])("A mapping refuses %s", async (_what, wrong) => {
    const [status] =
      typeof wrong === "string"
        ? await admin.json("GET", PATH + wrong)
        : await admin.json("PUT", PATH, { container: "sandbox", space, url: URL_, ...wrong })
    expect(status).toBe(422)
  })
})

describe("A turn of a mapped space", () => {
  test("A turn calls the container's tool, and no answer, event, error or log contains its address or headers", async () => {
    await map()
    container.callMs = 1500
    const turn = await client.runTurn({ space, text: ECHO })
    expect(turn).toMatchObject({ state: "done", usage: { tool_calls: 1 } })
    expect(turn.result).toContain("Echo: at •••••• with ••••••")
    expect(container.seen.every((headers) => headers.get("authorization") === `Bearer ${TOKEN}`)).toBe(true)
    const spent = "select container, milliseconds::int, user_id::int, billed_at from container_calls where turn_id = $1"
    expect(await world.sql(spent, [turn.turn_id])).toEqual([
      { container: "sandbox", milliseconds: 1500, user_id: client.userId, billed_at: null },
    ])
    const browser = await world.signIn(client.userId)
    const seen = [
      `/v1/turns/${turn.turn_id}`,
      `/v1/turns/${turn.turn_id}/events`,
      `/v1/spaces/${space}`,
      "/v1/events",
      "/v1/me",
    ].map(async (path) => (await client.call("GET", path)).text())
    seen.push((await browser.call("GET", `/api/account/spaces/${space}`)).text())
    const stored = await world.sql<{ text: string }>(
      `select concat((select string_agg(t::text, '') from turn_log t), (select string_agg(e::text, '') from events e),
         (select string_agg(r.results::text, '') from turn_steps r)) as text`,
    )
    const said = (await Promise.all(seen)).join("\n") + stored[0]?.text
    expect(said).toContain("container__echo")
    // The customer's text contains both, because this test wrote it.
    const own = said.replaceAll(JSON.stringify(ECHO).slice(1, -1), "")
    expect(own).not.toContain(TOKEN)
    expect(own).not.toContain("corp.internal")
    expect(logged.join("\n")).not.toContain(TOKEN)
  })

  test("A turn does not reveal the container's address to the model either", async () => {
    await map()
    const provider = scriptProvider(world, (_asked, n) =>
      n === 0 ? { calls: [{ name: "container__get-sum", arguments: '{"a":2,"b":40}' }] } : { words: ["42"] },
    )
    world.serve("model.test", (request) => provider.serve(request))
    const turn = await client.runTurn({ space, model: MODEL_PIN, text: "What is 2 + 40?" })
    expect(turn.result).toBe("42")
    expect(provider.asks[0]?.tools?.map((tool) => tool.function.name)).toContain("container__echo")
    const asked = JSON.stringify(provider.asks)
    expect(asked).toContain("sum of 2 and 40 is 42")
    for (const hidden of ["corp.internal", TOKEN, "sandbox"]) expect(asked).not.toContain(hidden)
  })

  test("A turn ignores disabled mappings and mappings of other spaces", async () => {
    await map({ enabled: false })
    const turn = await client.runTurn({ space, text: ECHO })
    expect(JSON.stringify(turn)).toContain("There is no tool")
    expect(container.seen).toEqual([])
  })

  test("A container may have an address that no customer may name", async () => {
    const url = "http://10.0.0.7:3001/mcp"
    await map({ url })
    expect((await client.runTurn({ space, text: '[call container__echo {"message":"hi"}]' })).result).toContain(
      "Echo: hi",
    )
    const theirs = await client.call("PUT", `/v1/spaces/${space}/mcp-servers/own`, { url })
    expect(theirs.status).toBe(422)
  })

  test("A turn with two containers has the tools of both", async () => {
    await map()
    await map({ container: "second" })
    const text = '[call container__echo {"message":"one"}]\n[call container__second_echo {"message":"two"}]'
    const turn = await client.runTurn({ space, text })
    expect(turn.usage.tool_calls).toBe(2)
    const times = "select container from container_calls where turn_id = $1 order by container"
    expect(await world.sql(times, [turn.turn_id])).toEqual([{ container: "sandbox" }, { container: "second" }])
  })

  test("A test turn calls the container too, and no time is recorded", async () => {
    const key = await world.makeKey(client.userId, { test: true })
    const tests = world.createClient(client.userId, key.value)
    space = await tests.space()
    await map()
    const turn = await tests.runTurn({ space, text: '[call container__echo {"message":"hi"}]' })
    expect(turn.result).toContain("Echo: hi")
    expect(await world.sql("select 1 from container_calls where turn_id = $1", [turn.turn_id])).toEqual([])
  })
})

describe("A container that stops", () => {
  const hidden = (turn: object) => {
    const text = JSON.stringify(turn).replaceAll(JSON.stringify(ECHO).slice(1, -1), "") + logged.join("\n")
    for (const word of ["ECONNREFUSED", TOKEN]) expect(text).not.toContain(word)
    expect(JSON.stringify(turn)).not.toContain("corp.internal")
  }

  test("A container that stops before a turn ends it like an MCP server, counted once as container_start", async () => {
    await map()
    container.stopped = true
    const turn = await client.runTurn({ space, text: '[call container__echo {"message":"hi"}]' })
    expect(turn).toMatchObject({
      state: "failed",
      error: { code: "MCP_SERVER_UNAVAILABLE", message: "The container of this space does not answer." },
      billed_cost_usd: 0,
    })
    hidden(turn)
    expect(await failures(turn.turn_id)).toEqual([{ kind: "container_start", name: "sandbox", code: "unreachable" }])
  })

  test("A container that stops between calls is an error for the model, counted as container_exec, and the turn continues", async () => {
    await map()
    container.stopsAtCalls = true
    const turn = await client.runTurn({ space, text: '[call container__echo {"message":"hi"}]' })
    expect(turn.state).toBe("done")
    expect(turn.result).toContain("The container of this space does not answer.")
    hidden(turn)
    expect(await failures(turn.turn_id)).toEqual([{ kind: "container_exec", name: "sandbox", code: "unreachable" }])
    container.stopsAtCalls = false
    const wrong = await client.runTurn({ space, text: '[call container__get-sum {"a":"x"}]' })
    expect(await failures(wrong.turn_id), "a tool that rejects its input is no failure of the container").toEqual([])
  })

  test("A container's redirects are not followed", async () => {
    await map()
    container.redirects = true
    const turn = await client.runTurn({ space, text: "hello" })
    expect(turn).toMatchObject({ state: "failed", error: { code: "MCP_SERVER_UNAVAILABLE" } })
    hidden(turn)
  })
})

test("A mapping's headers are sealed again under the newest key of the ring", async () => {
  await map()
  const newer = `newer:${btoa("abcdef0123456789abcdef0123456789")}`
  world.rebind({ SECRETS_KEYS: `${newer},${world.env.SECRETS_KEYS}` })
  await client.runTurn({ space, text: ECHO })
  world.rebind({ SECRETS_KEYS: newer })
  await client.runTurn({ space, text: ECHO })
  expect(container.seen.at(-1)?.get("authorization")).toBe(`Bearer ${TOKEN}`)
  world.rebind({ SECRETS_KEYS: world.env.SECRETS_KEYS })
})
