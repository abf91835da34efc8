import { afterAll, beforeAll, describe, expect, inject, test, vi } from "vitest"
import { orderTool, serveCustomer } from "../harness/customer.ts"
import { addModel } from "../harness/models.ts"
import { AGENT_MODEL } from "../harness/scripted-agent.ts"
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

/** Four secrets, one per place, with characters that URLs, JSON and base64 encode differently. */
const CANARIES = {
  HEADER: 'canary-header/"<&>+1 end',
  QUERY: 'canary?query="&=2',
  BODY: "canary\\body\n3",
  SUBAGENT: "canary-sub-agent-4",
  MCP: "canary-mcp-5",
}

function spellings(value: string): string[] {
  const bytes = new TextEncoder().encode(value)
  const base64 = btoa(String.fromCharCode(...bytes)).replace(/=+$/, "")
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("")
  return [value, encodeURIComponent(value), JSON.stringify(value).slice(1, -1), base64.slice(0, -2), hex]
}

function expectNoCanary(text: string, where: string) {
  for (const [name, value] of Object.entries(CANARIES)) {
    for (const spelling of spellings(value))
      expect(text.includes(spelling), `${name} as ${spelling} in ${where}`).toBe(false)
  }
}

/** Returns the whole request in several encodings. */
function echo({ url, headers, body }: { url: string; headers: Record<string, string>; body: string }): Response {
  const all = JSON.stringify({ url, headers, body })
  const latin = Array.from(new TextEncoder().encode(all), (byte) => String.fromCharCode(byte)).join("")
  return Response.json(
    {
      all,
      decoded: decodeURIComponent(url),
      base64: btoa(latin),
      shifted: btoa(`x${latin}`),
      basic: btoa(`user:${CANARIES.SUBAGENT}`),
    },
    {
      status: url.includes("fail") ? 500 : 200,
      headers: { "x-echo": encodeURIComponent(headers.authorization ?? "") },
    },
  )
}

/** A test MCP server that shows its tools the headers of the request. */
function serveMcp() {
  const seen: string[] = []
  world.serve("mcp.customer.com", async (request) => {
    if (request.method !== "POST") return new Response(null, { status: request.method === "DELETE" ? 200 : 405 })
    const token = request.headers.get("x-token") ?? ""
    seen.push(token)
    const { id, method, params } = (await request.json()) as { id?: number; method: string; params?: { name?: string } }
    if (id === undefined) return new Response(null, { status: 202 })
    const content = [{ type: "text", text: `token ${token}` }]
    const tool = { name: "leak", description: `Knows ${token}`, inputSchema: { type: "object" } }
    const serverInfo = { name: "leaky", version: "1" }
    const results: Record<string, object> = {
      initialize: { protocolVersion: "2025-06-18", capabilities: { tools: {} }, serverInfo },
      "tools/list": { tools: [tool, { ...tool, name: "fail" }] },
      "tools/call": { content, isError: params?.name === "fail", structuredContent: { token } },
    }
    return Response.json({ jsonrpc: "2.0", id, result: results[method] ?? {} })
  })
  return seen
}

const space = {
  secrets: CANARIES,
  tools: [
    orderTool("api.customer.com", {
      request: {
        method: "POST",
        url: "https://api.customer.com/orders/{{input.id}}?key={{secrets.QUERY}}",
        headers: { authorization: "Bearer {{secrets.HEADER}}" },
        body: { token: "{{secrets.BODY}}", all: "{{input}}" },
      },
    }),
    {
      ...orderTool("api.customer.com"),
      name: "sub_tool",
      request: { method: "GET", url: "https://api.customer.com/fail/{{secrets.SUBAGENT}}" },
    },
    {
      ...orderTool("nobody.customer.com"),
      name: "unreachable",
      request: { method: "GET", url: "https://nobody.customer.com/{{secrets.QUERY}}" },
    },
  ],
  mcp_servers: [
    { name: "leaky", url: "https://mcp.customer.com/mcp?k={{secrets.MCP}}", headers: { "x-token": "{{secrets.MCP}}" } },
  ],
  manifest: {
    builtin_tools: ["write_file"],
    subagents: [{ name: "researcher", description: "Finds out.", instructions: "Use secrets.SUBAGENT well." }],
  },
}

