import { afterAll, beforeAll, expect, inject, test, vi } from "vitest"
import { orderTool, type SeenRequest, serveCustomer } from "../harness/customer.ts"
import { addModel } from "../harness/models.ts"
import { exportTraces, serveCollector, TRACE_ENDPOINT_PATH } from "../harness/otlp.ts"
import { makeWebhook, serveReceiver } from "../harness/receiver.ts"
import { AGENT_MODEL } from "../harness/scripted-agent.ts"
import { searchEverywhere } from "../harness/search.ts"
import { createWorld, type TestClient, type World } from "../harness/world.ts"

const PIN = `openai-compatible/${AGENT_MODEL}`

let world: World
const logged: string[] = []
beforeAll(async () => {
  for (const level of ["info", "error", "log", "warn"] as const) {
    vi.spyOn(console, level).mockImplementation((...parts: unknown[]) => void logged.push(parts.map(String).join(" ")))
  }
  world = await createWorld({ upstreams: { model: inject("modelUrl") }, env: { LOG_LEVEL: "info" } })
  await addModel(world, PIN)
})
afterAll(async () => {
  vi.restoreAllMocks()
  await world.close()
})

/** An MCP server that repeats the headers of each request: in a tool's description, results and an error. */
function serveRepeatingMcp(host: string): SeenRequest[] {
  const requests: SeenRequest[] = []
  world.serve(host, async (request) => {
    const headers = Object.fromEntries(request.headers)
    const body = await request.text()
    requests.push({ method: request.method, url: request.url, headers, body })
    if (request.method !== "POST") return new Response(null, { status: request.method === "DELETE" ? 200 : 405 })
    const { id, method, params } = JSON.parse(body) as { id?: number; method: string; params?: { name?: string } }
    if (id === undefined) return new Response(null, { status: 202 })
    const tool = { name: "echo", description: `Got ${JSON.stringify(headers)}`, inputSchema: { type: "object" } }
    const content = [{ type: "text", text: `Got ${JSON.stringify(headers)}` }]
    const results: Record<string, object> = {
      initialize: {
        protocolVersion: "2025-06-18",
        capabilities: { tools: {} },
        serverInfo: { name: "repeating", version: "1" },
      },
      "tools/list": { tools: [tool, { ...tool, name: "fail" }] },
      "tools/call": { content, isError: params?.name === "fail", structuredContent: { headers } },
    }
    return Response.json({ jsonrpc: "2.0", id, result: results[method] ?? {} })
  })
  return requests
}

const TEXT = [
  '[call lookup_order {"id":"A-1"}]',
  '[and call lookup_order {"id":"fail"}]',
  '[and call plain_order {"id":"A-2"}]',
  "[and call everything__echo {}]",
  "[and call everything__fail {}]",
  "[and call plain__echo {}]",
  '[delegate researcher [call lookup_order {"id":"A-3"}]\\n[reply Found it.]]',
  "[reply It left.]",
].join("\n")

/** The reads of these turns, and checks of the MCP servers. */
async function allAnswers(client: TestClient, space: string, turnIds: string[]): Promise<string> {
  const paths = [
    ...["/v1/turns", `/v1/spaces/${space}`, `/v1/spaces/${space}/versions/1`, "/v1/end-users/ada/export"],
    ...turnIds.flatMap((id) => ["", "/events?limit=100", "/messages"].map((of) => `/v1/turns/${id}${of}`)),
  ]
  const reads = paths.map((path) => ["GET", path] as const)
  const checks = ["everything", "plain"].map(
    (name) => ["POST", `/v1/spaces/${space}/mcp-servers/${name}/check`] as const,
  )
  const answers = await Promise.all(
    [...reads, ...checks].map(async ([method, path]) => {
      const response = await client.call(method, path)
      expect(response.status, path).toBe(200)
      return `${JSON.stringify([...response.headers])} ${await response.text()}`
    }),
  )
  return answers.join("\n")
}

