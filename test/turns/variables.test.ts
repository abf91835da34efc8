import { afterAll, beforeAll, beforeEach, expect, test } from "vitest"
import { readAnswer } from "../harness/answers.ts"
import { serveCachingAnthropic } from "../harness/caching-provider.ts"
import { orderTool, type SeenRequest, serveCustomer } from "../harness/customer.ts"
import { addModel } from "../harness/models.ts"
import { expectPromises } from "../harness/promises.ts"
import { sendUntilItWaits, waiter } from "../harness/waiting.ts"
import { createWorld, type TestClient, type World } from "../harness/world.ts"

const PIN = "anthropic/variables"
const SECONDS = 1000

let world: World
let client: TestClient
let provider: ReturnType<typeof serveCachingAnthropic>
let shop: ReturnType<typeof serveCustomer>
let steps = 1
beforeAll(async () => {
  world = await createWorld({ env: { ANTHROPIC_API_KEY: "sk-test", ANTHROPIC_BASE_URL: "https://anthropic.test/v1" } })
  await addModel(world, PIN)
  provider = serveCachingAnthropic(world, "anthropic.test", { steps: () => steps })
  shop = serveCustomer(world)
})
beforeEach(async () => {
  const { userId } = await world.createAccount({ usd: 100 })
  client = world.createClient(userId, (await world.makeKey(userId, { scope: "all" })).value)
  provider.seen.length = 0
  shop.requests.length = 0
  steps = 1
})
afterAll(() => world.close())

const setProfile = async (profile: object, ref = "ada") =>
  expect((await client.call("PUT", `/v1/end-users/${ref}/profile`, { profile })).status).toBe(200)
const run = (space: string, more: object = {}) =>
  client.runTurn({ space, end_user_ref: "ada", model: PIN, text: "hello", ...more })

type Seen = (typeof provider.seen)[number]
const blocksOf = (content: Seen["body"]["system"]) => (Array.isArray(content) ? content : [])
const systemOf = ({ body }: Seen) =>
  blocksOf(body.system)
    .map(({ text }) => text)
    .join("")
/** The texts of a call's last message that a person sent. */
const textsOf = ({ body }: Seen) =>
  body.messages
    .filter(({ role, content }) => role === "user" && blocksOf(content).every(({ type }) => type === "text"))
    .map(({ content }) => blocksOf(content).map(({ text }) => String(text)))
    .at(-1) ?? []
/** The values in the note of a call; null without a note. */
function valuesOf(seen: Seen | undefined): Record<string, unknown> | null {
  const note = seen && textsOf(seen).find((text) => text.startsWith("[The names in square brackets"))
  return note === undefined ? null : JSON.parse(note.slice(note.indexOf("{"), -1))
}

const INSTRUCTIONS =
  'Today is {{today}}, {{now}}. Greet {{profile.name | "the customer"}}, plan {{metadata.plan}}, as {{end_user.ref}}.'

test("The instructions are the same in each turn, and a note after the text has the values", async () => {
  const space = await client.space({
    manifest: { instructions: INSTRUCTIONS, builtin_tools: [], time_zone: "Asia/Tokyo" },
  })
  await run(space, { metadata: { plan: "gold" } })
  await setProfile({ name: "Ada", time_zone: "Asia/Kolkata" })
  await world.advance(10 * SECONDS)
  await run(space)
  const [first, second] = provider.seen as [Seen, Seen]
  expect(systemOf(first)).toBe(
    "Today is [today], [now]. Greet [profile.name], plan [metadata.plan], as [end_user.ref].",
  )
  expect(systemOf(second)).toBe(systemOf(first))
  expect(textsOf(first)[0]).toBe("hello")
  expect(valuesOf(first)).toMatchObject({
    "profile.name": "the customer",
    "metadata.plan": "gold",
    "end_user.ref": "ada",
  })
  expect(valuesOf(first)?.now).toMatch(/\+09:00 \(\w+\)$/)
  expect(valuesOf(second)).toMatchObject({ "profile.name": "Ada", "metadata.plan": null })
  expect(valuesOf(second)?.now).toMatch(/\+05:30 \(\w+\)$/)
  expect(JSON.stringify(second.body.messages.slice(0, -1)), "no note of an earlier turn").not.toContain(
    "square brackets",
  )
  await expectPromises(world, client.userId)
})

