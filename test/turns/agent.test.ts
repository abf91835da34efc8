import { afterAll, beforeAll, describe, expect, inject, test } from "vitest"
import { TOOL_POLICY } from "../../src/tools/policies.ts"
import { orderTool, serveCustomer } from "../harness/customer.ts"
import { addModel } from "../harness/models.ts"
import { expectPromises } from "../harness/promises.ts"
import { AGENT_MODEL } from "../harness/scripted-agent.ts"
import { createWorld, type World } from "../harness/world.ts"

const ENGINES = ["anthropic", "openai", "openai-compatible"] as const

let world: World
beforeAll(async () => {
  const account = { ANTHROPIC_API_KEY: "sk-ant-test", OPENAI_API_KEY: "sk-test" }
  const modelUrl = `${inject("modelUrl")}/v1`
  const env = { ...account, ANTHROPIC_BASE_URL: modelUrl, OPENAI_BASE_URL: modelUrl, ALLOW_PRIVATE_TARGETS: "1" }
  world = await createWorld({ env })
  for (const engine of ENGINES) await addModel(world, `${engine}/${AGENT_MODEL}`)
})
afterAll(() => world.close())

const configuration = () => ({
  tools: [orderTool()],
  mcp_servers: [
    {
      name: "everything",
      url: inject("mcpUrl"),
      allowed_tools: ["echo", "get-sum", "get-tiny-image", "get-structured-content"],
    },
  ],
  secrets: { TOKEN: "canary-token-1" },
  manifest: {
    instructions: "Help the customer.",
    builtin_tools: ["write_file"],
    subagents: [
      { name: "researcher", description: "Sums things up.", instructions: "Be brief.", tools: ["lookup_order"] },
    ],
  },
})

describe.each(ENGINES)("%s, with tool calls that a model server scripts", (engine) => {
  test("A turn calls a REST tool and an MCP tool at once, delegates, and returns a file", async () => {
    const client = await world.createAccount()
    const customer = serveCustomer(world)
    const space = await client.space(configuration())
    const turn = await client.runTurn({ space, text: "Where is order A-1?", model: `${engine}/${AGENT_MODEL}` })
    expect(turn).toMatchObject({
      state: "done",
      result: "Your order has been shipped.",
      usage: { model_calls: 5, tool_calls: 4, tokens_input: 500, tokens_output: 50 },
      outputs: [{ name: "report.txt", media_type: "text/plain", bytes: 8 }],
    })
    expect(customer.requests.map(({ url, headers }) => [url, headers["idempotency-key"]])).toEqual([
      ["https://api.customer.com/orders/A-1", `${turn.turn_id}.0.0`],
    ])
    const content = await client.call("GET", `/v1/files/${turn.outputs[0]?.file_id}/content`)
    expect(await content.text()).toBe("Shipped.")
    const results = await world.sql<{ results: Record<string, { type: string; value: string }> }>(
      "select results from turn_steps where turn_id = $1 and results <> '{}' order by step",
      [turn.turn_id],
    )
    expect(results[0]?.results).toEqual({
      0: { type: "text", value: '{"order":"A-1","status":"shipped"}' },
      1: { type: "text", value: "Echo: from the model" },
    })
    expect(results[1]?.results[0]?.value).toBe("In short: shipped.")
    const roles = await world.sql(
      "select role, sum(billed_credit_micros)::int as billed from usage where turn_id = $1 group by 1 order by 1",
      [turn.turn_id],
    )
    const each = 100 * 30 + 10 * 150
    expect(roles).toEqual([
      { role: "orchestrator", billed: 4 * each },
      { role: "subagent", billed: each },
    ])
    await expectPromises(world, client.userId)
  })
})

