import { afterAll, beforeAll, describe, expect, test } from "vitest"
import type { ToolSpec } from "../../src/agent/engine.ts"
import { promptTokenBound, toolTokenBound } from "../../src/agent/estimate.ts"
import type { Tool } from "../../src/agent-config/tool.ts"
import { RELEASE } from "../../src/platform/procedures.ts"
import { delegateTool } from "../../src/runs/delegate.ts"
import type { Run } from "../../src/runs/run.ts"
import { listFilesTool, readFileTool, writeFileTool } from "../../src/tools/file-tools.ts"
import { CALL_TOOL_SPEC, findToolsTool } from "../../src/tools/find-tools.ts"
import { generateImageTool, type Painting } from "../../src/tools/image-tool.ts"
import { createTask, type ToolTurn, updateTask } from "../../src/tools/task-tools.ts"
import type { ToolContext } from "../../src/tools/tool-context.ts"
import { ATTACHED_BOUNDS, FIRST_CALL_BOUNDS } from "../../src/turns/first-call.ts"
import { readAnswer } from "../harness/answers.ts"
import { isThorough } from "../harness/crash.ts"
import { orderTool } from "../harness/customer.ts"
import { createRandom, type Random } from "../harness/random.ts"
import { createWorld, type TestClient, turnOf, type World } from "../harness/world.ts"

const CONFIGURATIONS = isThorough ? 400 : 60

let world: World
beforeAll(async () => {
  world = await createWorld()
})
afterAll(() => world.close())

const nothing = {} as ToolContext
const noTurn = {} as ToolTurn
const BUILTIN = [listFilesTool, readFileTool, writeFileTool, createTask, updateTask, generateImageTool].map(
  (tool) => tool(nothing, noTurn, {} as Painting).spec,
)

const delegateTo = (subagents: object[]) =>
  delegateTool({ claim: { config: { manifest: { subagents } } } } as unknown as Run, new Map())?.spec as ToolSpec

const findSpec = (groups: string[]) => findToolsTool({ specs: [], groups, found: new Set(), keep: async () => {} }).spec

test("The two tools of a search are counted with their real size, and the words around the names of groups", () => {
  const [servers, own] = [
    ["a", "bc"],
    ["order", "customer"],
  ] as const
  const around = ["those of the servers ", "those for ", "those of a container"].reduce(
    (sum, { length }) => sum + length,
    4,
  )
  const counted = FIRST_CALL_BOUNDS.search - toolTokenBound([findSpec([]), CALL_TOOL_SPEC])
  expect(counted).toBeGreaterThanOrEqual(around)
  const groups = [`those of the servers ${servers.join(", ")}`, `those for ${own.join(", ")}`, "those of a container"]
  const bytes = [...servers, ...own].reduce((sum, { length }) => sum + length + 2, 0)
  expect(toolTokenBound([findSpec(groups), CALL_TOOL_SPEC])).toBeLessThanOrEqual(FIRST_CALL_BOUNDS.search + bytes)
})

test("Built-in tools and `delegate` are counted with their real size", () => {
  expect(FIRST_CALL_BOUNDS.builtin).toEqual(
    Object.fromEntries(BUILTIN.map((spec) => [spec.name, toolTokenBound([spec])])),
  )
  const agents = ["a", "bcd", "e-f"].map((name) => ({ name, description: "Finds out." }))
  const { delegate, agent } = FIRST_CALL_BOUNDS
  for (const [n] of agents.entries()) {
    const some = agents.slice(0, n + 1)
    const bytes = some.reduce(
      (sum, { name, description }) => sum + 2 * name.length + JSON.stringify(description).length,
      0,
    )
    expect(toolTokenBound([delegateTo(some)])).toBe(delegate + agent * some.length + bytes)
  }
})

function text(random: Random, most: number): string {
  const piece = random.pick(["plain ", "ünï ", '"quoted" ', "\n", "\t", "\\", "\u0001", "\u2028", "日本", "🙂"])
  return `x${piece.repeat(random.int(most))}`
}

