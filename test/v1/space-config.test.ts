import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { SPACE_POLICY } from "../../src/spaces/policies.ts"
import { orderTool } from "../harness/customer.ts"
import { createWorld, type TestClient, type World } from "../harness/world.ts"

let world: World
beforeAll(async () => {
  world = await createWorld()
})
afterAll(() => world.close())

const { name: _name, ...definition } = orderTool()
const server = { url: "https://mcp.customer.com/mcp", headers: { authorization: "Bearer {{secrets.TOKEN}}" } }

async function json(response: Promise<Response>): Promise<[number, Record<string, unknown>]> {
  const answered = await response
  return [answered.status, (await answered.json()) as Record<string, unknown>]
}

const versionOf = async (client: TestClient, space: string) =>
  (await json(client.call("GET", `/v1/spaces/${space}`)))[1].config_version

describe("the configuration of a space", () => {
  test("tools, MCP servers, secrets and the manifest are put, read, listed and deleted", async () => {
    const client = await world.createAccount()
    const space = await client.space()
    const at = (path: string) => `/v1/spaces/${space}/${path}`
    for (const [path, name, body] of [
      ["tools", "lookup_order", definition],
      ["mcp-servers", "docs", server],
    ] as const) {
      const whole = { name, ...body }
      expect(await json(client.call("PUT", at(`${path}/${name}`), body))).toEqual([200, whole])
      expect(await json(client.call("GET", at(`${path}/${name}`)))).toEqual([200, whole])
      expect(await json(client.call("GET", at(path)))).toEqual([200, { data: [whole] }])
      // What was read can be put back as it is.
      expect(await json(client.call("PUT", at(`${path}/${name}`), whole))).toEqual([200, whole])
    }
    const dates = { created_at: expect.any(String), updated_at: expect.any(String) }
    expect(await json(client.call("PUT", at("secrets/TOKEN"), { value: "canary" }))).toEqual([
      200,
      { name: "TOKEN", ...dates },
    ])
    expect(await json(client.call("GET", at("secrets")))).toEqual([200, { data: [{ name: "TOKEN", ...dates }] }])
    const manifest = {
      instructions: "Be kind.",
      subagents: [{ name: "a", description: "b", model: "rehearsal/standard" }],
    }
    expect(await json(client.call("PUT", at("manifest"), manifest))).toEqual([200, manifest])
    expect(await json(client.call("GET", at("manifest")))).toEqual([200, manifest])
    expect((await json(client.call("GET", `/v1/spaces/${space}`)))[1]).toMatchObject({
      tools: ["lookup_order"],
      mcp_servers: ["docs"],
      config_version: 5,
    })

    const [, versions] = await json(client.call("GET", at("versions?limit=3")))
    expect(versions).toMatchObject({
      data: [
        { version: 5, change: "manifest" },
        { version: 4, change: "secrets/TOKEN" },
        { version: 3, change: "mcp-servers/docs" },
      ],
      has_more: true,
      next_cursor: "3",
    })
    expect((await json(client.call("GET", at("versions?cursor=3"))))[1]).toMatchObject({
      data: [
        { version: 2, change: "tools/lookup_order" },
        { version: 1, change: "created" },
      ],
      has_more: false,
    })
    expect((await json(client.call("GET", at("versions/2"))))[1]).toMatchObject({
      manifest: {},
      tools: [{ name: "lookup_order" }],
      mcp_servers: [],
    })

    for (const path of ["tools/lookup_order", "mcp-servers/docs", "secrets/TOKEN"]) {
      const name = path.split("/")[1]
      expect(await json(client.call("DELETE", at(path)))).toEqual([200, { name, deleted: true }])
      expect((await client.call("DELETE", at(path))).status).toBe(404)
    }
    expect((await client.call("GET", at("tools/lookup_order"))).status).toBe(404)
    expect((await client.call("GET", at("tools/constructor"))).status).toBe(404)
    expect(await versionOf(client, space)).toBe(8)
  })

  test("the same again makes no new version", async () => {
    const client = await world.createAccount()
    const space = await client.space({ manifest: { max_steps: 3 }, tools: [orderTool()] })
    await client.call("PUT", `/v1/spaces/${space}/tools/lookup_order`, definition)
    await client.call("PUT", `/v1/spaces/${space}/manifest`, { max_steps: 3 })
    expect(await versionOf(client, space)).toBe(1)
  })

  test("20 tools put at once are all there, each with its own version", async () => {
    const client = await world.createAccount()
    const space = await client.space()
    const names = Array.from({ length: 20 }, (_, index) => `tool_${index}`)
    const answers = await Promise.all(
      names.map((name) => client.call("PUT", `/v1/spaces/${space}/tools/${name}`, definition)),
    )
    expect(answers.map(({ status }) => status)).toEqual(names.map(() => 200))
    const [, { data }] = (await json(client.call("GET", `/v1/spaces/${space}/tools`))) as [
      number,
      { data: { name: string }[] },
    ]
    expect(data.map(({ name }) => name)).toEqual([...names].sort())
    expect(await versionOf(client, space)).toBe(21)
  })

  test("no more than so many tools and secrets", async () => {
    const client = await world.createAccount()
    const tools = Array.from({ length: SPACE_POLICY.maxTools }, (_, index) => ({ ...orderTool(), name: `t${index}` }))
    const secrets = Object.fromEntries(
      Array.from({ length: SPACE_POLICY.maxSecrets }, (_, index) => [`S${index}`, "value"]),
    )
    const space = await client.space({ tools, secrets })
    const path = `/v1/spaces/${space}`
    expect((await client.call("PUT", `${path}/tools/one_more`, definition)).status).toBe(422)
    expect((await client.call("PUT", `${path}/secrets/ONE_MORE`, { value: "value" })).status).toBe(422)
    expect((await client.call("PUT", `${path}/tools/t0`, { ...definition, description: "new" })).status).toBe(200)
    expect((await client.call("PUT", `${path}/secrets/S0`, { value: "other" })).status).toBe(200)
  })
})