describe("A published MCP server over Streamable HTTP", () => {
  const SERVER = "everything"
  const text = (...lines: string[]) => lines.join("\n")

  test("The check lists the server's allowed tools", async () => {
    const client = await world.createAccount()
    const space = await client.space(configuration())
    const response = await client.call("POST", `/v1/spaces/${space}/mcp-servers/${SERVER}/check`)
    expect(response.status, await response.clone().text()).toBe(200)
    const check = (await response.json()) as {
      ok: boolean
      error: null
      tools: { name: string; input_schema: object }[]
    }
    expect(check).toMatchObject({ ok: true, error: null })
    expect(check.tools.map(({ name }) => name).sort()).toEqual([
      "everything__echo",
      "everything__get-structured-content",
      "everything__get-sum",
      "everything__get-tiny-image",
    ])
    expect(check.tools.find(({ name }) => name === "everything__get-sum")?.input_schema).toMatchObject({
      type: "object",
      required: ["a", "b"],
    })
  })

  test("The server's tools return text, structured content and an image", async () => {
    const client = await world.createAccount()
    const space = await client.space(configuration())
    const turn = await client.runTurn({
      space,
      model: "rehearsal/standard",
      text: text(
        `[call everything__get-sum {"a":2,"b":3}]`,
        `[and call everything__get-structured-content {"location":"Chicago"}]`,
        "[call everything__get-tiny-image {}]",
      ),
    })
    expect(turn).toMatchObject({ state: "done", usage: { tool_calls: 3 } })
    expect(turn.result).toContain("everything__get-sum answered: The sum of 2 and 3 is 5.")
    expect(turn.result).toContain('"temperature":')
    expect(turn.result).toContain("[image/png]")
  })

  test("The server's errors reach the model and the events, and the turn continues", async () => {
    const client = await world.createAccount()
    const space = await client.space(configuration())
    const turn = await client.runTurn({
      space,
      model: "rehearsal/standard",
      text: text(`[call everything__get-sum {"a":"two"}]`, "[call everything__no-such-tool {}]"),
    })
    expect(turn.state).toBe("done")
    expect(turn.result).toMatch(/everything__get-sum failed: .*(invalid|Invalid|expected)/)
    expect(turn.result).toContain('everything__no-such-tool failed: There is no tool "everything__no-such-tool".')
    const { data } = (await (await client.call("GET", `/v1/turns/${turn.turn_id}/events`)).json()) as {
      data: { type: string; data: { ok?: boolean; error?: string } }[]
    }
    const ended = data.filter(({ type }) => type === "tool.ended")
    expect(ended.map((event) => event.data.ok)).toEqual([false, false])
    expect(ended[1]?.data.error).toContain("There is no tool")
  })

  test("The check explains an unreachable server, and a turn fails with the server's name", async () => {
    const client = await world.createAccount()
    const gone = { name: "gone", url: "http://127.0.0.1:9/mcp" }
    const space = await client.space({ mcp_servers: [gone] })
    const check = await client.call("POST", `/v1/spaces/${space}/mcp-servers/gone/check`)
    expect(await check.json()).toMatchObject({
      ok: false,
      error: expect.stringContaining('"gone" cannot be reached'),
      tools: [],
    })
    const turn = await client.runTurn({ space, model: "rehearsal/standard" })
    expect(turn).toMatchObject({ state: "failed", error: { code: "MCP_SERVER_UNAVAILABLE" }, billed_cost_usd: 0 })
    expect(turn.error?.message).toContain('"gone"')
    await expectPromises(world, client.userId)
  })

  test("A server that never answers fails the turn within the time limit and keeps its lease alive", async () => {
    const client = await world.createAccount()
    world.serve("silent.customer.com", () => new Promise<Response>(() => {}))
    const space = await client.space({ mcp_servers: [{ name: "silent", url: "https://silent.customer.com/mcp" }] })
    const running = client.runTurn({ space, model: "rehearsal/standard" })
    await world.clock.sleeping(1, TOOL_POLICY.mcpOpenMs)
    await world.advance(TOOL_POLICY.mcpOpenMs)
    expect(await running).toMatchObject({ state: "failed", error: { code: "MCP_SERVER_UNAVAILABLE" } })
    await expectPromises(world, client.userId)
  })
})
