import { afterAll, beforeAll, describe, expect, test } from "vitest"
import type { TurnStep } from "../../dashboard/src/api/operations.ts"
import { TOOL_POLICY } from "../../src/tools/policies.ts"
import { readAnswer } from "../harness/answers.ts"
import { orderTool, serveCustomer } from "../harness/customer.ts"
import { serveCatalogue, validInputOf } from "../harness/many-servers.ts"
import { expectPromises } from "../harness/promises.ts"
import type { CatalogueTool } from "../harness/tool-catalogue.ts"
import { sendUntilItWaits, waiter } from "../harness/waiting.ts"
import { createWorld, type TestClient, type World } from "../harness/world.ts"

/** Agents with more tools than a prompt lists, with the rehearsal model as a model that searches. */

let world: World
let served: ReturnType<typeof serveCatalogue>
let client: TestClient
let space: string
beforeAll(async () => {
  world = await createWorld()
  served = serveCatalogue(world)
  serveCustomer(world)
  client = await world.createAccount({ usd: 100 })
  space = await client.space({ mcp_servers: served.mcp_servers })
})
afterAll(() => world.close())

const find = (query: string) => `[call find_tools ${JSON.stringify({ query })}]`
const callOf = (name: string, input: object = {}) => `[call call_tool ${JSON.stringify({ name, input })}]`
const wordsOf = ({ spec }: CatalogueTool) => spec.description.split(".")[0] as string
const some = (nth: number) => served.catalogue[nth] as CatalogueTool
const run = (script: string[], more: object = {}) => client.runTurn({ space, text: script.join("\n"), ...more })

/** The calls of a turn as its owner sees them, with their results. */
async function callsOf(turnId: string) {
  const browser = await world.signIn(client.userId)
  const [, { items }] = await browser.json("GET", `/api/account/turns/${turnId}/steps?limit=100`)
  return (items as TurnStep[]).flatMap(({ tool_calls }) => tool_calls)
}

test("An agent finds one of 180 tools and calls it, and each server is asked once for its tools", async () => {
  const wanted = some(17)
  const before = served.listed.length
  const turn = await run([
    find(wordsOf(wanted)),
    find(wordsOf(some(100))),
    callOf(wanted.spec.name, validInputOf(wanted)),
    "[reply Done.]",
  ])
  expect(turn).toMatchObject({ state: "done", result: "Done.", usage: { tool_calls: 3 } })
  expect(served.called.at(-1)).toEqual({ tool: wanted.spec.name, input: validInputOf(wanted) })
  expect(served.listed.slice(before).sort()).toEqual(served.mcp_servers.map(({ name }) => name).sort())
  await expectPromises(world, client.userId)
})

test("Events, steps and a waiting call name the tool that is called, and a person's decision is about its input", async () => {
  const wanted = some(60)
  const { server } = wanted
  const where = await client.space({
    mcp_servers: served.mcp_servers.map((one) => (one.name === server ? { ...one, approval: "always" } : one)),
  })
  const text = [callOf(wanted.spec.name, validInputOf(wanted)), "[reply Done.]"].join("\n")
  const turn = await sendUntilItWaits(world, client, { space: where, text })
  expect(turn.waiting.calls).toMatchObject([{ tool: wanted.spec.name, input: validInputOf(wanted) }])
  const [key] = Object.keys(validInputOf(wanted)) as [string]
  const { decide, events } = waiter(client)
  await decide(turn.turn_id, { decision: "allow", input: { [key]: "B-2" } })
  await world.drain()
  expect(served.called.at(-1)).toEqual({ tool: wanted.spec.name, input: { [key]: "B-2" } })
  const told = (await events(turn.turn_id)).filter(({ type }) => type.startsWith("tool."))
  expect(told.map(({ data }) => data.name)).toEqual(told.map(() => wanted.spec.name))
  expect(await callsOf(turn.turn_id)).toMatchObject([{ name: wanted.spec.name, input: validInputOf(wanted) }])
})

