import { describe, expect, test } from "vitest"
import { callMcpTool, connectToMcp, type McpMessage, mcpEventStream, mcpResult } from "../harness/mcp.ts"

const schema = { type: "object", properties: {} }
const good = { name: "ok", description: "Fine.", inputSchema: schema }
const odd = (more: object) => ({ name: "odd", description: "d", inputSchema: schema, ...more })

/** The forms of a server's answer: JSON, or events whose data has one line or several. */
const forms = {
  json: (value: object) => Response.json(value),
  events: (value: object) => mcpEventStream([`event: message\ndata: ${JSON.stringify(value)}`]),
  "events of many lines": (value: object) => {
    const lines = JSON.stringify(value, null, 1).split("\n")
    return mcpEventStream([lines.map((line) => `data: ${line}`).join("\r\n")])
  },
}

/** Listings whose members have one error each, and whether the odd tool is kept. */
const listings: Record<string, { tools: unknown[]; more?: object; keeps?: boolean }> = {
  "annotations null": { tools: [odd({ annotations: null })], keeps: true },
  "annotations a list": { tools: [odd({ annotations: [] })], keeps: true },
  "a hint that is a text": { tools: [odd({ annotations: { readOnlyHint: "yes" } })], keeps: true },
  "description null": { tools: [odd({ description: null })], keeps: true },
  "description a number": { tools: [odd({ description: 7 })] },
  "outputSchema null": { tools: [odd({ outputSchema: null })], keeps: true },
  "outputSchema of an array": { tools: [odd({ outputSchema: { type: "array" } })], keeps: true },
  "outputSchema a text": { tools: [odd({ outputSchema: "none" })], keeps: true },
  "inputSchema {}": { tools: [odd({ inputSchema: {} })], keeps: true },
  "inputSchema null": { tools: [odd({ inputSchema: null })] },
  "inputSchema missing": { tools: [{ name: "odd" }] },
  "inputSchema of a text": { tools: [odd({ inputSchema: { type: "string" } })] },
  "properties null": { tools: [odd({ inputSchema: { type: "object", properties: null } })], keeps: true },
  "properties a list": { tools: [odd({ inputSchema: { type: "object", properties: [] } })] },
  "required null": { tools: [odd({ inputSchema: { type: "object", required: null } })], keeps: true },
  "_meta null": { tools: [odd({ _meta: null })], keeps: true, more: { _meta: null } },
  "title and icons null": { tools: [odd({ title: null, icons: null, execution: null })], keeps: true },
  "name a number": { tools: [odd({ name: 5 })] },
  "a tool that is null": { tools: [null] },
  "a tool that is a text": { tools: ["odd"] },
  "nextCursor null": { tools: [odd({})], more: { nextCursor: null }, keeps: true },
  "ttlMs null": { tools: [odd({})], more: { ttlMs: null, cacheScope: null }, keeps: true },
}

describe.each(Object.entries(forms))("A server that answers as %s", (_form, send) => {
  test.each(Object.entries(listings))(
    "The server keeps its valid tool next to one error in its list: %s",
    async (_, list) => {
      const answer = ({ id, method }: McpMessage) =>
        method === "tools/list"
          ? send({ jsonrpc: "2.0", id, result: { tools: [...list.tools, good], ...list.more } })
          : undefined
      const connection = await connectToMcp({ answer }).open()
      const names = (await connection.listTools()).map(({ name }) => name)
      expect(names).toEqual(list.keeps ? ["odd", "ok"] : ["ok"])
      expect(connection.odd()).toHaveLength(list.keeps ? 0 : 1)
      expect((await callMcpTool(connection, "ok")).parts).toEqual([{ type: "text", text: "called ok" }])
    },
  )

  const said = { type: "text", text: "order created" }
  const results: Record<string, object> = {
    "structuredContent null": { content: [said], structuredContent: null },
    "_meta null": { content: [said], _meta: null },
    "_meta a list": { content: [said], _meta: [] },
    "isError null": { content: [said], isError: null },
    "isError a text": { content: [said], isError: "false" },
    "an unknown part": { content: [said, { type: "widget", x: 1 }] },
    "a part that is null": { content: [said, null] },
    "a part that is a text": { content: ["order created"] },
    "content that is one part": { content: said },
    "content that is a text": { content: "order created" },
    "annotations null": { content: [{ ...said, annotations: null }] },
    "annotations odd": { content: [{ ...said, annotations: { audience: "user", priority: 7 } }] },
    "a part's _meta null": { content: [{ ...said, _meta: null }] },
    "a picture without bytes": { content: [said, { type: "image", data: null, mimeType: "image/png" }] },
    "a picture without a type": { content: [said, { type: "image", data: "aGk=" }] },
    "a link without a name": { content: [said, { type: "resource_link", uri: "file:///a", name: null }] },
    "an invalid link": { content: [said, { type: "resource_link" }] },
    "a resource that is null": { content: [said, { type: "resource", resource: null }] },
    "a resource of null": { content: [said, { type: "resource", resource: { uri: null, text: "t", mimeType: null } }] },
    "a resource without content": { content: [said, { type: "resource", resource: { uri: "file:///a" } }] },
    "unknown members": { content: [said], cost: null, nextCursor: null },
  }
  test.each(Object.entries(results))("The result is shown unchanged despite one error in it: %s", async (_, value) => {
    const answer = ({ id, method }: McpMessage) =>
      method === "tools/call" ? send({ jsonrpc: "2.0", id, result: value }) : undefined
    const answered = await callMcpTool(await connectToMcp({ answer }).open())
    expect(answered.isError).toBe(false)
    expect(answered.parts[0]).toEqual({ type: "text", text: "order created" })
  })
})

