import { describe, expect, test } from "vitest"
import { connectMcp, mcpTools } from "../../src/tools/mcp-tools.ts"
import { TOOL_POLICY } from "../../src/tools/policies.ts"
import { createSecrets } from "../../src/tools/secrets.ts"
import { connectToMcp, type McpMessage, mcpEventStream, mcpResult } from "../harness/mcp.ts"

const DID = "order 17 created"
const said = { type: "text", text: DID }
const outputSchema = {
  type: "object",
  properties: { n: { type: "integer" }, at: { type: "string" } },
  required: ["n"],
}
const server = { name: "s", url: "https://mcp.customer.com/mcp", headers: {} }

/** The text that the model reads after one call, and the number of calls that the server got. */
async function told(answerCall: (message: McpMessage) => Response, more: { initialize?: object } = {}) {
  let calls = 0
  const answer = (message: McpMessage) => {
    const { id, method } = message
    if (method === "tools/list")
      return mcpResult(id, { tools: [{ name: "do", inputSchema: { type: "object" }, outputSchema }] })
    if (method === "initialize" && more.initialize) return mcpResult(id, more.initialize, { "mcp-session-id": "s" })
    if (method !== "tools/call") return undefined
    calls++
    return answerCall(message)
  }
  const { outbound, clock } = connectToMcp({ answer, maxBytes: 10_000_000 })
  const deps = { outbound, clock, secrets: createSecrets({}), signal: new AbortController().signal }
  const connection = await connectMcp(deps, server)
  const [tool] = await mcpTools(deps, { server, connection, storeImage: async () => "key" })
  const place = { key: "k", step: 0, call: 0, agent: null, signal: deps.signal, mayStart: async () => true }
  const run = await tool?.run({}, place)
  const output = run?.output
  const text = output?.type === "parts" ? JSON.stringify(output.value) : String(output?.value)
  return { failed: output?.type === "error", text, calls }
}

const json = (value: unknown) => (message: McpMessage) => mcpResult(message.id, value as object)
const raw = (body: (id: number | undefined) => string, type: string | null) => (message: McpMessage) =>
  new Response(new TextEncoder().encode(body(message.id)), { headers: type === null ? {} : { "content-type": type } })
const rpc = (id: number | undefined, result: unknown) => JSON.stringify({ jsonrpc: "2.0", id, result })
const whole = { content: [said], structuredContent: { n: 17 } }