describe("wrong configuration", () => {
  const tool = (overrides: object) => ({ ...definition, ...overrides })
  const request = (overrides: object) =>
    tool({ request: { method: "POST", url: "https://api.customer.com/", ...overrides } })
  const FAULTS: [string, object][] = [
    ["tools/lookup_order", { name: "other", ...definition }],
    ["tools/lookup_order", tool({ description: undefined })],
    ["tools/lookup_order", tool({ description: "" })],
    ["tools/lookup_order", tool({ unknown: 1 })],
    ["tools/lookup_order", tool({ input_schema: { type: "array" } })],
    ["tools/lookup_order", tool({ input_schema: "x" })],
    ["tools/lookup_order", tool({ timeout_seconds: 121 })],
    ["tools/lookup_order", tool({ description: "x".repeat(4001) })],
    ["tools/lookup_order", tool({ input_schema: { type: "object", description: "x".repeat(65_536) } })],
    ["tools/lookup_order", request({ method: "TRACE" })],
    ["tools/lookup_order", request({ url: "/orders" })],
    ["tools/lookup_order", request({ url: "http://api.customer.com/" })],
    ["tools/lookup_order", request({ url: "https://127.0.0.1/" })],
    ["tools/lookup_order", request({ url: "https://callbacks.test/callbacks/turns/x" })],
    ["tools/lookup_order", request({ url: "https://{{input.host}}/" })],
    ["tools/lookup_order", request({ url: "https://api.customer.com{{input.host}}/" })],
    ["tools/lookup_order", request({ url: "{{secrets.URL}}" })],
    ["tools/lookup_order", request({ url: "https://api.customer.com/{{inptu.x}}" })],
    ["tools/lookup_order", request({ headers: { Host: "x" } })],
    ["tools/lookup_order", request({ headers: { "Idempotency-Key": "x" } })],
    ["tools/lookup_order", request({ headers: { "a b": "x" } })],
    ["tools/lookup_order", request({ headers: { a: "x\r\ny: z" } })],
    ["tools/lookup_order", request({ body: { a: "{{secret.X}}" } })],
    ["tools/lookup_order", request({ method: "GET", body: {} })],
    ["tools/a__b", definition],
    ["tools/write_file", definition],
    ["tools/delegate", definition],
    ["tools/1a", definition],
    ["mcp-servers/docs", { ...server, url: "https://localhost/mcp" }],
    ["mcp-servers/docs", { ...server, url: "https://mcp.customer.com/{{input.x}}" }],
    ["mcp-servers/docs", { ...server, headers: { a: "{{input.x}}" } }],
    ["mcp-servers/docs", { ...server, allowed_tools: "all" }],
    ["mcp-servers/docs", {}],
    ["mcp-servers/a__b", server],
    ["secrets/TOKEN", {}],
    ["secrets/TOKEN", { value: "abc" }],
    ["secrets/TOKEN", { value: 5 }],
    ["secrets/TOKEN", { value: "x".repeat(8193) }],
    ["secrets/TOKEN", { value: "nul\u0000" }],
    ["secrets/a-b", { value: "value" }],
    ["secrets/__proto__", { value: "value" }],
    ["manifest", { builtin_tools: ["rm_rf"] }],
    ["manifest", { subagents: [{ name: "a" }] }],
    [
      "manifest",
      {
        subagents: [
          { name: "a", description: "b" },
          { name: "a", description: "b" },
        ],
      },
    ],
    ["manifest", { subagents: [{ name: "a", description: "b", model: "no/such" }] }],
    ["manifest", { model: "no/such" }],
  ]

  test.each(FAULTS)("PUT %s %j is refused, and changes nothing", async (path, body) => {
    const client = await world.createAccount()
    const space = await client.space()
    const [status, answer] = await json(client.call("PUT", `/v1/spaces/${space}/${path}`, body))
    expect([status, answer], JSON.stringify(answer)).toMatchObject([422, { error: { code: "VALIDATION_FAILED" } }])
    expect(await versionOf(client, space)).toBe(1)
  })

  test("POST /v1/spaces refuses the same, and names the field", async () => {
    const client = await world.createAccount()
    for (const [body, param] of [
      [{ tools: [orderTool("localhost")] }, "tools.0.request.url"],
      [{ tools: [orderTool(), orderTool()] }, "tools"],
      [{ mcp_servers: [{ name: "a", url: "https://10.0.0.1/" }] }, "mcp_servers.0.url"],
      [{ secrets: { "a-b": "value" } }, "secrets.a-b"],
      [{ manifest: { subagents: [{ name: "a", description: "b", model: "no/such" }] } }, "manifest.subagents.0.model"],
    ] as const) {
      const [status, answer] = await json(client.call("POST", "/v1/spaces", { title: "t", ...body }))
      expect([status, answer]).toMatchObject([422, { error: { param } }])
    }
  })

  test("another tenant, a narrower scope and a test key meet a 404 everywhere", async () => {
    const client = await world.createAccount()
    const space = await client.space({
      tools: [orderTool()],
      mcp_servers: [{ name: "docs", ...server }],
      secrets: { TOKEN: "canary" },
    })
    const others = [
      await world.createAccount(),
      world.createClient(client.userId, (await world.makeKey(client.userId)).value),
      world.createClient(client.userId, (await world.makeKey(client.userId, { test: true, scope: "all" })).value),
    ]
    const calls: [string, string, object?][] = [
      ["GET", "manifest"],
      ["PUT", "manifest", {}],
      ["GET", "tools"],
      ["GET", "tools/lookup_order"],
      ["PUT", "tools/lookup_order", definition],
      ["DELETE", "tools/lookup_order"],
      ["POST", "tools/lookup_order/test", {}],
      ["GET", "mcp-servers"],
      ["PUT", "mcp-servers/docs", server],
      ["DELETE", "mcp-servers/docs"],
      ["POST", "mcp-servers/docs/check"],
      ["GET", "secrets"],
      ["PUT", "secrets/TOKEN", { value: "other" }],
      ["DELETE", "secrets/TOKEN"],
      ["GET", "versions"],
      ["GET", "versions/1"],
    ]
    for (const other of others) {
      for (const [method, path, body] of calls) {
        const response = await other.call(method, `/v1/spaces/${space}/${path}`, body)
        expect([method, path, response.status]).toEqual([method, path, 404])
      }
    }
    expect(await versionOf(client, space)).toBe(1)
  })

  test("our own internal calls are refused without our own signature", async () => {
    for (const path of ["try-tool", "check-mcp-server"]) {
      for (const headers of [{}, { "turnpike-signature": "x.y.z" }, { "upstash-signature": "x.y.z" }]) {
        const response = await world.invoke(
          new Request(`https://callbacks.test/callbacks/internal/${path}`, { method: "POST", headers, body: "{}" }),
        )
        expect(response.status).toBe(401)
      }
    }
  })
})
