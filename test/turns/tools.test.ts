import { afterAll, beforeAll, expect, test } from "vitest"
import { orderTool, serveCustomer } from "../harness/customer.ts"
import { expectPromises } from "../harness/promises.ts"
import { createWorld, type World } from "../harness/world.ts"

let world: World
beforeAll(async () => {
  world = await createWorld()
})
afterAll(() => world.close())

const researcher = { name: "researcher", description: "Finds things out.", instructions: "Be brief." }

test("a turn calls a tool, a sub-agent that calls it too, and returns a file", async () => {
  const client = await world.createAccount()
  const customer = serveCustomer(world)
  const space = await client.space({
    tools: [orderTool()],
    secrets: { TOKEN: "canary-token-1" },
    manifest: { subagents: [researcher] },
  })
  const text = [
    `[call lookup_order {"id":"A-1"}]`,
    `[delegate researcher [call lookup_order {"id":"B-2"}]]`,
    "[and write report.md # Report\\nShipped.]",
  ].join("\n")
  const turn = await client.runTurn({ space, text })
  expect(turn).toMatchObject({ state: "done", usage: { model_calls: 5, tool_calls: 4 } })
  expect(turn.result).toContain('lookup_order answered: {"order":"A-1"')
  expect(turn.outputs).toMatchObject([{ name: "report.md", media_type: "text/markdown", bytes: 17 }])
  expect(customer.requests.map(({ url }) => url)).toEqual([
    "https://api.customer.com/orders/A-1",
    "https://api.customer.com/orders/B-2",
  ])
  expect(customer.requests[0]?.headers.authorization).toBe("Bearer canary-token-1")
  const roles = await world.sql("select role, count(*)::int from usage where turn_id = $1 group by 1 order by 1", [
    turn.turn_id,
  ])
  expect(roles).toEqual([
    { role: "orchestrator", count: 3 },
    { role: "subagent", count: 2 },
  ])
  await expectPromises(world, client.userId)
})