function json(random: Random, depth = 0): unknown {
  const number = random.pick([0, -1, 1.5, 1e21, 1e-7, 123456789012345680000, -2.2250738585072014e-300, 0.1 + 0.2])
  if (depth > 3 || random.int(3) === 0) return random.pick([null, true, number, text(random, 10)])
  const items = Array.from({ length: random.int(5) }, () => json(random, depth + 1))
  return random.int(2) ? items : Object.fromEntries(items.map((item, index) => [`${text(random, 2)}${index}`, item]))
}

/** A random configuration, and the prompt that its agent starts with, apart from messages. */
function anyConfiguration(random: Random) {
  const tools = Array.from({ length: random.int(4) }, (_, n) =>
    orderTool(undefined, {
      name: `tool-${n}`,
      description: text(random, 50),
      input_schema: { type: "object", properties: { a: { examples: [json(random)] } } },
    }),
  ) as Tool[]
  const subagents = Array.from({ length: random.int(3) }, (_, n) => ({
    name: `agent-${n}`,
    description: text(random, 30),
    instructions: text(random, 1000),
  }))
  const builtin = random.pick([undefined, [], ["read_file"], ["create_task", "list_files"]])
  const instructions = random.pick([undefined, "", text(random, 3000)])
  const mode = random.pick([undefined, "all", "search"])
  const manifest = {
    ...(mode && { tools: { mode } }),
    ...(instructions !== undefined && { instructions }),
    ...(builtin && { builtin_tools: builtin }),
    ...(subagents.length > 0 && { subagents }),
  }
  const names = builtin ?? ["list_files", "read_file", "write_file"]
  const shown =
    mode === "search" && tools.length > 0
      ? [findSpec(["those for tool"]), CALL_TOOL_SPEC]
      : tools.map(({ name, description, input_schema }) => ({ name, description, inputSchema: input_schema }))
  const specs = [
    ...BUILTIN.filter(({ name }) => names.includes(name)),
    ...shown,
    ...(subagents.length > 0 ? [delegateTo(subagents)] : []),
  ]
  return { space: { manifest, tools, secrets: { TOKEN: "test" } }, instructions, specs }
}

const HELLO = [{ role: "user" as const, content: [{ type: "text" as const, text: "hello" }] }]

test(`The estimate for ${CONFIGURATIONS} configurations equals a run's count or is slightly higher`, async () => {
  const random = createRandom("configurations")
  console.log(`configurations: seed ${random.seed}`)
  const client = await world.createAccount()
  for (let n = 0; n < CONFIGURATIONS; n++) {
    const { space, instructions, specs } = anyConfiguration(random)
    const made = await client.space(space)
    const [row] = await world.sql<{ kept: object; now: object }>(
      `select prompt_facts as kept, ${RELEASE}.prompt_facts(s) as now from spaces s where slug = $1`,
      [made],
    )
    expect(row?.kept).toEqual(row?.now)
    const { needed_usd } = await estimate(client, made)
    // 10 micros per input token, 16 output tokens at 50.
    const counted = Math.round((needed_usd * 10_000_000 - 16 * 50) / 10)
    const call = {
      engine: "rehearsal" as const,
      messages: HELLO,
      tools: specs,
      ...(instructions && { system: instructions }),
    }
    const bound = promptTokenBound(call)
    const why = `seed ${random.seed}, configuration ${n}: ${counted} counted, ${bound} in a run`
    expect(counted, why).toBeGreaterThanOrEqual(bound)
    expect(counted, why).toBeLessThanOrEqual(bound + 0.1 * toolTokenBound(specs) + 2000)
  }
})

const estimate = async (client: TestClient, space: string) =>
  (await readAnswer(client.call("POST", "/v1/turns/estimate", { space, end_user_ref: "c", text: "hello" }))).body
const neededOf = async (client: TestClient, space: string) => (await estimate(client, space)).needed_usd

