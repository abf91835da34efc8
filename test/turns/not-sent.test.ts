import { afterAll, beforeAll, beforeEach, expect, test } from "vitest"
import { NotSent } from "../../src/base/not-sent.ts"
import { createOutbound } from "../../src/platform/outbound.ts"
import type { AgentContext } from "../../src/runs/run.ts"
import { RunEnd } from "../../src/runs/run-end.ts"
import { advanceTurn } from "../harness/claim.ts"
import { orderTool } from "../harness/customer.ts"
import { addModel } from "../harness/models.ts"
import { mortalWorker } from "../harness/mortal-worker.ts"
import { expectPromises } from "../harness/promises.ts"
import { PROVIDED_PIN, PROVIDER_URL, scriptProvider } from "../harness/scripted-provider.ts"
import { createWorld, type TestClient, turnOf, type World } from "../harness/world.ts"

let world: World
let provider: ReturnType<typeof scriptProvider>
let client: TestClient
let called: string[]
beforeAll(async () => {
  world = await createWorld({ env: { OPENAI_BASE_URL: PROVIDER_URL } })
  await addModel(world)
  provider = scriptProvider(world, () => ({ words: ["Fine."] }))
  world.serve("model.test", (request) => {
    called.push("model")
    return provider.serve(request)
  })
  world.serve("api.customer.com", () => {
    called.push("tool")
    return Response.json({ status: "shipped" })
  })
})
afterAll(() => world.close())
beforeEach(async () => {
  called = []
  client = await world.createAccount({ usd: 10 })
})

const HAND_OVER = new RunEnd({ kind: "hand_over" })
const CANCELLED = new RunEnd({ kind: "ended", outcome: { state: "cancelled", reason: "client", result: null } })

/** Runs a turn in a worker that gives up all model and tool calls before sending them. */
function runInVain(turnId: string, why: RunEnd) {
  const turnFetch: typeof fetch = async () => {
    throw new NotSent(why)
  }
  const { ctx } = mortalWorker(world, provider, { name: "busy" })
  const outbound = createOutbound({ fetch: turnFetch, clock: world.clock, policy: ctx.urlPolicy })
  const busy: AgentContext = { ...ctx, turnFetch, outbound }
  return advanceTurn(busy, turnId)
}

async function begin(body: { space: string; model?: string; text?: string }): Promise<string> {
  const { turn_id } = await turnOf(await client.sendTurn(body))
  await world.settled()
  return turn_id
}

const failuresOf = async (turnId: string) =>
  (await world.sql<{ model_failures: number }>("select model_failures from turns where turn_id = $1", [turnId]))[0]

test("A model call that is given up before it is sent is not counted as a failure, and the next worker makes it", async () => {
  const turnId = await begin({ space: await client.space(), model: PROVIDED_PIN })
  expect(await runInVain(turnId, HAND_OVER)).toBe("handed_over")
  expect([await failuresOf(turnId), called]).toEqual([{ model_failures: 0 }, []])
  await world.drain()
  expect([(await client.getTurn(turnId)).state, called]).toEqual(["done", ["model"]])
  await expectPromises(world, client.userId)
})

test("A turn that was cancelled while its model call waited to be sent ends as cancelled", async () => {
  const turnId = await begin({ space: await client.space(), model: PROVIDED_PIN })
  expect(await runInVain(turnId, CANCELLED)).toBe("settled")
  expect([(await client.getTurn(turnId)).state, called]).toEqual(["cancelled", []])
  await expectPromises(world, client.userId)
})

test("A tool call that is given up before it is sent has no result, and the next worker makes it once", async () => {
  const space = await client.space({ tools: [orderTool()], secrets: { TOKEN: "canary-token-1" } })
  const turnId = await begin({ space, text: '[call lookup_order {"id":"A-1"}]' })
  expect(await runInVain(turnId, HAND_OVER)).toBe("handed_over")
  expect(called).toEqual([])
  await world.drain()
  expect([(await client.getTurn(turnId)).state, called]).toEqual(["done", ["tool"]])
  const ended = await world.sql(
    "select data -> 'ok' as ok from turn_events where turn_id = $1 and type = 'tool.ended'",
    [turnId],
  )
  expect(ended).toEqual([{ ok: true }])
})
