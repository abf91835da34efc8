import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { topUp } from "../../src/ops/seed.ts"
import { MEMORY } from "../../src/platform/memory.ts"
import { lendNoAnswerMemory } from "../harness/answer-memory.ts"
import { orderTool, serveCustomer } from "../harness/customer.ts"
import { expectPromises } from "../harness/promises.ts"
import { createWorld, turnOf, type World } from "../harness/world.ts"

const TOKEN = "canary-token-abcdefghijklmnop-1234567890"

let world: World
beforeAll(async () => {
  world = await createWorld({ env: { OPENAI_API_KEY: "sk-test", OPENAI_BASE_URL: "https://models.customer.com/v1" } })
  await world.sql(`insert into model_catalog (pin, engine, model, label, enabled, sort_order, price_input, price_cached, price_output)
    values ('openai/refuses', 'openai', 'refuses', 'Refuses', true, 3000, 1, 1, 1)`)
  const message = "The organization org-OPERATOR has no access to this model."
  world.serve("models.customer.com", () => Response.json({ error: { message, type: "x" } }, { status: 403 }))
})
afterAll(() => world.close())

interface Message {
  id?: number
  method: string
}

/**
 * An MCP server with one tool `t` and custom answers to some messages. Returns the methods that it
 * was called with.
 */
function serveMcp(answer: (message: Message, request: Request) => object | null | Promise<object | null>) {
  const host = `mcp-${crypto.randomUUID().slice(0, 8)}.customer.com`
  const asked: string[] = []
  world.serve(host, async (request) => {
    if (request.method !== "POST") return new Response(null, { status: request.method === "DELETE" ? 200 : 405 })
    const message = (await request.json()) as Message
    asked.push(message.method)
    const own = await answer(message, request)
    if (own instanceof Response) return own
    if (own) return Response.json({ jsonrpc: "2.0", id: message.id, ...own })
    if (message.id === undefined) return new Response(null, { status: 202 })
    const serverInfo = { name: "x", version: "1" }
    const results: Record<string, object> = {
      initialize: { protocolVersion: "2025-06-18", capabilities: { tools: {} }, serverInfo },
      "tools/list": { tools: [{ name: "t", description: "d", inputSchema: { type: "object" } }] },
      "tools/call": { content: [{ type: "text", text: "ok" }] },
    }
    return Response.json({ jsonrpc: "2.0", id: message.id, result: results[message.method] ?? {} })
  })
  const server = { name: "srv", url: `https://${host}/mcp`, headers: { authorization: "Bearer {{secrets.TOKEN}}" } }
  return { asked, space: { mcp_servers: [server], secrets: { TOKEN } } }
}

const on = (method: string, answer: object) => (message: Message) => (message.method === method ? answer : null)

test("A server's large answer uses the worker's memory; if none is left it is an error, and a small answer is not", async () => {
  const open = lendNoAnswerMemory()
  try {
    const client = await world.createAccount()
    let size = 0
    const { space } = serveMcp(({ method }) =>
      method === "tools/call" ? { result: { content: [{ type: "text", text: "x".repeat(size) }] } } : null,
    )
    const spaceId = await client.space(space)
    const answered = async () => (await client.runTurn({ space: spaceId, text: "[call srv__t {}]" })).result
    expect(await answered()).toContain("srv__t answered")
    size = MEMORY.smallBytes + 1
    expect(await answered()).toMatch(/^srv__t failed: .*Too many large answers are read at this moment/)
  } finally {
    open.mockRestore()
  }
})

describe("A secret that a server echoes", () => {
  test("The error of a tool listing does not reveal the secret", async () => {
    const client = await world.createAccount()
    const { space } = serveMcp(({ method }, request) =>
      method === "tools/list"
        ? { error: { code: -1, message: `none for ${request.headers.get("authorization")}` } }
        : null,
    )
    const turn = await client.runTurn({ space: await client.space(space), text: "hi" })
    expect(turn.error).toMatchObject({ code: "MCP_SERVER_UNAVAILABLE", message: expect.stringContaining("••••••") })
    expect(JSON.stringify(turn)).not.toContain(TOKEN)
  })

  test("An error whose limit cuts the secret in two and a tool's schema do not reveal it", async () => {
    const client = await world.createAccount()
    const schema = { type: "object", properties: { a: { description: `knows ${TOKEN}` } } }
    const { space } = serveMcp(({ method }) => {
      if (method === "tools/list") return { result: { tools: [{ name: "t", description: "d", inputSchema: schema }] } }
      if (method === "tools/call") return { error: { code: -1, message: `${"x".repeat(440)}${TOKEN}` } }
      return null
    })
    const spaceId = await client.space(space)
    const check = await (await client.call("POST", `/v1/spaces/${spaceId}/mcp-servers/srv/check`)).text()
    expect(check).toContain("knows ••••••")
    const turn = await client.runTurn({ space: spaceId, text: "[call srv__t {}]" })
    expect(turn.result).toContain("srv__t failed")
    for (const text of [check, JSON.stringify(turn)]) expect(text).not.toContain(TOKEN.slice(0, 20))
  })

  test("A UTF-16 text with NULs between the letters does not reveal the secret", async () => {
    const client = await world.createAccount()
    const utf16 = (text: string) => new Uint8Array([...text].flatMap((char) => [char.charCodeAt(0), 0]))
    serveCustomer(world, { answer: ({ headers }) => new Response(utf16(`you sent ${headers.authorization}`)) })
    const space = await client.space({ tools: [orderTool()], secrets: { TOKEN } })
    const turn = await client.runTurn({ space, text: '[call lookup_order {"id":"1"}]' })
    expect(turn.result).toContain("you sent Bearer ••••••")
  })
})

