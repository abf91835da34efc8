import { describe, expect, test } from "vitest"
import { McpError } from "../../src/tools/mcp-error.ts"
import { failureOf } from "../harness/answers.ts"
import { callMcpTool, connectToMcp, type McpMessage, mcpResult } from "../harness/mcp.ts"

describe("An MCP server over Streamable HTTP", () => {
  test("Session, headers and the call's key are sent with every request, and the session is closed", async () => {
    const { seen, open } = connectToMcp()
    const connection = await open()
    expect((await connection.listTools()).map(({ name }) => name)).toEqual(["one", "two"])
    expect(await callMcpTool(connection)).toEqual({ isError: false, parts: [{ type: "text", text: "called one" }] })
    await connection.close()
    expect(seen.every(({ headers }) => headers.get("authorization") === "Bearer s")).toBe(true)
    expect(seen.slice(1).every(({ headers }) => headers.get("mcp-session-id") === "s1")).toBe(true)
    const called = seen.find(({ message }) => message?.method === "tools/call")
    expect(called?.headers.get("idempotency-key")).toBe("turn_x.0.0")
    expect(Object.values(called?.message?.params?._meta ?? {})).toContain("turn_x.0.0")
    expect(seen.at(-1)?.method).toBe("DELETE")
    expect(
      seen.some(({ method }) => method === "GET"),
      "no stream is left open",
    ).toBe(false)
  })

  test("All pages of tools are read, up to a limit", async () => {
    const pages = [["a", "b"], ["c"], ["d", "e", "f"]]
    const connection = await connectToMcp({ pages }).open()
    expect((await connection.listTools()).map(({ name }) => name)).toEqual(["a", "b", "c", "d", "e"])
  })

  test("An answer is read as an event stream, with progress before it", async () => {
    const answer = ({ id, method, params }: McpMessage) => {
      if (method !== "tools/call") return undefined
      const notes = [1, 2].map((progress) => ({
        jsonrpc: "2.0",
        method: "notifications/progress",
        params: { progressToken: params?._meta?.progressToken, progress, total: 2 },
      }))
      const last = { jsonrpc: "2.0", id, result: { content: [{ type: "text", text: "slow" }] } }
      const body = [...notes, last].map((message) => `event: message\ndata: ${JSON.stringify(message)}\n\n`).join("")
      return new Response(body, { headers: { "content-type": "text/event-stream" } })
    }
    const connection = await connectToMcp({ answer }).open()
    const progress: number[] = []
    const options = { idempotencyKey: "k", timeoutMs: 5000, signal: new AbortController().signal }
    const answered = await connection.callTool(
      "one",
      {},
      { ...options, onProgress: (note) => progress.push(note.progress) },
    )
    expect([answered.parts, progress]).toEqual([[{ type: "text", text: "slow" }], [1, 2]])
  })

  test("A session that the server has forgotten is opened again, once", async () => {
    let forgotten = false
    const answer = ({ method }: McpMessage, request: Request) => {
      if (method !== "tools/call" || request.headers.get("mcp-session-id") !== "s1") return undefined
      forgotten = true
      return new Response("no such session", { status: 404 })
    }
    const { open, seen } = connectToMcp({ answer })
    const connection = await open()
    expect((await callMcpTool(connection)).parts).toEqual([{ type: "text", text: "called one" }])
    expect(forgotten).toBe(true)
    expect(seen.filter(({ message }) => message?.method === "initialize")).toHaveLength(2)
  })

  test("Every kind of content is converted for the model", async () => {
    const content = [
      { type: "text", text: "t" },
      { type: "image", data: "aGk=", mimeType: "image/png" },
      { type: "audio", data: "aGk=", mimeType: "audio/wav" },
      { type: "resource_link", uri: "file:///a", name: "a" },
      { type: "resource", resource: { uri: "file:///b", text: "the text of b" } },
      { type: "resource", resource: { uri: "file:///c", blob: "aGk=" } },
    ]
    const answer = ({ id, method }: McpMessage) =>
      method === "tools/call" ? mcpResult(id, { content, isError: true, structuredContent: { a: 1 } }) : undefined
    const connection = await connectToMcp({ answer }).open()
    expect(await callMcpTool(connection)).toEqual({
      isError: true,
      structured: { a: 1 },
      parts: [
        { type: "text", text: "t" },
        { type: "image", mediaType: "image/png", data: "aGk=" },
        { type: "text", text: "[audio, audio/wav, not shown]" },
        { type: "text", text: "[resource a: file:///a]" },
        { type: "text", text: "the text of b" },
        { type: "text", text: "[resource file:///c, not shown]" },
      ],
    })
  })

  test.each([
    ["401", () => new Response("no", { status: 401 }), "unreachable"],
    ["500", () => new Response("no", { status: 500 }), "unreachable"],
    ["a web page", () => new Response("<html>", { headers: { "content-type": "text/html" } }), "protocol"],
    ["broken JSON", () => new Response("{", { headers: { "content-type": "application/json" } }), "protocol"],
    ["something else", () => Response.json({ hello: "world" }), "protocol"],
    [
      "too much",
      () => new Response("x".repeat(200_000), { headers: { "content-type": "application/json" } }),
      "unreachable",
    ],
    ["a redirect into a private network", () => Response.redirect("http://10.0.0.1/", 307), "unreachable"],
  ])("An answer with %s is a clear error that names the server", async (_what, answer, kind) => {
    const error = await failureOf(connectToMcp({ answer }).open())
    expect(error).toBeInstanceOf(McpError)
    expect(error).toMatchObject({ kind, message: expect.stringContaining('The MCP server "fake"') })
  })

  test("A call that the server rejects is the tool's error", async () => {
    const answer = ({ id, method }: McpMessage) =>
      method === "tools/call"
        ? Response.json({ jsonrpc: "2.0", id, error: { code: -32602, message: "no such tool" } })
        : undefined
    const error = await failureOf(callMcpTool(await connectToMcp({ answer }).open()))
    expect(error).toMatchObject({ kind: "tool", message: expect.stringContaining("no such tool") })
  })
})