test("Descriptions of tools have variables, and each sub-agent gets the values that it reads", async () => {
  const tool = orderTool("api.customer.com", { description: "Orders until {{today}}." })
  const subagents = [
    { name: "helper", description: "Helps {{profile.name}}.", instructions: "Plan: {{metadata.plan}}." },
  ]
  const space = await client.space({
    tools: [tool],
    secrets: { TOKEN: "canary" },
    manifest: { instructions: "Be brief.", builtin_tools: [], subagents },
  })
  await setProfile({ name: "Ada" })
  await run(space, { metadata: { plan: "gold" } })
  const [seen] = provider.seen as [Seen]
  const described = Object.fromEntries((seen.body.tools ?? []).map(({ name, description }) => [name, description]))
  expect(described.lookup_order).toBe("Orders until [today].")
  expect(described.delegate).toContain("- helper: Helps [profile.name].")
  expect(Object.keys(valuesOf(seen) ?? {}).sort()).toEqual(["profile.name", "today"])
  const [made] = await world.sql<{ text: string }>("select text from turns where user_id = $1", [client.userId])
  expect(made?.text, "the turn's own text has no note").toBe("hello")
})

test("The cached share of a chat of 20 turns with variables and a profile is as without", async () => {
  await setProfile({ name: "Ada", note: "<[hostile]>" })
  const words = "Answer shortly, and look each order up before you speak of it. ".repeat(20)
  // `name`: no chat reads what another one has written.
  const chat = async (name: string, instructions: string, count: number) => {
    steps = count
    const tools = count > 1 ? [orderTool("api.customer.com", { description: `Orders of ${name}.` })] : []
    const space = await client.space({
      tools,
      secrets: { TOKEN: "canary" },
      manifest: { instructions: `${name}. ${words}${instructions}`, builtin_tools: [], history: { max_turns: 100 } },
    })
    const from = provider.seen.length
    for (let n = 0; n < 20; n++) {
      await run(space, { conversation: "talk", text: `Where is order ${n}? ${"I ask again. ".repeat(20)}` })
      await world.advance(30 * SECONDS)
    }
    const seen = provider.seen.slice(from)
    const sum = (of: (one: Seen) => number) => seen.reduce((all, one) => all + of(one), 0)
    const noted = sum(({ body }) => (JSON.stringify(body).includes("square brackets") ? 1 : 0))
    return { read: sum(({ usage }) => usage.cache_read_input_tokens), prompt: sum(({ prompt }) => prompt), noted }
  }
  for (const count of [1, 2]) {
    // Equal lengths of names and instructions, so that the tokens can be compared.
    const plain = await chat(`plain ${count}`, "At [now], greet [profile.name] of [profile.note].", count)
    const varied = await chat(`noted ${count}`, "At {{now}}, greet {{profile.name}} of {{profile.note}}.", count)
    expect([plain.noted, varied.noted]).toEqual([0, 20 * count])
    const share = (one: typeof plain) => one.read / one.prompt
    console.log(
      `20 turns of ${count} calls: ${plain.read} of ${plain.prompt} tokens cached (${(100 * share(plain)).toFixed(1)} %), ` +
        `with variables ${varied.read} of ${varied.prompt} (${(100 * share(varied)).toFixed(1)} %)`,
    )
    expect(varied.read).toBe(plain.read)
    expect(share(plain)).toBeGreaterThan(0.8)
  }
})

test("A turn keeps the profile and the moment of its start while it waits, and the next turn has the new ones", async () => {
  const tool = orderTool("api.customer.com", {
    approval: "always",
    request: { method: "GET", url: "https://api.customer.com/of/{{profile.account}}" },
  })
  const manifest = { instructions: "It is {{now}} for {{profile.account}}.", builtin_tools: [] }
  const space = await client.space({ tools: [tool], manifest })
  await setProfile({ account: "first" })
  steps = 2
  const { turn_id } = await sendUntilItWaits(world, client, { space, end_user_ref: "ada", model: PIN, text: "hello" })
  await setProfile({ account: "second" })
  await world.advance(60 * SECONDS)
  await waiter(client).decide(turn_id, { decision: "allow" })
  await world.drain()
  expect(await client.getTurn(turn_id)).toMatchObject({ state: "done" })
  expect(shop.requests.map(({ url }) => url)).toEqual(["https://api.customer.com/of/first"])
  const [before, after] = provider.seen.map(valuesOf)
  expect(before).toEqual({ now: expect.any(String), "profile.account": "first" })
  expect(after).toEqual(before)
  const kept = await world.sql("select from turns where user_id = $1 and profile is not null", [client.userId])
  expect(kept, "an ended turn has no copy").toEqual([])
  provider.seen.length = 0
  await sendUntilItWaits(world, client, { space, end_user_ref: "ada", model: PIN, text: "again" })
  expect(valuesOf(provider.seen[0])).toMatchObject({ "profile.account": "second" })
})