const ERRORS: Record<string, [object | string, string]> = {
  "a name of no tool": [
    { name: "nobody__knows", input: {} },
    'There is no tool "nobody__knows". Look for one with find_tools.',
  ],
  "a listed tool": [{ name: "list_files", input: {} }, '"list_files" is no tool for call_tool. Call it directly.'],
  "the search itself": [{ name: "find_tools", input: {} }, '"find_tools" is no tool for call_tool. Call it directly.'],
  itself: [{ name: "call_tool", input: {} }, 'There is no tool "call_tool". Look for one with find_tools.'],
  "no name": [{ input: {} }, "`name` must be the name of a tool."],
  "an input that is a text": [{ name: "x", input: "{}" }, "`input` must be a JSON object."],
}

test.each(Object.entries(ERRORS))(
  "A call of call_tool with %s fails with a reason, and calls nothing",
  async (_, [input, error]) => {
    const before = served.called.length
    const turn = await run([`[call call_tool ${JSON.stringify(input)}]`, "[reply ok]"])
    expect(turn.state).toBe("done")
    expect((await callsOf(turn.turn_id))[0]?.output).toMatchObject({ is_error: true, text: error })
    expect(served.called.length).toBe(before)
  },
)

test("A tool that is not allowed is neither found nor called", async () => {
  const wanted = some(3)
  const plain = (name: string) => name.slice(name.indexOf("__") + 2)
  const others = served.catalogue.filter(({ server, spec }) => server === wanted.server && spec !== wanted.spec)
  const where = await client.space({
    mcp_servers: served.mcp_servers.map((one) =>
      one.name === wanted.server ? { ...one, allowed_tools: others.map(({ spec }) => plain(spec.name)) } : one,
    ),
  })
  const script = [find(wordsOf(wanted)), callOf(wanted.spec.name, validInputOf(wanted)), "[reply ok]"]
  const turn = await client.runTurn({ space: where, text: script.join("\n") })
  const [found, called] = await callsOf(turn.turn_id)
  expect(found?.output?.text).not.toContain(`"${wanted.spec.name}"`)
  expect(called?.output).toMatchObject({ is_error: true, text: expect.stringContaining("There is no tool") })
})

test("A turn finds at most twenty tools, and finds those that it knows as often as it wants", async () => {
  const asked = [10, 30, 50, 70, 90, 110, 130].map((nth) => find(wordsOf(some(nth))))
  const turn = await run([...asked, asked[0] as string, "[reply ok]"])
  const results = (await callsOf(turn.turn_id)).map(({ output }) => JSON.parse(output?.text ?? "{}"))
  const names = new Set(results.flatMap(({ tools }) => tools.map(({ name }: { name: string }) => name)))
  expect(names.size).toBe(TOOL_POLICY.foundPerTurn)
  expect(results.at(-2)?.note).toContain("No further tool can be found")
  expect(results.at(-1)).toEqual(results[0])
})

test("A conversation keeps what was found, a tool that a later version lacks is gone, and erasing forgets it", async () => {
  const wanted = some(40)
  const where = await client.space({ mcp_servers: served.mcp_servers })
  const talk = { space: where, end_user_ref: "ada", conversation: "talk" }
  await client.runTurn({ ...talk, text: `${find(wordsOf(wanted))}\n[reply Found.]` })
  const kept = () =>
    world.sql<{ found_tools: Record<string, { position: number }> | null }>(
      "select c.found_tools from conversations c join spaces s using (space_id) where s.slug = $1",
      [where],
    )
  expect((await kept())[0]?.found_tools?.[wanted.spec.name]).toMatchObject({ position: 1 })
  const again = await client.runTurn({ ...talk, text: `${callOf(wanted.spec.name, validInputOf(wanted))}\n[reply ok]` })
  expect(again.usage.tool_calls).toBe(1)
  expect((await callsOf(again.turn_id))[0]?.output?.is_error).toBe(false)
  await client.call("DELETE", `/v1/spaces/${where}/mcp-servers/${wanted.server}`)
  const later = await client.runTurn({ ...talk, text: `${callOf(wanted.spec.name, validInputOf(wanted))}\n[reply ok]` })
  expect((await callsOf(later.turn_id))[0]?.output).toMatchObject({
    is_error: true,
    text: expect.stringContaining("There is no tool"),
  })
  const owner = world.createClient(client.userId, (await world.makeKey(client.userId, { scope: "all" })).value)
  expect((await owner.call("DELETE", "/v1/end-users/ada")).status).toBe(200)
  await world.sweep()
  expect(await kept()).toEqual([{ found_tools: null }])
})