test("Identities reach only the servers that want one, and no part of a token is anywhere else", async () => {
  const repeat = (request: SeenRequest) => Response.json(request, { status: request.url.endsWith("fail") ? 500 : 200 })
  const shop = serveCustomer(world, { answer: repeat })
  const plainShop = serveCustomer(world, { host: "plain.customer.com", answer: repeat })
  const mcp = serveRepeatingMcp("mcp.customer.com")
  const plainMcp = serveRepeatingMcp("plain-mcp.customer.com")
  const receiver = serveReceiver(world)
  const collector = serveCollector(world)

  const account = await world.createAccount()
  const { value } = await world.makeKey(account.userId, { scope: "all" })
  const client = world.createClient(account.userId, value)
  const browser = await world.signIn(account.userId)
  const [traced] = await browser.json("PUT", TRACE_ENDPOINT_PATH, { url: collector.url, with_text: true })
  expect(traced).toBe(200)
  await makeWebhook(client, { url: receiver.url, events: null })
  const space = await client.space({
    tools: [orderTool(), orderTool("plain.customer.com", { name: "plain_order", identity: "none" })],
    mcp_servers: [
      { name: "everything", url: "https://mcp.customer.com/mcp" },
      { name: "plain", url: "https://plain-mcp.customer.com/mcp", identity: "none" },
    ],
    secrets: { TOKEN: "token-1" },
    manifest: {
      builtin_tools: ["write_file"],
      subagents: [{ name: "researcher", description: "Finds orders.", tools: ["lookup_order"] }],
    },
  })
  const rehearsed = await client.runTurn({ space, end_user_ref: "ada", text: TEXT })
  const asked = await client.runTurn({ space, end_user_ref: "ada", text: "Where is order A-1?", model: PIN })
  expect([rehearsed, asked].map(({ state, usage }) => [state, usage.tool_calls])).toEqual([
    ["done", 8],
    ["done", 4],
  ])
  // The test of a tool shows its token to the owner, and stores it nowhere.
  for (const name of ["lookup_order", "plain_order"]) {
    const tested = await client.call("POST", `/v1/spaces/${space}/tools/${name}/test`, { input: { id: "1" } })
    expect(tested.status).toBe(200)
  }
  const trace = await browser.call("GET", `/api/account/turns/${rehearsed.turn_id}/trace`)
  expect(trace.status).toBe(200)
  const read = await allAnswers(client, space, [rehearsed.turn_id, asked.turn_id])
  await exportTraces(world)
  await world.drain()

  const plain = [...plainShop.requests, ...plainMcp]
  expect(plain.length).toBeGreaterThan(5)
  for (const { headers } of plain) expect(headers).not.toHaveProperty("turnpike-identity")
  const tokens = [...shop.requests, ...mcp].map(({ headers }) => headers["turnpike-identity"] ?? "")
  // Four calls of the REST tool, its test, and each request to the MCP server.
  expect(tokens.length).toBeGreaterThan(10)
  for (const token of tokens) expect(token).toMatch(/^eyJ[\w-]+\.eyJ[\w-]+\.[\w-]{86}$/)
  const parts = [...new Set(tokens.flatMap((token) => token.split(".")))]
  expect(parts.length).toBeGreaterThan(2 * new Set(tokens).size)

  const journal = await (await fetch(`${inject("modelUrl")}/__aimock/journal`)).text()
  const places = {
    answers: `${read} ${await trace.text()}`,
    log: logged.join("\n"),
    prompts: journal,
    spans: collector.requests.map(({ body }) => body).join("\n"),
    webhooks: receiver.received.map(({ body }) => body).join("\n"),
  }
  // The servers' repetitions of the header have arrived, and each place is about these turns.
  for (const place of ["answers", "prompts", "spans"] as const) expect(places[place]).toContain("turnpike-identity")
  for (const place of ["log", "spans", "webhooks"] as const) expect(places[place]).toContain(asked.turn_id)
  for (const [place, text] of Object.entries(places)) {
    expect(
      parts.filter((part) => text.includes(part)),
      place,
    ).toEqual([])
  }
  const words = Object.fromEntries(parts.map((part, nth) => [`part ${nth}`, part]))
  const found = await searchEverywhere(world, { ...words, repeated: "turnpike-identity" })
  expect(Object.keys(found)).toEqual(["repeated"])
  expect(found.repeated).toContain("table public.turn_steps")
})