describe("The stored estimate of a configuration", () => {
  test("The stored estimate changes with each change of the configuration", async () => {
    const client = await world.createAccount()
    const space = await client.space()
    const plain = await neededOf(client, space)
    const put = async (path: string, body: object) =>
      expect((await client.call("PUT", `/v1/spaces/${space}/${path}`, body)).status).toBeLessThan(300)
    await put("manifest", { instructions: "x".repeat(1000) })
    const instructed = await neededOf(client, space)
    expect(instructed).toBeCloseTo(plain + (1000 + 16) * 1e-6, 9)
    const { name, ...tool } = orderTool()
    await put(`tools/${name}`, tool)
    const equipped = await neededOf(client, space)
    expect(equipped).toBeGreaterThan(instructed)
    await client.call("PATCH", `/v1/spaces/${space}`, { title: "Another" })
    await put("mcp-servers/docs", { url: "https://docs.customer.com/mcp" })
    expect(await neededOf(client, space)).toBeCloseTo(equipped + FIRST_CALL_BOUNDS.server * 1e-6, 9)
    await client.call("DELETE", `/v1/spaces/${space}/mcp-servers/docs`)
    expect(await neededOf(client, space)).toBe(equipped)
    await client.call("DELETE", `/v1/spaces/${space}/tools/${name}`)
    expect(await neededOf(client, space)).toBe(instructed)
  })
})

/** An MCP server whose tool descriptions have this many characters. */
function serveTools(characters: { now: number }) {
  const host = `mcp-${crypto.randomUUID().slice(0, 8)}.customer.com`
  world.serve(host, async (request) => {
    if (request.method !== "POST") return new Response(null, { status: request.method === "DELETE" ? 200 : 405 })
    const { id, method } = (await request.json()) as { id?: number; method: string }
    if (id === undefined) return new Response(null, { status: 202 })
    const results: Record<string, object> = {
      initialize: {
        protocolVersion: "2025-06-18",
        capabilities: { tools: {} },
        serverInfo: { name: "x", version: "1" },
      },
      "tools/list": {
        tools: [{ name: "t", description: "d".repeat(characters.now), inputSchema: { type: "object" } }],
      },
    }
    return Response.json({ jsonrpc: "2.0", id, result: results[method] ?? {} })
  })
  return { name: "srv", url: `https://${host}/mcp` }
}

describe("An MCP server's tools", () => {
  test("The last listing counts, whether it comes from a check or from a run, which continues if credit is left", async () => {
    const client = await world.createAccount()
    const characters = { now: 30_000 }
    const space = await client.space({ mcp_servers: [serveTools(characters)] })
    const unlisted = await neededOf(client, space)
    expect((await client.runTurn({ space, text: "[reply ok]" })).state).toBe("done")
    const listed = await neededOf(client, space)
    expect(listed).toBeGreaterThan(unlisted + (30_000 - FIRST_CALL_BOUNDS.server) * 1e-6)
    characters.now = 50
    await client.call("POST", `/v1/spaces/${space}/mcp-servers/srv/check`)
    expect(await neededOf(client, space)).toBeLessThan(unlisted)
  })

  test("Unlisted tools fail a turn at most once, free and with a reason, and the next turn is refused at once", async () => {
    const { userId } = await world.createAccount()
    const { value } = await world.makeKey(userId, { scope: "all", caps: { daily_usd: 0.02 } })
    const client = world.createClient(userId, value)
    const space = await client.space({ mcp_servers: [serveTools({ now: 30_000 })] })
    const turn = await client.runTurn({ space })
    expect(turn).toMatchObject({ state: "failed", billed_cost_usd: 0, error: { code: "COST_LIMIT_REACHED" } })
    expect(turn.error?.message).toMatch(
      /first model call costs more than when the turn was accepted.*the key's daily cap/,
    )
    const refused = await readAnswer(client.sendTurn({ space }))
    expect(refused).toMatchObject({ status: 429, body: { error: { code: "QUOTA_EXCEEDED", retryable: false } } })
    expect(refused.retryAfter).toBeNull()
  })
})

test("With 64 % of a cap left, long instructions are refused at once and cap.reached is sent", async () => {
  const { userId } = await world.createAccount()
  const { value } = await world.makeKey(userId, { scope: "all", caps: { daily_usd: 0.05 } })
  const client = world.createClient(userId, value)
  const space = await client.space({ manifest: { instructions: "x".repeat(36_000) } })
  const first = await client.runTurn({ space, text: "[use input=17000 output=200]\n[reply ok]" })
  expect(first).toMatchObject({ state: "done", billed_cost_usd: 0.018 })
  const refused = await readAnswer(client.sendTurn({ space }))
  expect(refused).toMatchObject({ status: 429, body: { error: { code: "QUOTA_EXCEEDED", retryable: true } } })
  const { data } = (await (await client.call("GET", "/v1/events?type=cap.reached")).json()) as {
    data: { data: object }[]
  }
  expect(data).toMatchObject([{ data: { cap: "key_daily", percent: 100, spent_usd: 0.018 } }])
})

