import { afterEach, expect, test, vi } from "vitest"
import type { Demo } from "../../src/local/demo.ts"
import { showFirstTurn } from "../../src/local/first-turn.ts"

afterEach(() => vi.unstubAllGlobals())

const demo = { base_url: "http://127.0.0.1:1", api_key: "turnpike_live_x" } as Demo
const page = (...data: object[]) => ({ data, has_more: false, next_cursor: null })

/** `npm start` against a service that answers so; what it printed, and the space that it goes on with. */
async function start(answers: Record<string, [status: number, body: object]>) {
  vi.stubGlobal("fetch", async (address: string, { method = "GET" }: RequestInit) => {
    const [status, body] = answers[`${method} ${new URL(address).pathname}`] ?? [500, {}]
    return Response.json(body, { status })
  })
  const printed: string[] = []
  const space = await showFirstTurn(demo, "rehearsal/standard", (line) => printed.push(line))
  return { space, printed }
}

const others = { space_id: "spc_theirs", metadata: {} }
const own = { space_id: "spc_demo", metadata: { made_by: "npm start" } }

test.each([
  [[others, own], "spc_demo"],
  [[others], "spc_new"],
])("The demo continues in a space of its own, and makes a new one where that was archived", async (spaces, space) => {
  const refusal = { error: { code: "INSUFFICIENT_CREDITS" } }
  const started = await start({
    "GET /v1/turns": [200, page()],
    "GET /v1/spaces": [200, page(...spaces)],
    "POST /v1/spaces": [201, { space_id: "spc_new" }],
    "POST /v1/turns": [402, refusal],
  })
  expect(started.space).toBe(space)
  expect(started.printed, "a spent balance is shown, and starts all the same").toEqual([
    '  refused: POST /v1/turns: HTTP 402 {"error":{"code":"INSUFFICIENT_CREDITS"}}',
  ])
})

test("A service that fails does not start", async () => {
  const answers = { "GET /v1/turns": [200, page()], "GET /v1/spaces": [200, page(own)] } as const
  await expect(start({ ...answers } as never)).rejects.toThrow("POST /v1/turns: HTTP 500")
})