/** Every answer of every read of this space and its turns. */
async function allAnswers(client: TestClient, spaceId: string): Promise<string> {
  const base = `/v1/spaces/${spaceId}`
  const listed = (await (await client.call("GET", "/v1/turns?limit=100")).json()) as {
    data: { turn_id: string; outputs: { file_id: string }[] }[]
  }
  const paths = [
    base,
    `${base}/manifest`,
    `${base}/tools`,
    `${base}/tools/lookup_order`,
    `${base}/mcp-servers`,
    `${base}/secrets`,
    `${base}/versions`,
    `${base}/versions/1`,
    `${base}/files`,
    "/v1/turns",
  ]
  for (const { turn_id, outputs } of listed.data) {
    paths.push(`/v1/turns/${turn_id}`, `/v1/turns/${turn_id}/events?limit=100`)
    for (const { file_id } of outputs) paths.push(`/v1/files/${file_id}/content`)
  }
  const answers = await Promise.all(
    paths.map(async (path) => {
      const response = await client.call("GET", path)
      expect(response.status, path).toBe(200)
      return `${path} ${JSON.stringify([...response.headers])} ${await response.text()}`
    }),
  )
  return answers.join("\n")
}

describe("Canary secrets in a tool, an MCP header and a sub-agent", () => {
  test("The secrets reach the customer's servers and appear nowhere else", async () => {
    const client = await world.createAccount()
    const customer = serveCustomer(world, { answer: echo })
    world.serve("nobody.customer.com", () => Promise.reject(new Error(`connect ${CANARIES.QUERY}`)))
    const tokens = serveMcp()
    const spaceId = await client.space(space)

    const text = [
      `[call lookup_order {"id":"{{secrets.HEADER}}"}]`,
      '[and call sub_tool {"id":"x"}]',
      '[and call unreachable {"id":"x"}]',
      "[and call leaky__leak {}]",
      "[and call leaky__fail {}]",
      '[delegate researcher [call sub_tool {"id":"x"}]]',
      "[write a.txt {{secrets.SUBAGENT}}]",
    ].join("\n")
    const turn = await client.runTurn({ space: spaceId, text, model: "rehearsal/standard" })
    expect(turn).toMatchObject({ state: "done", usage: { tool_calls: 8 } })
    // The secrets were really sent; otherwise the test proves nothing.
    const order = customer.requests.find(({ url }) => url.includes("/orders/"))
    expect(order?.headers.authorization).toContain("canary-header")
    expect(order?.url).toContain(encodeURIComponent(CANARIES.QUERY))
    expect(JSON.parse(order?.body ?? "").token).toBe(CANARIES.BODY)
    expect(customer.requests.some(({ url }) => url.includes(CANARIES.SUBAGENT))).toBe(true)
    expect(tokens).toContain(CANARIES.MCP)
    // A placeholder in an input is plain text.
    expect(order?.url).toContain(encodeURIComponent("{{secrets.HEADER}}"))

    const scripted = await client.runTurn({ space: spaceId, text: "Where is order A-1?", model: PIN })
    expect(scripted.state).toBe("done")
    const tests = await Promise.all([
      client.call("POST", `/v1/spaces/${spaceId}/tools/lookup_order/test`, { input: { id: "1" } }),
      client.call("POST", `/v1/spaces/${spaceId}/tools/unreachable/test`, { input: { id: "1" } }),
      client.call("POST", `/v1/spaces/${spaceId}/mcp-servers/leaky/check`),
    ])
    for (const response of tests) {
      expect(response.status).toBe(200)
      expectNoCanary(`${JSON.stringify([...response.headers])} ${await response.text()}`, response.url)
    }
    expectNoCanary(await allAnswers(client, spaceId), "an answer")
    expectNoCanary(logged.join("\n"), "the log")
    expect(logged.length).toBeGreaterThan(5)

    const journal = await (await fetch(`${inject("modelUrl")}/__aimock/journal`)).text()
    expect(journal).toContain(AGENT_MODEL)
    expectNoCanary(journal, "what was sent to the model")
    const tables = await world.sql<{ name: string }>(
      "select table_name as name from information_schema.tables where table_schema = 'public'",
    )
    for (const { name } of tables) {
      const rows = await world.sql<{ text: string }>(`select string_agg(t::text, '\n') as text from ${name} t`)
      expectNoCanary(rows[0]?.text ?? "", `the table ${name}`)
    }
  })

  test("A tool's test shows the request and the answer, with placeholders for the secrets", async () => {
    const client = await world.createAccount()
    serveCustomer(world, { answer: echo })
    const spaceId = await client.space(space)
    const response = await client.call("POST", `/v1/spaces/${spaceId}/tools/lookup_order/test`, {
      input: { id: "a/b" },
    })
    expect(await response.json()).toMatchObject({
      ok: true,
      request: {
        method: "POST",
        url: "https://api.customer.com/orders/a%2Fb?key={{secrets.QUERY}}",
        headers: { authorization: "Bearer {{secrets.HEADER}}", "content-type": "application/json" },
        body: '{"all":{"id":"a/b"},"token":"{{secrets.BODY}}"}',
      },
      response: { status: 200 },
    })
    const wrong = await client.call("POST", `/v1/spaces/${spaceId}/tools/lookup_order/test`, { input: { id: 5 } })
    expect(await wrong.json()).toMatchObject({
      ok: false,
      request: null,
      result: expect.stringContaining("does not fit"),
    })
  })

  test("The error for an unset secret names the secret", async () => {
    const client = await world.createAccount()
    serveCustomer(world)
    const spaceId = await client.space({ tools: [orderTool()] })
    const turn = await client.runTurn({
      space: spaceId,
      text: '[call lookup_order {"id":"1"}]',
      model: "rehearsal/standard",
    })
    expect(turn.result).toContain("lookup_order failed: The secret TOKEN is not set in this space.")
  })
})