test("The first answer may have null in optional fields", async () => {
  const info = { name: "s", version: null, title: null }
  const value = { protocolVersion: "2025-06-18", capabilities: { tools: {}, prompts: null }, serverInfo: info }
  const answer = ({ id, method }: McpMessage) =>
    method === "initialize" ? mcpResult(id, { ...value, instructions: null, _meta: null }) : undefined
  expect(await (await connectToMcp({ answer }).open()).listTools()).toHaveLength(2)
})

test("An answer may have null for an absent error, and a string as its id", async () => {
  const answer = ({ id, method }: McpMessage) =>
    method === "tools/call"
      ? Response.json({ jsonrpc: "2.0", id: String(id), error: null, result: { content: [] } })
      : undefined
  expect(await callMcpTool(await connectToMcp({ answer }).open())).toEqual({ isError: false, parts: [] })
})

test("A call of a tool with an output schema that returns no structured content is not a failure", async () => {
  const tools = [{ ...good, name: "one", outputSchema: { type: "object", required: ["a"] } }]
  const answer = ({ id, method }: McpMessage) => {
    if (method === "tools/list") return mcpResult(id, { tools })
    return method === "tools/call" ? mcpResult(id, { content: [], structuredContent: null }) : undefined
  }
  const connection = await connectToMcp({ answer }).open()
  await connection.listTools()
  expect((await callMcpTool(connection)).isError).toBe(false)
})

test("Structured content keeps the digits of its numbers", async () => {
  const answer = ({ id, method }: McpMessage) => {
    if (method !== "tools/call") return undefined
    const body = `{"jsonrpc":"2.0","id":${id},"result":{"content":[],"structuredContent":{"id":12345678901234567890}}}`
    return new Response(body, { headers: { "content-type": "application/json" } })
  }
  const { structured } = await callMcpTool(await connectToMcp({ answer }).open())
  expect(JSON.stringify(structured)).toBe('{"id":12345678901234567890}')
})

test("The bytes of a resource are shown if they are a text or a picture", async () => {
  const blob = (mimeType: string, bytes: string) => ({
    type: "resource",
    resource: { uri: "file:///a", mimeType, blob: btoa(bytes) },
  })
  const content = [
    blob("text/plain; charset=iso-8859-1", "caf\xe9"),
    blob("IMAGE/JPG", "hi"),
    blob("application/zip", "PK"),
    { type: "resource_link", uri: "file:///l", name: "l", description: "The list." },
  ]
  const answer = ({ id, method }: McpMessage) => (method === "tools/call" ? mcpResult(id, { content }) : undefined)
  expect((await callMcpTool(await connectToMcp({ answer }).open())).parts).toEqual([
    { type: "text", text: "café" },
    { type: "image", mediaType: "image/jpeg", data: btoa("hi") },
    { type: "text", text: "[resource file:///a, application/zip, not shown]" },
    { type: "text", text: "[resource l: file:///l: The list.]" },
  ])
})

test.each([400, 500])("A JSON-RPC error inside HTTP %i keeps its message", async (status) => {
  const answer = ({ id, method }: McpMessage) =>
    method === "tools/call"
      ? Response.json({ jsonrpc: "2.0", id, error: { code: -32_602, message: "The order is closed." } }, { status })
      : undefined
  await expect(callMcpTool(await connectToMcp({ answer }).open())).rejects.toMatchObject({
    kind: "tool",
    message: expect.stringContaining("The order is closed."),
  })
})

describe("A server of the revision without initialize", () => {
  const meta = "io.modelcontextprotocol/protocolVersion"
  const answer = (message: McpMessage, request: Request) => {
    const { id, method, params } = message
    const error = (code: number, status: number) =>
      Response.json({ jsonrpc: "2.0", id, error: { code, message: "no" } }, { status })
    if (method === "initialize") return error(-32_601, 404)
    if (params?._meta?.[meta] !== "2026-07-28") return error(-32_602, 400)
    if (request.headers.get("mcp-protocol-version") !== "2026-07-28") return error(-32_020, 400)
    const cached = { resultType: "complete", ttlMs: 0, cacheScope: "private" }
    if (method === "server/discover") {
      return mcpResult(id, { ...cached, supportedVersions: ["2026-07-28"], capabilities: { tools: {} } })
    }
    if (method === "tools/list") return mcpResult(id, { ...cached, tools: [{ ...good, name: "one" }] })
    return mcpResult(id, { resultType: "complete", content: [{ type: "text", text: "called one" }] })
  }

  test("The server is connected, its tools are listed and called, and no session is closed", async () => {
    const { open, seen } = connectToMcp({ answer })
    const connection = await open()
    expect(connection.speaks()).toBe("2026-07-28")
    expect((await connection.listTools()).map(({ name }) => name)).toEqual(["one"])
    expect((await callMcpTool(connection)).parts).toEqual([{ type: "text", text: "called one" }])
    await connection.close()
    expect(seen.some(({ method }) => method === "DELETE")).toBe(false)
  })
})
