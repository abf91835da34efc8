import { afterAll, beforeAll, expect, test } from "vitest"
import { REFUSED_REQUESTS, TOOLS } from "../agent/refused-requests.ts"
import { orderTool } from "../harness/customer.ts"
import { addModel, MODEL_PIN } from "../harness/models.ts"
import { PROVIDER_URL } from "../harness/scripted-provider.ts"
import { createWorld, type TestClient, turnOf, type World } from "../harness/world.ts"

/** The end of a turn whose every request is refused. */
const CODES = {
  context: "CONTEXT_TOO_LONG",
  output: "PARAMETER_REJECTED",
  parameter: "PARAMETER_REJECTED",
  tool: "TOOL_SCHEMA_REJECTED",
  file: "FILE_REJECTED",
  content: "CONTENT_REJECTED",
  ours: "MODEL_UNAVAILABLE",
  other: "MODEL_REJECTED",
} as const

let world: World
let client: TestClient
let space: string
beforeAll(async () => {
  world = await createWorld({ env: { OPENAI_BASE_URL: PROVIDER_URL, LOG_LEVEL: "silent" } })
  await addModel(world)
  client = await world.createAccount({ usd: 100 })
  space = await client.space({ model: MODEL_PIN, tools: TOOLS.map((name) => ({ ...orderTool(), name })) })
  world.serve("model.test", async (request) => {
    const { messages } = (await request.json()) as { messages: { content: unknown }[] }
    const number = Number(/number (\d+)/.exec(JSON.stringify(messages.at(-1)))?.[1])
    const { body = "", status = 500 } = REFUSED_REQUESTS[number] ?? {}
    return new Response(body, { status, headers: { "content-type": "application/json" } })
  })
})
afterAll(() => world.close())

test("Each of 40 and more refusals ends its turn with the code, the tool and the words of its cause, and costs nothing", async () => {
  expect(REFUSED_REQUESTS.length).toBeGreaterThanOrEqual(40)
  const turns = await Promise.all(
    REFUSED_REQUESTS.map(async (_one, number) =>
      turnOf(await client.sendTurn({ space, text: `number ${number}`, end_user_ref: `person-${number}` })),
    ),
  )
  await world.drain()
  for (const [number, { from, status, cause, tool, shows }] of REFUSED_REQUESTS.entries()) {
    const turn = await client.getTurn(turns[number]?.turn_id ?? "")
    expect(turn, from).toMatchObject({ state: "failed", billed_cost_usd: 0, error: { code: CODES[cause] } })
    expect(turn.error?.details, from).toMatchObject({ status, ...(tool && { tool }) })
    if (shows) expect(turn.error?.details?.message, from).toContain(shows)
  }
})
