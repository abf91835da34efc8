import { describe, expect, test } from "vitest"
import { MAYBE_DONE, McpError } from "../../src/tools/mcp-error.ts"
import { failureOf } from "../harness/answers.ts"
import { callMcpTool, connectToMcp, type McpMessage, mcpEventStream, mcpResult } from "../harness/mcp.ts"

const hanging = () => new Promise<Response>(() => {})
/** Answers only calls of tools. */
const toCalls = (answer: (message: McpMessage, request: Request) => Response | Promise<Response>) => ({
  answer: (message: McpMessage, request: Request) =>
    message.method === "tools/call" ? answer(message, request) : undefined,
})
const answerTo = (id: number | undefined, text: string) =>
  `data: ${JSON.stringify({ jsonrpc: "2.0", id, result: { content: [{ type: "text", text }] } })}`

describe("A stream of a call", () => {
  test("A stream that ends without an answer fails the call at once", async () => {
    const { open } = connectToMcp(toCalls(() => mcpEventStream([": nothing"])))
    expect(await failureOf(callMcpTool(await open()))).toMatchObject({
      message: expect.stringContaining("without an answer"),
    })
  })

  test("A stream that is too large fails the call at once and says so", async () => {
    const { open } = connectToMcp(toCalls(() => mcpEventStream([`: ${"x".repeat(200_000)}`], { open: true })))
    expect(await failureOf(callMcpTool(await open()))).toMatchObject({
      kind: "unreachable",
      message: `The MCP server "fake" sent an answer that is too large. The answer is larger than 100000 bytes. ${MAYBE_DONE}`,
    })
  })

  test("A stream with too many values fails the call before it is parsed", async () => {
    const many = JSON.stringify({
      jsonrpc: "2.0",
      id: 1,
      result: { content: [], structuredContent: { a: Array(50_001).fill(1) } },
    })
    const { open } = connectToMcp({
      ...toCalls(() => mcpEventStream([`data: ${many}`], { open: true })),
      maxBytes: 1024 * 1024,
    })
    expect(await failureOf(callMcpTool(await open()))).toMatchObject({
      kind: "unreachable",
      message: `The MCP server "fake" sent an answer that is too large. The answer has more than 50000 values. ${MAYBE_DONE}`,
    })
  })

  test("A stream that the server closes for reconnection resumes where it ended", async () => {
    let asked: number | undefined
    const { open, seen, clock } = connectToMcp({
      ...toCalls(({ id }) => {
        asked = id
        return mcpEventStream(["id: 7\ndata:"])
      }),
      other: ({ method }) => (method === "GET" ? mcpEventStream([answerTo(asked, "later")]) : new Response()),
    })
    const answered = callMcpTool(await open())
    await clock.sleeping(1, 500)
    clock.advance(500)
    expect((await answered).parts).toEqual([{ type: "text", text: "later" }])
    expect(seen.at(-1)?.headers.get("last-event-id")).toBe("7")
    expect(seen.at(-1)?.headers.get("mcp-session-id")).toBe("s1")
  })

  test("A stream that is closed repeatedly is abandoned", async () => {
    const closing = () => mcpEventStream(["retry: 0\nid: 7\ndata:"])
    const { open, seen, clock } = connectToMcp({ ...toCalls(closing), other: closing })
    const connection = await open()
    let over = false
    const failed = failureOf(callMcpTool(connection, "one", { timeoutMs: 3_600_000 })).finally(() => {
      over = true
    })
    for (let tries = 0; tries < 16; tries++) {
      await clock.sleeping(1, 500)
      clock.advance(500)
    }
    await clock.sleeping(1, 500)
    expect(over).toBe(false)
    clock.advance(500)
    expect(await failed).toMatchObject({ message: expect.stringContaining("without an answer") })
    expect(seen.filter(({ method }) => method === "GET")).toHaveLength(16)
  })
})