test("A sub-agent finds its own tools, and only those that it may call", async () => {
  const [wanted, other] = [some(5), some(150)]
  const where = await client.space({
    mcp_servers: served.mcp_servers,
    manifest: {
      tools: { mode: "search" },
      subagents: [{ name: "clerk", description: "Does it.", tools: [`${wanted.server}__*`] }],
    },
  })
  const script = (lines: string[]) => JSON.stringify({ agent: "clerk", task: lines.join("\n") })
  const task = [
    find(wordsOf(wanted)),
    callOf(wanted.spec.name, validInputOf(wanted)),
    callOf(other.spec.name),
    "[reply ok]",
  ]
  const turn = await client.runTurn({ space: where, text: `[call delegate ${script(task)}]\n[reply ok]` })
  const calls = await callsOf(turn.turn_id)
  const ofClerk = calls.filter(({ name }) => name !== "delegate")
  expect(ofClerk.map(({ output }) => output?.is_error)).toEqual([false, false, true])
})

describe("The names of the two tools", () => {
  test.each(["find_tools", "call_tool"])("A tool of an owner cannot be called %s", async (name) => {
    const { name: _, ...tool } = orderTool()
    const refused = await readAnswer(client.call("PUT", `/v1/spaces/${space}/tools/${name}`, tool))
    expect(refused).toMatchObject({ status: 422 })
  })
})

test("A few tools are listed, and `search` hides even one", async () => {
  const where = await client.space({ tools: [orderTool()], secrets: { TOKEN: "canary" } })
  const text = '[call lookup_order {"id":"A-1"}]\n[reply ok]'
  const direct = await client.runTurn({ space: where, text })
  expect((await callsOf(direct.turn_id))[0]?.output?.is_error).toBe(false)
  expect(
    (await callsOf((await client.runTurn({ space: where, text: `${find("order")}\n[reply ok]` })).turn_id))[0]?.output,
  ).toMatchObject({
    is_error: true,
  })
  await client.call("PUT", `/v1/spaces/${where}/manifest`, { tools: { mode: "search" } })
  const searched = await client.runTurn({
    space: where,
    text: `${find("where is my purchase")}\n${callOf("lookup_order", { id: "A-1" })}\n[reply ok]`,
  })
  const [found, called] = await callsOf(searched.turn_id)
  expect(JSON.parse(found?.output?.text ?? "{}").tools).toMatchObject([{ name: "lookup_order" }])
  expect(called).toMatchObject({ name: "lookup_order", input: { id: "A-1" }, output: { is_error: false } })
})

test("The estimate of a turn counts the tokens that are sent: the search instead of 180 tools", async () => {
  const all = await client.space({ mcp_servers: served.mcp_servers, manifest: { tools: { mode: "all" } } })
  await client.runTurn({ space: all, text: "[reply Hello.]" })
  const needed = async (where: string) => {
    const { body } = await readAnswer(
      client.call("POST", "/v1/turns/estimate", { space: where, end_user_ref: "c", text: "x" }),
    )
    return body.needed_usd as number
  }
  expect(await needed(space)).toBeLessThan((await needed(all)) / 8)
})
