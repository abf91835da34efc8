import { afterAll, beforeAll, expect, inject, test } from "vitest"
import documentation from "../../src/agent/REHEARSAL.md?raw"
import type { Turn } from "../../src/turns/schemas.ts"
import { orderTool, serveCustomer } from "../harness/customer.ts"
import { expectPromises } from "../harness/promises.ts"
import { createWorld, turnOf, type World } from "../harness/world.ts"

let world: World
beforeAll(async () => {
  world = await createWorld({ env: { ALLOW_PRIVATE_TARGETS: "1" } })
  serveCustomer(world, {
    answer: ({ url }) =>
      url.endsWith("/none") ? new Response("no such order", { status: 404 }) : Response.json({ status: "shipped" }),
  })
})
afterAll(() => world.close())

const examples = [...documentation.matchAll(/```text\n([\s\S]*?)\n```\n(ends .+)/g)].map(
  ([, text = "", outcome = ""]) => ({ text, outcome }),
)

test("The documentation has examples of rehearsals", () => expect(examples.length).toBeGreaterThan(15))

test.each(examples)("The rehearsal behaves as documented: $text", async ({ text, outcome }) => {
  const client = await world.createAccount()
  const space = await client.space({
    tools: [orderTool()],
    secrets: { TOKEN: "canary" },
    mcp_servers: [{ name: "everything", url: inject("mcpUrl") }],
    manifest: { subagents: [{ name: "researcher", description: "Finds out." }] },
  })
  const sent = await turnOf(await client.sendTurn({ space, text, timeout_seconds: 3600 }))
  let turn = await client.getTurn(sent.turn_id)
  // Thinking, streaming and waiting for a model take time.
  let running = world.drain()
  while (turn.finished_at === null) {
    await Promise.race([running, world.isCalm(250)])
    await world.advance(250)
    running = Promise.all([running, world.drain()]).then(([, more]) => more)
    turn = await client.getTurn(sent.turn_id)
  }
  await running
  expectOutcome(turn, outcome)
  await expectPromises(world, client.userId)
})

function expectOutcome(turn: Turn, outcome: string) {
  const said: string[] = []
  const says = (pattern: RegExp, check: (...found: string[]) => void) => {
    const [whole, ...found] = pattern.exec(outcome) ?? []
    if (whole === undefined) return
    said.push(whole)
    check(...found)
  }
  const number = (text: string) => Number(text.replace(",", ""))
  says(/^ends (\w+)/, (state) => expect(turn.state, JSON.stringify(turn.error)).toBe(state))
  says(/with the error code `(\w+)`/, (code) => expect(turn.error?.code).toBe(code))
  says(/costs nothing/, () => expect(turn.billed_cost_usd).toBe(0))
  says(/with the result `(.+)`/, (result) => expect(turn.result).toBe(result))
  says(/with the file `(.+)`/, (name) => expect(turn.outputs.map((output) => output.name)).toEqual([name]))
  says(/after (\d+) model calls?/, (calls = "") => expect(turn.usage.model_calls).toBe(number(calls)))
  says(/(\d+) tool calls?/, (calls = "") => expect(turn.usage.tool_calls).toBe(number(calls)))
  says(/([\d,]+) prompt tokens, (\d+) of them cached, and (\d+) output/, (...counts) => {
    const { tokens_input, tokens_cached, tokens_output } = turn.usage
    expect([tokens_input, tokens_cached, tokens_output]).toEqual(counts.map(number))
  })
  expect(said.length, "the example shows more than its end").toBeGreaterThan(1)
}