test("A first call that costs more than the default hold is held in full", async () => {
  const client = await world.createAccount()
  const space = await client.space({ manifest: { max_output_tokens: 100 } })
  const text = `[reply ok]\n${"x".repeat(99_000)}`
  for (let n = 0; n < 4; n++) await client.runTurn({ space, text, conversation: "a" })
  const wish = { space, text, end_user_ref: "customer-1", conversation: "a" }
  const { needed_usd, hold_usd } = (await readAnswer(client.call("POST", "/v1/turns/estimate", wish))).body
  expect(needed_usd).toBeGreaterThan(0.25)
  expect(hold_usd).toBe(needed_usd)
  expect((await turnOf(await client.sendTurn(wish))).held_usd).toBe(needed_usd)
  await world.drain()
})

test("Files count by their kind, in the form that the engine of the turn's model accepts", async () => {
  const client = await world.createAccount()
  const space = await client.space()
  const [row] = await world.sql<{ space_id: number }>("select space_id::integer from spaces where slug = $1", [space])
  const add = async (id: string, type: string, bytes: number) => {
    await world.sql(
      `insert into files (file_id, user_id, space_id, test, name, media_type, bytes, object_key, state, created_at, updated_at)
       values ($1, $2, $3, false, 'name', $4, $5, $1, 'ready', now(), now())`,
      [id, client.userId, row?.space_id, type, bytes],
    )
    return id
  }
  const tokens = async (engine: string, ...ids: string[]) => {
    const bounds = JSON.stringify({ ...FIRST_CALL_BOUNDS, files: ATTACHED_BOUNDS })
    const [counted] = await world.sql<{ tokens: number | null }>(
      `select ${RELEASE}.file_tokens($1, $2, $3, $4)::integer as tokens`,
      [row?.space_id, JSON.stringify(ids), engine, bounds],
    )
    return counted?.tokens ?? null
  }
  const MiB = 1024 * 1024
  const text = await add("f-text", "text/plain; charset=utf-8", 5000)
  const large = await add("f-large", "application/json", 5 * MiB)
  const image = await add("f-image", "image/png", MiB)
  const drawing = await add("f-drawing", "image/svg+xml", 900)
  const scans = await Promise.all([1, 2, 3].map((n) => add(`f-scan-${n}`, "application/pdf", 9 * MiB)))
  const huge = await add("f-huge", "application/pdf", 21 * MiB)
  const odd = await add("f-odd", "application/zip", 300)
  const { named } = ATTACHED_BOUNDS
  const around = (id: string, type: string) => named + "name".length + id.length + type.length
  expect(await tokens("rehearsal", text)).toBe(5000 + around(text, "text/plain; charset=utf-8"))
  expect(await tokens("openai", large)).toBe(100 * 1024 + around(large, "application/json"))
  expect(await tokens("anthropic", image)).toBe(5000 + around(image, "image/png"))
  expect(await tokens("rehearsal", image)).toBe(around(image, "image/png"))
  expect(await tokens("anthropic", drawing)).toBe(900 + around(drawing, "image/svg+xml"))
  const pdf = around("f-scan-1", "application/pdf")
  expect(await tokens("anthropic", scans[0] as string)).toBe(500_000 + pdf)
  expect(await tokens("openai-compatible", scans[0] as string)).toBe(pdf)
  expect(await tokens("anthropic", ...scans)).toBe(1_500_000 + 3 * pdf)
  expect(await tokens("anthropic", huge)).toBe(around(huge, "application/pdf"))
  expect(await tokens("openai", odd)).toBe(around(odd, "application/zip"))
  expect(await tokens("openai", odd, "file_none")).toBeNull()
})
