import { afterEach, beforeEach, describe, expect, inject, test } from "vitest"
import { systemClock } from "../../src/platform/clock.ts"
import { createOutbound } from "../../src/platform/outbound.ts"
import { type McpConnection, openMcpServer } from "../../src/tools/mcp-client.ts"
import { failureOf } from "../harness/answers.ts"

/** Tests against the published @modelcontextprotocol/server-everything. */
let connection: McpConnection
let requests: { method: string; session: string | null; body: string }[]

async function open() {
  requests = []
  const watched: typeof fetch = async (input, init) => {
    const session = new Headers(init?.headers).get("mcp-session-id")
    requests.push({ method: init?.method ?? "GET", session, body: typeof init?.body === "string" ? init.body : "" })
    return fetch(input, init)
  }
  return openMcpServer({
    outbound: createOutbound({ fetch: watched, clock: systemClock, policy: { allowLoopback: true, ownHosts: [] } }),
    clock: systemClock,
    server: { name: "everything", url: inject("mcpUrl"), headers: {} },
    limits: { connectMs: 15_000, maxBytes: 1_000_000, maxTools: 100 },
    signal: new AbortController().signal,
  })
}

beforeEach(async () => {
  connection = await open()
})
afterEach(() => connection.close())

const call = (
  name: string,
  input: Record<string, unknown> = {},
  options: Partial<Parameters<McpConnection["callTool"]>[2]> = {},
) =>
  connection.callTool(name, input, {
    idempotencyKey: "turn_x.0.0",
    timeoutMs: 15_000,
    signal: new AbortController().signal,
    ...options,
  })

describe("A published MCP server", () => {
  test("The server lists its tools, each with a schema", async () => {
    const tools = await connection.listTools()
    const names = tools.map(({ name }) => name)
    expect(names).toEqual([...names].sort())
    for (const name of ["echo", "get-sum", "get-tiny-image", "get-structured-content"]) expect(names).toContain(name)
    const sum = tools.find(({ name }) => name === "get-sum")
    expect(sum?.inputSchema).toMatchObject({ type: "object", required: ["a", "b"] })
  })

  test("The server's tools return texts, sums, images and structured content", async () => {
    await connection.listTools()
    expect(await call("echo", { message: "ünï" })).toEqual({
      isError: false,
      parts: [{ type: "text", text: "Echo: ünï" }],
    })
    expect((await call("get-sum", { a: 2, b: 40 })).parts).toEqual([
      { type: "text", text: "The sum of 2 and 40 is 42." },
    ])
    const image = (await call("get-tiny-image")).parts.find((part) => part.type === "image")
    expect(image).toMatchObject({ mediaType: "image/png", data: expect.stringMatching(/^iVBOR/) })
    const weather = await call("get-structured-content", { location: "Chicago" })
    expect(weather.structured).toMatchObject({ temperature: expect.any(Number), conditions: expect.any(String) })
  })

  test("The server's resources are returned as links and embedded", async () => {
    const links = await call("get-resource-links", { count: 2 })
    expect(links.parts.filter(({ type }) => type === "text").length).toBeGreaterThanOrEqual(2)
    expect(JSON.stringify(links.parts)).toContain("demo://")
    const embedded = await call("get-resource-reference", { resourceType: "Text", resourceId: 1 })
    expect(JSON.stringify(embedded.parts)).toContain("demo://")
  })

  test("The server reports progress of a long call", async () => {
    const notes: number[] = []
    const answered = await call(
      "trigger-long-running-operation",
      { duration: 0.4, steps: 4 },
      { onProgress: ({ progress }) => notes.push(progress) },
    )
    expect(answered.isError).toBe(false)
    expect(notes).toEqual([1, 2, 3, 4])
  })

  test("Wrong input and an unknown tool are reported, and the next call works", async () => {
    const wrong = await call("get-sum", { a: "two" }).catch((error: Error) => ({ isError: true, parts: error.message }))
    expect(wrong.isError).toBe(true)
    expect(JSON.stringify(wrong.parts)).toMatch(/invalid/i)
    const unknown = await call("no-such-tool").catch((error: Error) => ({ isError: true, parts: error.message }))
    expect(unknown.isError).toBe(true)
    expect(JSON.stringify(unknown.parts)).toContain("no-such-tool")
    expect((await call("echo", { message: "still here" })).isError).toBe(false)
  })

  test("Two concurrent calls get their own answers", async () => {
    const answers = await Promise.all([
      call("trigger-long-running-operation", { duration: 0.3, steps: 1 }),
      call("echo", { message: "quick" }),
      call("get-sum", { a: 1, b: 1 }),
    ])
    expect(JSON.stringify(answers[0])).toContain("Long running operation completed")
    expect(JSON.stringify(answers[1])).toContain("quick")
    expect(JSON.stringify(answers[2])).toContain("is 2.")
  })

  test("An abort ends a call with its reason", async () => {
    const controller = new AbortController()
    const failed = failureOf(
      call(
        "trigger-long-running-operation",
        { duration: 60, steps: 600 },
        { signal: controller.signal, timeoutMs: 60_000, onProgress: () => controller.abort(new Error("enough")) },
      ),
    )
    expect(await failed).toMatchObject({ message: "enough" })
  })

  test("A forgotten session is opened again, and a closed session is ended at the server", async () => {
    const session = requests.at(-1)?.session as string
    const end = () => fetch(inject("mcpUrl"), { method: "DELETE", headers: { "mcp-session-id": session } })
    await (await end()).text()
    expect((await call("echo", { message: "again" })).parts).toEqual([{ type: "text", text: "Echo: again" }])
    await connection.close()
    const ended = requests.at(-1)
    expect(ended?.method).toBe("DELETE")
    expect(ended?.session).not.toBe(session)
    expect(requests.some(({ method }) => method === "GET")).toBe(false)
  })
})