/** Answers of servers that carried out the call: [name, answer, texts that the model must read]. */
const carriedOut: [string, (message: McpMessage) => Response, string[]][] = [
  // Data that does not fit the output schema.
  ["a text for a number", json({ content: [said], structuredContent: { n: "x" } }), [DID, '"n":"x"', "/n"]],
  ["a missing member", json({ content: [said], structuredContent: { at: "now" } }), [DID, '"at":"now"', "schema"]],
  ["null for a number", json({ content: [said], structuredContent: { n: null } }), [DID, '"n":null', "/n"]],
  ["a fraction for an integer", json({ content: [said], structuredContent: { n: 1.5 } }), [DID, "1.5", "/n"]],
  ["a list for an object", json({ content: [said], structuredContent: [17] }), [DID, "[17]", "schema"]],
  ["a text for an object", json({ content: [said], structuredContent: "17" }), [DID, '"17"', "schema"]],
  ["a number for an object", json({ content: [said], structuredContent: 17 }), [DID, "17", "schema"]],
  ["true for an object", json({ content: [said], structuredContent: true }), [DID, "true", "schema"]],
  ["data without a text", json({ content: [], structuredContent: { n: "x" } }), ['"n":"x"', "/n"]],
  ["data without content", json({ structuredContent: { n: "x" } }), ['"n":"x"', "/n"]],
  ["an empty object", json({ content: [said], structuredContent: {} }), [DID, "{}", "schema"]],
  ["a wrong second member", json({ content: [said], structuredContent: { n: 1, at: 5 } }), [DID, '"at":5', "/at"]],
  ["no data", json({ content: [said] }), [DID]],
  ["data that is null", json({ content: [said], structuredContent: null }), [DID]],
  ["a large integer", json({ content: [said], structuredContent: { n: 12345678901 } }), [DID, "12345678901"]],
  // Results of other forms.
  ["a result that is a text", (m) => mcpResult(m.id, DID as never), [DID]],
  ["a result that is a list", (m) => mcpResult(m.id, [said] as never), [DID]],
  ["a result that is a number", (m) => mcpResult(m.id, 17 as never), ["17"]],
  ["a result that is true", (m) => mcpResult(m.id, true as never), ["true"]],
  ["a result that is null", (m) => mcpResult(m.id, null as never), ["(an empty answer)"]],
  ["an empty result", json({}), ["(an empty answer)"]],
  ["toolResult that is a text", json({ toolResult: DID }), [DID]],
  ["toolResult that is an object", json({ toolResult: { order: 17 } }), ['{"order":17}']],
  ["toolResult next to empty content", json({ content: [], toolResult: { order: 17 } }), ['{"order":17}']],
  ["toolResult that is false", json({ toolResult: false }), ["false"]],
  ["toolResult that is zero", json({ toolResult: 0 }), ["0"]],
  ["only unknown members", json({ order: 17, state: "created" }), ['{"order":17,"state":"created"}']],
  ["unknown members next to a text", json({ content: [said], cost: 3 }), [DID, '{"cost":3}']],
  ["an unknown result type", json({ resultType: "partial", content: [said] }), [DID]],
  ["output instead of content", json({ output: DID }), [DID]],
  ["data instead of content", json({ data: { order: 17 } }), ['{"order":17}']],
  ["text instead of content", json({ text: DID }), [DID]],
  ["content that is a text", json({ content: DID }), [DID]],
  ["content that is an object without a type", json({ content: { order: 17 } }), ['{"order":17}']],
  ["content that is a number", json({ content: 17 }), ["17"]],
  ["content in content", json({ content: [[said]] }), [DID]],
  ["a part without a type", json({ content: [{ text: DID }] }), [DID]],
  ["a part of an unknown type", json({ content: [{ type: "json", json: { order: 17 } }] }), ['{"order":17}']],
  ["a text that is an object", json({ content: [{ type: "text", text: { order: 17 } }] }), ['{"order":17}']],
  ["a text that is null", json({ content: [{ type: "text", text: null }, said] }), [DID]],
  ["isError that is a text", json({ content: [said], isError: "false" }), [DID]],
  // Envelopes and media types.
  ["text/plain with JSON-RPC", raw((id) => rpc(id, whole), "text/plain"), [DID, '{"n":17}']],
  ["text/plain with a charset", raw((id) => rpc(id, whole), "text/plain; charset=utf-8"), [DID]],
  ["text/plain with only a text", raw(() => DID, "text/plain"), [DID]],
  ["text/plain with other JSON", raw(() => '{"order":17}', "text/plain"), ['{"order":17}']],
  ["text/plain with events", raw((id) => `event: message\ndata: ${rpc(id, whole)}\n\n`, "text/plain"), [DID]],
  ["no media type", raw((id) => rpc(id, whole), null), [DID]],
  ["no media type, only a text", raw(() => DID, null), [DID]],
  ["text/json", raw((id) => rpc(id, whole), "text/json"), [DID]],
  ["application/vnd.api+json", raw((id) => rpc(id, whole), "application/vnd.api+json"), [DID]],
  ["Application/JSON", raw((id) => rpc(id, whole), "Application/JSON"), [DID]],
  ["an id that is a text", raw((id) => rpc(String(id) as never, whole), "application/json"), [DID]],
  ["an id that is null", raw(() => rpc(null as never, whole), "application/json"), [DID]],
  ["no id", raw(() => rpc(undefined, whole), "application/json"), [DID]],
  ["no jsonrpc", raw((id) => JSON.stringify({ id, result: whole }), "application/json"), [DID]],
  ["jsonrpc 1.0", raw((id) => JSON.stringify({ jsonrpc: "1.0", id, result: whole }), "application/json"), [DID]],
  [
    "an error that is null",
    raw((id) => JSON.stringify({ jsonrpc: "2.0", id, error: null, result: whole }), "application/json"),
    [DID],
  ],
  ["a byte order mark", raw((id) => `\ufeff${rpc(id, whole)}`, "application/json"), [DID]],
  ["blank lines before the JSON", raw((id) => `\n\n${rpc(id, whole)}\n`, "application/json"), [DID]],
  ["a stream without its last blank line", raw((id) => `data: ${rpc(id, whole)}`, "text/event-stream"), [DID]],
  ["a stream with one line end", raw((id) => `event: message\ndata: ${rpc(id, whole)}\n`, "text/event-stream"), [DID]],
  [
    "a stream with CRLF and no blank line",
    raw((id) => `event: message\r\ndata: ${rpc(id, whole)}\r\n`, "text/event-stream"),
    [DID],
  ],
  [
    "a notification before the answer",
    raw(
      (id) => `data: ${JSON.stringify({ jsonrpc: "2.0", method: "notifications/x" })}\n\ndata: ${rpc(id, whole)}`,
      "text/event-stream",
    ),
    [DID],
  ],
  ["an unnamed event type", raw((id) => `event: result\ndata: ${rpc(id, whole)}\n\n`, "text/event-stream"), [DID]],
  ["a stream whose result is a text", raw((id) => `data: ${rpc(id, DID)}\n\n`, "text/event-stream"), [DID]],
  ["too much text", json({ content: [said, { type: "text", text: "x".repeat(200_000) }] }), [DID, "left out"]],
  [
    "too much data",
    json({ content: [said], structuredContent: { n: 1, more: "x".repeat(70_000) } }),
    [DID, "left out"],
  ],
]