describe("Time limits", () => {
  test("A connection that takes too long is abandoned", async () => {
    const { open, clock } = connectToMcp({ answer: hanging })
    const failed = failureOf(open())
    await clock.sleeping(2)
    clock.advance(5000)
    expect(await failed).toMatchObject({
      kind: "unreachable",
      message: 'The MCP server "fake" did not answer within 5 s.',
    })
  })

  test.each([
    ["headers that never arrive", hanging],
    ["an answer that never arrives", () => mcpEventStream([": wait"], { open: true })],
    ["202 for a callTool", () => new Response(null, { status: 202 })],
  ])("A call ends at its own time limit: %s", async (_what, answer) => {
    const { open, clock, asked } = connectToMcp(toCalls(answer))
    const connection = await open()
    let over = false
    const failed = failureOf(callMcpTool(connection)).finally(() => {
      over = true
    })
    await clock.sleeping(1, 9000)
    clock.advance(8999)
    await connection.listTools()
    expect(over).toBe(false)
    clock.advance(1)
    expect(await failed).toMatchObject({ kind: "unreachable", message: expect.stringContaining("within 9 s") })
    await expect.poll(() => asked("notifications/cancelled").length).toBe(1)
  })

  test("A session whose close is slow is abandoned after a short time, however long its calls may take", async () => {
    const { open, clock } = connectToMcp({ ...toCalls(hanging), other: hanging })
    const connection = await open()
    void failureOf(callMcpTool(connection, "one", { timeoutMs: 60_000 }))
    // The time limits of the call and of its request.
    await clock.sleeping(2, 60_000)
    const closed = connection.close()
    await clock.sleeping(1, 5000)
    clock.advance(5000)
    await expect(closed).resolves.toBeUndefined()
  })
})

describe("Aborting", () => {
  test("An aborted call throws the reason, ends its stream and is not resumed", async () => {
    let cancelled = false
    const stream = () => mcpEventStream(["id: 1\ndata:"], { open: true, onCancel: () => (cancelled = true) })
    const { open, clock, seen, asked } = connectToMcp(toCalls(stream))
    const connection = await open()
    const controller = new AbortController()
    const failed = failureOf(callMcpTool(connection, "one", { signal: controller.signal }))
    await expect.poll(() => asked("tools/call").length).toBe(1)
    controller.abort(new Error("enough"))
    expect(await failed).toMatchObject({ message: "enough" })
    await expect.poll(() => cancelled).toBe(true)
    clock.advance(20_000)
    await connection.close()
    expect(seen.some(({ method }) => method === "GET")).toBe(false)
  })

  test("An aborted connection throws the reason and leaves no timer", async () => {
    const controller = new AbortController()
    const { open, clock } = connectToMcp({ answer: hanging })
    const failed = failureOf(open(controller.signal))
    await clock.sleeping(2)
    controller.abort(new Error("enough"))
    expect(await failed).toMatchObject({ message: "enough" })
    let sleeping = false
    void clock.sleeping(1).then(() => {
      sleeping = true
    })
    await Promise.resolve()
    expect(sleeping).toBe(false)
  })
})

describe("Sessions", () => {
  const forgetting = (status: number, body: string, gone: (session: string | null) => boolean) =>
    toCalls(({ id }, { headers }) =>
      gone(headers.get("mcp-session-id")) ? new Response(body, { status }) : mcpResult(id, { content: [] }),
    )

  test("Concurrent calls that find the session forgotten open one new session", async () => {
    const { open, asked } = connectToMcp(forgetting(404, "", (session) => session === "s1"))
    const connection = await open()
    await Promise.all(["a", "b", "c"].map((key) => callMcpTool(connection, "one", { idempotencyKey: key })))
    expect(asked("initialize")).toHaveLength(2)
  })

  test("A 400 means a forgotten session if its body says so, and otherwise an error", async () => {
    const said = connectToMcp(
      forgetting(400, "Bad Request: No valid session ID provided", (session) => session === "s1"),
    )
    expect((await callMcpTool(await said.open())).isError).toBe(false)
    const other = connectToMcp(forgetting(400, "Bad Request", () => true))
    expect(await failureOf(callMcpTool(await other.open()))).toMatchObject({
      message: expect.stringContaining("HTTP 400"),
    })
    expect(other.asked("initialize")).toHaveLength(1)
  })

  test("A 404 from a server without sessions is an error", async () => {
    const answer = ({ id, method }: McpMessage) => {
      if (method === "tools/call") return new Response(null, { status: 404 })
      const serverInfo = { name: "fake", version: "1" }
      return method === "initialize"
        ? mcpResult(id, { protocolVersion: "2025-06-18", capabilities: { tools: {} }, serverInfo })
        : undefined
    }
    const { open, asked } = connectToMcp({ answer })
    expect(await failureOf(callMcpTool(await open()))).toMatchObject({ message: expect.stringContaining("HTTP 404") })
    expect(asked("initialize")).toHaveLength(1)
  })

  test("A session that is forgotten again is an error", async () => {
    const { open, asked } = connectToMcp(forgetting(404, "", () => true))
    expect(await failureOf(callMcpTool(await open()))).toMatchObject({
      kind: "unreachable",
      message: expect.stringContaining("HTTP 404"),
    })
    expect(asked("initialize")).toHaveLength(2)
  })
})

