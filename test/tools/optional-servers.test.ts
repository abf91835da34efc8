import { afterAll, beforeAll, beforeEach, expect, inject, test } from "vitest"
import { TOOL_POLICY } from "../../src/tools/policies.ts"
import { readAnswer } from "../harness/answers.ts"
import { expectPromises } from "../harness/promises.ts"
import { createWorld, type TestClient, type World } from "../harness/world.ts"

let world: World
let client: TestClient
/** How the server answers: not at all, with an error, or as it should. */
let mode: "silent" | "refuses" | "answers"
let asked = 0
beforeAll(async () => {
  world = await createWorld()
  world.serve("mcp.customer.com", async (request) => {
    asked++
    if (mode === "silent") return new Promise<Response>(() => {})
    if (mode === "refuses") return new Response("down", { status: 503 })
    const body = request.method === "POST" ? await request.text() : ""
    return fetch(inject("mcpUrl"), { method: request.method, headers: request.headers, ...(body && { body }) })
  })
})
beforeEach(async () => {
  client = await world.createAccount()
  asked = 0
  mode = "refuses"
})
afterAll(() => world.close())

const server = (more: object = {}) => ({
  name: "docs",
  url: "https://mcp.customer.com/mcp",
  required: false,
  allowed_tools: ["echo"],
  ...more,
})
const space = (more: object = {}) => client.space({ mcp_servers: [server(more)] })
const MISSING = { code: "TOOLS_MISSING", server: "docs", message: expect.stringContaining("docs") }

async function eventsOf(turnId: string) {
  const { body } = await readAnswer(client.call("GET", `/v1/turns/${turnId}/events?limit=100`))
  return (body.data as { type: string; data: object }[]).filter(({ type }) => type === "tools.missing")
}

test("A turn continues without an optional server that refuses, and says so once", async () => {
  const turn = await client.runTurn({ space: await space(), text: "[reply Hello.]" })
  expect(turn).toMatchObject({ state: "done", result: "Hello.", warnings: [MISSING] })
  expect(await eventsOf(turn.turn_id)).toMatchObject([{ data: { servers: [MISSING] } }])
  await expectPromises(world, client.userId)
})

test("A silent optional server delays a turn by its time limit, and the next ones not at all", async () => {
  mode = "silent"
  const where = await space()
  const running = client.runTurn({ space: where, text: "[reply Hello.]" })
  await world.clock.sleeping(1, TOOL_POLICY.mcpConnectMs)
  await world.advance(TOOL_POLICY.mcpConnectMs)
  expect(await running).toMatchObject({ state: "done", warnings: [MISSING] })
  const before = asked
  for (let n = 0; n < 3; n++) {
    const next = await client.runTurn({ space: where, text: "[reply Hello.]" })
    expect(next).toMatchObject({ state: "done", warnings: [MISSING] })
  }
  expect(asked).toBe(before)
})

test("A hundred turns next to a dead server all end, and only the first one asks it", async () => {
  client = await world.createAccount({ usd: 100 })
  const where = await space()
  await client.runTurn({ space: where, text: "[reply Hello.]" })
  const before = asked
  const turns = Array.from({ length: 100 }, (_, n) =>
    client.sendTurn({ space: where, end_user_ref: `customer-${n}`, text: "[reply Hello.]" }),
  )
  await Promise.all(turns)
  await world.drain()
  const states = await world.sql<{ state: string; count: string }>(
    "select state, count(*) from turns where user_id = $1 group by state",
    [client.userId],
  )
  expect(states).toMatchObject([{ state: "done", count: "101" }])
  expect(asked).toBe(before)
})

test("A server that answers again has its tools again, and a changed one is asked at once", async () => {
  const where = await space()
  await client.runTurn({ space: where, text: "[reply Hello.]" })
  mode = "answers"
  const text = '[call docs__echo {"message":"hi"}]\n[reply ok]'
  await world.advance((TOOL_POLICY.mcpPauseSeconds[0] ?? 0) * 1000)
  expect(await client.runTurn({ space: where, text })).toMatchObject({
    state: "done",
    warnings: [],
    usage: { tool_calls: 1 },
  })
  expect(
    await world.sql("select from mcp_server_failures f join spaces s using (space_id) where s.slug = $1", [where]),
  ).toEqual([])
  mode = "refuses"
  await client.runTurn({ space: where, text: "[reply Hello.]" })
  mode = "answers"
  const { name: _name, ...changed } = server({ headers: { "x-a": "b" } })
  await client.call("PUT", `/v1/spaces/${where}/mcp-servers/docs`, changed)
  expect(await client.runTurn({ space: where, text })).toMatchObject({ warnings: [], usage: { tool_calls: 1 } })
})

test("The owner is notified once when a server keeps failing, whatever the number of turns", async () => {
  const where = await space()
  const notices = () =>
    world.sql<{ data: { server: string; failures: number } }>(
      "select data from events where user_id = $1 and type = 'mcp_server.failing'",
      [client.userId],
    )
  for (const pause of [...TOOL_POLICY.mcpPauseSeconds, 600, 600]) {
    const turns = [1, 2].map(() => client.sendTurn({ space: where, end_user_ref: "ada", text: "[reply Hello.]" }))
    await Promise.all(turns)
    await world.drain()
    await world.advance(pause * 1000)
  }
  expect(await notices()).toMatchObject([{ data: { server: "docs", failures: TOOL_POLICY.mcpPauseSeconds.length } }])
})

test("A required server that refuses fails the turn, as before", async () => {
  for (const required of [true, undefined]) {
    const turn = await client.runTurn({ space: await space({ required }), text: "[reply Hello.]" })
    expect(turn).toMatchObject({ state: "failed", error: { code: "MCP_SERVER_UNAVAILABLE" }, warnings: [] })
  }
})

test("A header without its value leaves a server out of that turn only", async () => {
  mode = "answers"
  const where = await space({ headers: { "x-tier": "{{metadata.tier}}" } })
  const without = await client.runTurn({ space: where, text: "[reply Hello.]" })
  expect(without).toMatchObject({ state: "done", warnings: [{ server: "docs" }] })
  const turn = await client.runTurn({ space: where, text: "[reply Hello.]", metadata: { tier: "gold" } })
  expect(turn).toMatchObject({ state: "done", warnings: [] })
})
