import { afterAll, beforeAll, expect, inject, test } from "vitest"
import type { FaultRule } from "../../src/local/faults.ts"
import { sendUntilAccepted, survivesEveryFailure } from "../harness/crash.ts"
import { orderTool } from "../harness/customer.ts"
import { addModel } from "../harness/models.ts"
import { expectPromises } from "../harness/promises.ts"
import { AGENT_MODEL } from "../harness/scripted-agent.ts"
import { deliverWhileCommitsFail } from "../harness/time.ts"
import { createWorld, type TestClient, turnOf, type World } from "../harness/world.ts"

const PIN = `openai-compatible/${AGENT_MODEL}`

let world: World
beforeAll(async () => {
  const upstreams = { model: inject("modelUrl"), mcp: new URL(inject("mcpUrl")).origin, tool: inject("customerUrl") }
  world = await createWorld({ upstreams })
  await addModel(world, PIN)
})
afterAll(() => world.close())

const space = {
  tools: [orderTool("tool.upstream.com")],
  mcp_servers: [{ name: "everything", url: "https://mcp.upstream.com/mcp", allowed_tools: ["echo"] }],
  secrets: { TOKEN: "canary-token-1" },
  manifest: {
    builtin_tools: ["write_file"],
    subagents: [{ name: "researcher", description: "Sums things up.", tools: [] }],
  },
}

/** The requests that the customer's server got with the keys of this account's turns. */
async function effectsOf(client: TestClient): Promise<Record<string, { asked: number; body: string }>> {
  const [turn] = await world.sql<{ turn_id: string }>("select turn_id from turns where user_id = $1", [client.userId])
  const effects = (await (await fetch(`${inject("customerUrl")}/effects/${turn?.turn_id}`)).json()) as object
  return Object.fromEntries(
    Object.entries(effects).map(([key, effect]) => [key.slice(`${turn?.turn_id}.`.length), effect]),
  )
}

/** The cost of five calls with 100 prompt tokens and 10 output tokens each, at the test model's prices. */
const COST = 5 * (100 * 30 + 10 * 150)

test("A turn with tools, an MCP server, a sub-agent and a file survives a failure at every I/O", async () => {
  await survivesEveryFailure(world, {
    name: "a turn with tools",
    space,
    async act(client, spaceId) {
      await sendUntilAccepted(client, { space: spaceId, model: PIN, text: "Where is order A-1?" })
      await world.drain()
    },
    async check(turns, client) {
      expect(turns.map(({ state, billed }) => [state, billed])).toEqual([["done", COST]])
      const effects = await effectsOf(client)
      // A call that failed before its effect was reported to the model. Every other call had one
      // effect, under one key.
      for (const key of Object.keys(effects)) expect(key).toBe("0.0")
      const [turn] = await world.sql<{ outputs: unknown[]; tool_calls: number }>(
        "select outputs, tool_calls from turns where user_id = $1",
        [client.userId],
      )
      expect(turn).toMatchObject({ outputs: [{ name: "report.txt" }], tool_calls: 4 })
    },
  })
})

/**
 * Makes the statement that commits the first step's results fail in some way, then delivers
 * everything again.
 */
async function runWithLostResults(way: Pick<FaultRule, "action" | "when">): Promise<number | undefined> {
  const client = await world.createAccount()
  await world.plan([{ service: "pg", match: "commit_tool_results", call: 1, times: 99, ...way }])
  const sent = await turnOf(await client.sendTurn({ space: await client.space(space), model: PIN, text: "Order A-1?" }))
  await deliverWhileCommitsFail(world)
  await world.clearFaults()
  await world.advance(151_000)
  await world.sweep()
  await world.drain()
  expect((await client.getTurn(sent.turn_id)).state).toBe("done")
  await expectPromises(world, client.userId)
  return (await effectsOf(client))["0.0"]?.asked
}

test("A call whose result was committed is never made again, even when the commit had no answer", async () => {
  expect(await runWithLostResults({ action: "cut", when: "after" })).toBe(1)
  expect(await runWithLostResults({ action: "fail", when: "after" })).toBe(1)
})

test("A call whose result was not committed is made again with the same key and input", async () => {
  expect(await runWithLostResults({ action: "fail", when: "before" })).toBe(2)
})

test("No file and no turn is lost when the file store fails before or after any of its calls", async () => {
  const real = world.bucket
  for (const when of ["before", "after"] as const) {
    const client = await world.createAccount()
    let puts = 0
    const put: R2Bucket["put"] = async (...args: Parameters<R2Bucket["put"]>) => {
      const first = puts++ === 0
      if (first && when === "before") throw new Error("R2 is down")
      const stored = await real.put(...args)
      if (first) throw new Error("the answer is lost")
      return stored
    }
    world.rebind({ FILES: { put, get: real.get.bind(real), delete: real.delete.bind(real) } })
    const text = "[write a.txt one]\n[write a.txt two]"
    const { turn_id } = await client.runTurn({ space: await client.space(), text })
    world.rebind({ FILES: real })
    // The callback failed, and the queue delivers it again.
    await world.advance(60_000)
    await world.drain()
    expect(await client.getTurn(turn_id)).toMatchObject({ state: "done", outputs: [{ name: "a.txt", bytes: 3 }] })
    const { outputs } = await client.getTurn(turn_id)
    const content = await client.call("GET", `/v1/files/${outputs[0]?.file_id}/content`)
    expect(await content.text()).toBe("two")
    await expectPromises(world, client.userId)
  }
})