describe("Lists of tools", () => {
  test("A list has each tool once, sorted by name", async () => {
    const connection = await connectToMcp({
      pages: [
        ["c", "a"],
        ["b", "a"],
      ],
    }).open()
    expect((await connection.listTools()).map(({ name }) => name)).toEqual(["a", "b", "c"])
  })

  test("A list with endless pages is cut at the limit", async () => {
    const pages = Array.from({ length: 50 }, (_, page) => [`tool-${page}`])
    const { open, asked } = connectToMcp({ pages })
    expect(await (await open()).listTools()).toHaveLength(5)
    expect(asked("tools/list")).toHaveLength(5)
  })

  test("A list that is too large in total is rejected", async () => {
    const page = Number.MAX_SAFE_INTEGER
    const tools = [{ name: "a", description: "x".repeat(60_000), inputSchema: { type: "object" } }]
    const answer = ({ id, method, params }: McpMessage) =>
      method === "tools/list" ? mcpResult(id, { tools, nextCursor: `${params?.cursor ?? ""}${page}` }) : undefined
    const connection = await connectToMcp({ answer }).open()
    expect(await failureOf(connection.listTools())).toMatchObject({ kind: "protocol" })
  })

  test("A list of a server without tools is empty", async () => {
    const answer = ({ id, method }: McpMessage) =>
      method === "initialize"
        ? mcpResult(id, {
            protocolVersion: "2025-06-18",
            capabilities: {},
            serverInfo: { name: "f", version: "1" },
          })
        : undefined
    expect(await (await connectToMcp({ answer }).open()).listTools()).toEqual([])
  })
})

test("A server that refuses the connection is distinguished from a tool that fails", async () => {
  const answer = ({ id }: McpMessage) => Response.json({ jsonrpc: "2.0", id, error: { code: -32600, message: "no" } })
  const error = await failureOf(connectToMcp({ answer }).open())
  expect(error).toBeInstanceOf(McpError)
  expect(error).toMatchObject({ kind: "protocol" })
})

test.each([
  ["a number that is a text", { type: "number" }, "text", /^\/a: /],
  [
    "a pattern that would take a backtracking engine forever",
    { pattern: "^(a|a)*$" },
    `${"a".repeat(60_000)}!`,
    /^\/a: /,
  ],
  ["a schema that we cannot check", { pattern: "^(?=a)" }, "b", undefined],
])(
  "Structured content that violates the tool's own schema is no failure, and the fault is named: %s",
  async (_, a, value, fault) => {
    const outputSchema = { type: "object", properties: { a }, required: ["a"] }
    const answer = ({ id, method }: McpMessage) => {
      if (method === "tools/list") {
        return mcpResult(id, { tools: [{ name: "one", inputSchema: { type: "object" }, outputSchema }] })
      }
      return method === "tools/call" ? mcpResult(id, { content: [], structuredContent: { a: value } }) : undefined
    }
    const connection = await connectToMcp({ answer }).open()
    await connection.listTools()
    const { isError, structured, misfit } = await callMcpTool(connection)
    expect([isError, structured]).toEqual([false, { a: value }])
    if (fault) expect(misfit).toMatch(fault)
    else expect(misfit).toBeUndefined()
  },
)