describe("The model reads what the tool did, and the tool is called once", () => {
  test.each(carriedOut)("The answer with %s is no failure", async (_, answer, texts) => {
    const { failed, text, calls } = await told(answer)
    for (const part of texts) expect(text).toContain(part)
    expect({ failed, calls }).toEqual({ failed: false, calls: 1 })
    expect(new TextEncoder().encode(text).length).toBeLessThanOrEqual(TOOL_POLICY.maxResultBytes + 1024)
  })
})

const asks = (requests: object) => json({ resultType: "input_required", inputRequests: requests, requestState: "s" })
const fails = (code: number, message: string, data?: object) => (message_: McpMessage) =>
  Response.json({ jsonrpc: "2.0", id: message_.id, error: { code, message, ...(data && { data }) } })
const refusing = (challenge: string) => () =>
  new Response("{}", { status: 403, headers: { "www-authenticate": challenge } })

/** Answers of servers that did not finish the call. */
const unfinished: [string, (message: McpMessage) => Response, string[]][] = [
  [
    "input_required for a person",
    asks({ a: { method: "elicitation/create", params: { message: "Which size?", requestedSchema: {} } } }),
    ["did not finish", "Which size?", "Ask the user"],
  ],
  [
    "input_required at an address",
    asks({ a: { method: "elicitation/create", params: { message: "Sign in", url: "https://a.example/x" } } }),
    ["Sign in https://a.example/x"],
  ],
  [
    "input_required for a sampling",
    asks({ a: { method: "sampling/createMessage", params: {} } }),
    ["sampling/createMessage"],
  ],
  ["input_required without a request", json({ resultType: "input_required" }), ["did not finish"]],
  [
    "-32001 for a late answer",
    fails(-32_001, "Request timed out"),
    ["-32001", "timed out", "may have been carried out"],
  ],
  ["-32001 for a missing right", fails(-32_001, "Unauthorized"), ["Unauthorized", "credential"]],
  ["-32001 for something else", fails(-32_001, "Resource is gone"), ["Resource is gone"]],
  ["-32000 for a lost connection", fails(-32_000, "Connection closed"), ["may have been carried out"]],
  [
    "-32042 for a person's consent",
    fails(-32_042, "URL elicitation required", { elicitations: [{ message: "Approve", url: "https://a.example/y" }] }),
    ["Approve https://a.example/y", "do not repeat"],
  ],
  [
    "403 with insufficient_scope",
    refusing('Bearer error="insufficient_scope", scope="orders:write", resource_metadata="https://a.example"'),
    ['lacks the scope "orders:write"', "do not repeat"],
  ],
  ["403 with insufficient_scope and no scope", refusing("Bearer error=insufficient_scope"), ["lacks a scope"]],
  ["a stream that ends without an answer", () => mcpEventStream([": nothing"]), ["may have been carried out"]],
  ["half a message", (m) => mcpEventStream([`data: ${rpc(m.id, whole).slice(0, 60)}`]), ["may have been carried out"]],
  ["an error that is a text", (m) => Response.json({ jsonrpc: "2.0", id: m.id, error: "no stock" }), ["no stock"]],
  ["isError", json({ content: [{ type: "text", text: "no stock" }], isError: true }), ["no stock"]],
]

describe("The model reads why a tool did not finish, and the tool is called once", () => {
  test.each(unfinished)("The answer %s is a failure in words", async (_, answer, texts) => {
    const { failed, text, calls } = await told(answer)
    for (const part of texts) expect(text).toContain(part)
    expect({ failed, calls }).toEqual({ failed: true, calls: 1 })
  })
})

test("A server that lost its session says so inside HTTP 200, and is called in a new session", async () => {
  let lost = true
  const { failed, text, calls } = await told(({ id }) => {
    if (!lost) return mcpResult(id, whole)
    lost = false
    return Response.json({ jsonrpc: "2.0", id, error: { code: -32_001, message: "Session not found" } })
  })
  expect({ failed, calls }).toEqual({ failed: false, calls: 2 })
  expect(text).toContain(DID)
})

test("A secret is masked in a text that is cut, also at the place of the cut", async () => {
  const secret = "canary-0123456789-0123456789"
  const secrets = createSecrets({ KEY: secret })
  for (const before of [64 * 1024, 128 * 1024].flatMap((at) => [at - 20, at - 10, at - 1])) {
    const text = `${"x".repeat(before)}${secret}${"y".repeat(100_000)}`
    const { outbound, clock } = connectToMcp({
      answer: ({ id, method }) =>
        method === "tools/call" ? mcpResult(id, { content: [{ type: "text", text }] }) : undefined,
      maxBytes: 10_000_000,
    })
    const deps = { outbound, clock, secrets, signal: new AbortController().signal }
    const connection = await connectMcp(deps, server)
    const [tool] = await mcpTools(deps, { server, connection, storeImage: async () => "key" })
    const place = { key: "k", step: 0, call: 0, agent: null, signal: deps.signal, mayStart: async () => true }
    expect(String((await tool?.run({}, place))?.output.value)).not.toContain("canary")
  }
})