describe("The key ring", () => {
  const key = (fill: string) => btoa(fill.repeat(32))

  test("A rotated key still opens its sealed secrets, and each secret moves to the new key on its next use", async () => {
    const client = await world.createAccount()
    const customer = serveCustomer(world)
    world.rebind({ SECRETS_KEYS: `k1:${key("a")}` })
    const spaceId = await client.space({ tools: [orderTool()], secrets: { TOKEN: "canary-rotated" } })
    const sealed = async () =>
      (
        await world.sql<{ sealed: string }>(
          "select sealed from space_secrets s join spaces using (space_id) where slug = $1",
          [spaceId],
        )
      )[0]?.sealed
    expect(await sealed()).toMatch(/^k1\./)
    world.rebind({ SECRETS_KEYS: `k2:${key("b")},k1:${key("a")}` })
    const run = () =>
      client.runTurn({ space: spaceId, text: '[call lookup_order {"id":"1"}]', model: "rehearsal/standard" })
    await run()
    await world.settled()
    expect(await sealed()).toMatch(/^k2\./)
    world.rebind({ SECRETS_KEYS: `k2:${key("b")}` })
    expect((await run()).state).toBe("done")
    expect(customer.requests.map(({ headers }) => headers.authorization)).toEqual(
      Array(2).fill("Bearer canary-rotated"),
    )
    world.rebind({ SECRETS_KEYS: world.env.SECRETS_KEYS })
  })

  test("A sealed secret opens in no other space and under no other name", async () => {
    const client = await world.createAccount()
    serveCustomer(world)
    const [one, other] = [
      await client.space({ tools: [orderTool()], secrets: { TOKEN: "canary-one" } }),
      await client.space({ tools: [orderTool()], secrets: { TOKEN: "canary-other" } }),
    ]
    await world.sql(
      `update space_secrets set sealed = (select sealed from space_secrets s join spaces using (space_id) where slug = $1)
       where space_id = (select space_id from spaces where slug = $2)`,
      [one, other],
    )
    const response = await client.call("POST", `/v1/spaces/${other}/tools/lookup_order/test`, { input: { id: "1" } })
    expect(response.status).toBe(503)
    expect(await response.text()).not.toContain("canary-one")
  })
})