test("A turn that started without a profile has none after a wait in which one was set", async () => {
  const tool = orderTool("api.customer.com", { approval: "always" })
  const manifest = { instructions: "Greet {{profile.name}}.", builtin_tools: [] }
  const space = await client.space({ tools: [tool], secrets: { TOKEN: "canary" }, manifest })
  steps = 2
  const { turn_id } = await sendUntilItWaits(world, client, { space, end_user_ref: "ada", model: PIN, text: "hello" })
  await setProfile({ name: "Ada" })
  await waiter(client).decide(turn_id, { decision: "allow" })
  await world.drain()
  expect(provider.seen.map(valuesOf)).toEqual([{ "profile.name": null }, { "profile.name": null }])
})

test("A profile fills requests of tools and headers of MCP servers, and no other end user's profile does", async () => {
  const mcp: SeenRequest["headers"][] = []
  world.serve("mcp.customer.com", (request) => {
    mcp.push(Object.fromEntries(request.headers))
    return new Response(null, { status: 503 })
  })
  const request = {
    method: "POST",
    url: "https://api.customer.com/of/{{profile.account}}",
    body: { tier: '{{profile.tier | "basic"}}', orders: "{{profile.orders}}" },
  }
  const space = await client.space({
    tools: [orderTool("api.customer.com", { request })],
    mcp_servers: [
      {
        name: "docs",
        url: "https://mcp.customer.com/mcp",
        headers: { "x-account": "{{profile.account}}" },
        required: false,
      },
    ],
  })
  await setProfile({ account: "a/1", orders: 3 })
  await setProfile({ account: "b" }, "bob")
  const text = '[call lookup_order {"id":"A-1"}]\n[reply ok]'
  expect(await client.runTurn({ space, end_user_ref: "ada", text })).toMatchObject({ state: "done" })
  const [{ url, body }] = shop.requests as [SeenRequest]
  expect(url).toBe("https://api.customer.com/of/a%2F1")
  expect(JSON.parse(body)).toEqual({ tier: "basic", orders: 3 })
  expect(mcp.map((headers) => headers["x-account"])).toContain("a/1")
  // Without a profile the request is not sent.
  expect(await client.runTurn({ space, end_user_ref: "eve", text })).toMatchObject({ state: "done" })
  expect(shop.requests).toHaveLength(1)
  const tested = client.call("POST", `/v1/spaces/${space}/tools/lookup_order/test`, {
    input: { id: "A-1" },
    profile: { account: "c", orders: 1 },
  })
  expect((await readAnswer(tested)).body).toMatchObject({ ok: true })
})

test("The estimate counts the note of a first call, and a turn without variables costs as before", async () => {
  const estimate = async (instructions: string, more: object = {}) => {
    const space = await client.space({ manifest: { instructions, builtin_tools: [] } })
    const body = { space, end_user_ref: "ada", text: "hello", ...more }
    const { needed_usd } = (await readAnswer(client.call("POST", "/v1/turns/estimate", body))).body
    return Math.round(needed_usd * 1e6)
  }
  const plain = await estimate("Hello [now].")
  expect(await estimate("Hello [now].", { metadata: { plan: "gold" } })).toBe(plain)
  const timed = await estimate("Hello {{now}}.")
  expect(timed).toBeGreaterThan(plain + 150)
  const named = await estimate("Hello {{profile.name}}.")
  await setProfile({ name: "<".repeat(100) })
  expect(await estimate("Hello {{profile.name}}.")).toBeGreaterThanOrEqual(named + 600)
  expect(await estimate("Hello {{now}}.")).toBe(timed)
  const noted = await estimate("Hello {{metadata.plan}}.", { metadata: { plan: "<".repeat(100) } })
  expect(noted).toBeGreaterThanOrEqual((await estimate("Hello {{metadata.plan}}.")) + 600)
})
