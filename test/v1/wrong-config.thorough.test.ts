import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { parseExact } from "../../src/base/exact-json.ts"
import { readJson } from "../harness/answers.ts"
import { orderTool } from "../harness/customer.ts"
import { mcpServerDefinition, toolDefinition, versionOf } from "../harness/space-config.ts"
import { createWorld, type World } from "../harness/world.ts"

let world: World
beforeAll(async () => {
  world = await createWorld()
})
afterAll(() => world.close())

/** An object with this many nested levels. */
function nested(levels: number): object {
  let value: object = { type: "object" }
  for (let level = 1; level < levels; level++) value = { type: "object", a: value }
  return value
}

describe("Wrong configuration", () => {
  const tool = (overrides: object) => ({ ...toolDefinition, ...overrides })
  const request = (overrides: object) =>
    tool({ request: { method: "POST", url: "https://api.customer.com/", ...overrides } })
  const FAULTS: [string, object][] = [
    ["tools/lookup_order", { name: "other", ...toolDefinition }],
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
    ["tools/a__b", toolDefinition],
    ["tools/write_file", toolDefinition],
    ["tools/delegate", toolDefinition],
    ["tools/1a", toolDefinition],
    ["mcp-servers/docs", { ...mcpServerDefinition, url: "https://localhost/mcp" }],
    ["mcp-servers/docs", { ...mcpServerDefinition, url: "https://mcp.customer.com/{{input.x}}" }],
    ["mcp-servers/docs", { ...mcpServerDefinition, headers: { a: "{{input.x}}" } }],
    ["mcp-servers/docs", { ...mcpServerDefinition, allowed_tools: "all" }],
    ["mcp-servers/docs", {}],
    ["mcp-servers/a__b", mcpServerDefinition],
    ["mcp-servers/a_", mcpServerDefinition],
    ["tools/lookup_order", tool({ input_schema: nested(5000) })],
    ["tools/lookup_order", request({ body: nested(101) })],
    ["tools/lookup_order", tool({ input_schema: { type: "object", properties: { a: { pattern: "^(?!a)" } } } })],
    ["tools/lookup_order", tool({ input_schema: { type: "object", allOf: Array(17).fill({ $ref: "#/x" }) } })],
    ["tools/lookup_order/test", { input: nested(30_000) }],
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

  test.each(FAULTS)("The wrong PUT %s is refused and changes nothing (%#)", async (path, body) => {
    const client = await world.createAccount()
    const space = await client.space()
    const method = path.endsWith("/test") ? "POST" : "PUT"
    const [status, answer] = await readJson(client.call(method, `/v1/spaces/${space}/${path}`, body))
    expect([status, answer], JSON.stringify(answer)).toMatchObject([422, { error: { code: "VALIDATION_FAILED" } }])
    expect(await versionOf(client, space)).toBe(1)
  })

  test("The same errors in POST /v1/spaces are refused, and the message names the field", async () => {
    const client = await world.createAccount()
    for (const [body, param] of [
      [{ tools: [orderTool("localhost")] }, "tools.0.request.url"],
      [{ tools: [orderTool(), orderTool()] }, "tools"],
      [{ mcp_servers: [{ name: "a", url: "https://10.0.0.1/" }] }, "mcp_servers.0.url"],
      [{ secrets: { "a-b": "value" } }, "secrets.a-b"],
      [{ manifest: { subagents: [{ name: "a", description: "b", model: "no/such" }] } }, "manifest.subagents.0.model"],
    ] as const) {
      const [status, answer] = await readJson(client.call("POST", "/v1/spaces", { title: "t", ...body }))
      expect([status, answer]).toMatchObject([422, { error: { param } }])
    }
  })

  test("Another tenant, a narrower scope and a test key get 404 everywhere", async () => {
    const client = await world.createAccount()
    const space = await client.space({
      tools: [orderTool()],
      mcp_servers: [{ name: "docs", ...mcpServerDefinition }],
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
      ["PUT", "tools/lookup_order", toolDefinition],
      ["DELETE", "tools/lookup_order"],
      ["POST", "tools/lookup_order/test", {}],
      ["GET", "mcp-servers"],
      ["PUT", "mcp-servers/docs", mcpServerDefinition],
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

  test("Internal callbacks are refused without our own signature", async () => {
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

test("A schema that allows no call is refused, and so is a number that a double cannot represent", async () => {
  const client = await world.createAccount()
  const space = await client.space({})
  const put = async (body: string) => {
    const [status, answer] = await readJson(
      client.call("PUT", `/v1/spaces/${space}/tools/t`, parseExact(body) as object),
    )
    return { status, answer }
  }
  const schemaOf = (a: object) =>
    JSON.stringify({ ...toolDefinition, input_schema: { type: "object", properties: { a } } })
  expect(await put(schemaOf({ type: "int" }))).toMatchObject({
    status: 422,
    answer: { error: { code: "VALIDATION_FAILED", param: "input_schema.properties.a.type" } },
  })
  expect(await put(schemaOf({ const: "N" }).replace('"N"', "12345678901234567890"))).toMatchObject({
    status: 422,
    answer: {
      error: { param: "input_schema.properties.a.const", message: expect.stringContaining("1234567890123456789") },
    },
  })
})