describe("Texts that the database cannot store", () => {
  test.each([
    ["a NUL in a call's error", on("tools/call", { error: { code: -1, message: "no \u0000 way" } })],
    ["half an emoji where an error is cut", on("tools/call", { error: { code: -1, message: "👍".repeat(600) } })],
    [
      "a NUL in an image's type",
      on("tools/call", { result: { content: [{ type: "image", mimeType: "image/\u0000", data: "aGk=" }] } }),
    ],
    [
      "an image that is not base64",
      on("tools/call", { result: { content: [{ type: "image", mimeType: "image/png", data: "%%%" }] } }),
    ],
    [
      "a hundred thousand control characters",
      on("tools/call", { result: { content: [{ type: "text", text: "\u0001".repeat(60_000) }] } }),
    ],
  ])("With %s the call is made once, and the turn continues", async (_what, answer) => {
    const client = await world.createAccount()
    const { asked, space } = serveMcp(answer)
    const turn = await client.runTurn({ space: await client.space(space), text: "[call srv__t {}]" })
    expect(turn.state).toBe("done")
    expect(asked.filter((method) => method === "tools/call")).toHaveLength(1)
    await expectPromises(world, client.userId)
  })

  test("A NUL in the answer to the first message ends the turn with an error message", async () => {
    const client = await world.createAccount()
    const { space } = serveMcp(on("initialize", { error: { code: -1, message: "no \u0000 way" } }))
    const turn = await client.runTurn({ space: await client.space(space), text: "hi" })
    expect(turn.error).toMatchObject({ code: "MCP_SERVER_UNAVAILABLE" })
  })
})

describe("Costs of failures", () => {
  test("Parallel sub-agents never raise the hold above max_cost_usd", async () => {
    const client = await world.createAccount({ usd: 0.02 })
    const subagents = ["a", "b", "c", "d"].map((name) => ({ name, description: "x", max_output_tokens: 8192 }))
    const space = await client.space({ manifest: { builtin_tools: [], max_output_tokens: 200, subagents } })
    const use = "[use input=100 output=8000]\\n[reply ok]"
    const text = `[delegate a ${use}]\n[and delegate b ${use}]\n[and delegate c ${use}]\n[and delegate d ${use}]`
    const sent = await turnOf(await client.sendTurn({ space, text, max_cost_usd: 0.06 }))
    const credit = { userId: client.userId, micros: 100_000_000, reason: "manual_topup", actor: "test" } as const
    await topUp(world.sql, { ...credit, now: world.clock.now() })
    await world.drain()
    expect((await client.getTurn(sent.turn_id)).billed_cost_usd).toBeLessThanOrEqual(0.06)
    await expectPromises(world, client.userId)
  })

  test("A request that the provider rejects is free only if no work was done before it", async () => {
    const client = await world.createAccount()
    const space = await client.space({
      manifest: { builtin_tools: [], subagents: [{ name: "s", description: "x", model: "openai/refuses" }] },
    })
    const refused = await client.runTurn({ space, model: "openai/refuses", text: "hi" })
    expect(refused).toMatchObject({ error: { code: "MODEL_UNAVAILABLE" }, billed_cost_usd: 0 })
    const text = "[use input=1000 output=100]\n[call nothing {}]\n[fail MODEL_REJECTED]"
    const later = await client.runTurn({ space, model: "rehearsal/standard", text })
    expect(later.error).toMatchObject({ code: "MODEL_REJECTED", message: expect.stringContaining("are billed") })
    expect(later.billed_cost_usd).toBe((1000 * 10 + 100 * 50) / 10_000_000)
    await expectPromises(world, client.userId)
  })

  test("A provider's text about our account is not shown to the customer", async () => {
    const client = await world.createAccount()
    const space = await client.space({
      manifest: { subagents: [{ name: "s", description: "x", model: "openai/refuses" }] },
    })
    const turn = await client.runTurn({ space, model: "rehearsal/standard", text: "[delegate s hi]" })
    expect(turn.result).toContain("The sub-agent s failed: The model cannot be called at the moment")
    const events = await (await client.call("GET", `/v1/turns/${turn.turn_id}/events?limit=100`)).text()
    expect(`${JSON.stringify(turn)}${events}`).not.toContain("org-OPERATOR")
  })
})

describe("Requests after a cancel", () => {
  test("After a cancel, no call is repeated for an unknown session or a redirected POST", async () => {
    const client = await world.createAccount()
    let turnId = ""
    const cancelled: Promise<Response>[] = []
    const cancel = async () => {
      cancelled.push(client.call("POST", `/v1/turns/${turnId}/cancel`))
      const noted = "select from turns where turn_id = $1 and cancel_requested_at is not null"
      while ((await world.sql(noted, [turnId])).length === 0);
    }
    const { asked, space } = serveMcp(async ({ method }) => {
      if (method !== "tools/call") return null
      await cancel()
      return new Response("no such session", { status: 404 })
    })
    const customer = serveCustomer(world, {
      async answer({ url }) {
        if (!url.endsWith("/again")) await cancel()
        return Response.redirect("https://api.customer.com/again", 307)
      },
    })
    const spaceId = await client.space({ ...space, tools: [orderTool()] })
    for (const call of ["srv__t {}", 'lookup_order {"id":"1"}']) {
      turnId = (await turnOf(await client.sendTurn({ space: spaceId, text: `[call ${call}]` }))).turn_id
      await world.drain()
      await world.advance(1000)
      expect((await cancelled.at(-1))?.status).toBe(200)
      expect((await client.getTurn(turnId)).state).toBe("cancelled")
    }
    expect(asked.filter((method) => method === "tools/call")).toHaveLength(1)
    expect(customer.requests).toHaveLength(1)
    await expectPromises(world, client.userId)
  })
})
