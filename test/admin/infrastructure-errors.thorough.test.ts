import { afterAll, beforeAll, expect, test } from "vitest"
import { sweepInfrastructure } from "../../src/infrastructure/errors.ts"
import { INFRASTRUCTURE_POLICY } from "../../src/infrastructure/policies.ts"
import { type Admin, signInAdmin } from "../harness/books.ts"
import { contextOf } from "../harness/context.ts"
import { DAY } from "../harness/infra.ts"
import { addModel, MODEL_PIN } from "../harness/models.ts"
import { PROVIDER_URL, type ProviderScript, scriptProvider } from "../harness/scripted-provider.ts"
import { createWorld, type TestClient, type World } from "../harness/world.ts"

let world: World
let admin: Admin
let client: TestClient
let script: (n: number) => ProviderScript
beforeAll(async () => {
  world = await createWorld({ env: { OPENAI_BASE_URL: PROVIDER_URL, LOG_LEVEL: "silent" } })
  admin = await signInAdmin(world)
  await addModel(world)
  client = await world.createAccount()
  const provider = scriptProvider(world, (_asked, n) => script(n))
  world.serve("model.test", (request) => provider.serve(request))
})
afterAll(() => world.close())

/** Sorted by kind, because background writes have no fixed order. */
const noted = (turnId: string) =>
  world.sql<{ kind: string; name: string; code: string }>(
    "select kind, name, code from infrastructure_errors where turn_id = $1 order by kind, error_id",
    [turnId],
  )
const status = async () => (await admin.json("GET", "/api/admin/system"))[1]

test("A failed model call is counted for its provider, and a successful call writes no row", async () => {
  const space = await client.space({ model: MODEL_PIN })
  script = () => ({ status: 400 })
  const refused = await client.runTurn({ space })
  expect(refused.error?.code).toBe("MODEL_REJECTED")
  expect(await noted(refused.turn_id)).toEqual([{ kind: "model_call", name: "openai-compatible", code: "rejected" }])
  script = (n) => (n === 1 ? { status: 503 } : { words: ["hello"] })
  const sent = await client.sendTurn({ space })
  const { turn_id } = (await sent.json()) as { turn_id: string }
  await world.drain()
  await world.advance(60_000)
  await world.drain()
  expect((await client.getTurn(turn_id)).state).toBe("done")
  expect(await noted(turn_id)).toEqual([{ kind: "model_call", name: "openai-compatible", code: "unavailable" }])
  const failing = await client.runTurn({ space, model: "rehearsal/standard", text: "[fail OUT_OF_STOCK]" })
  expect(await noted(failing.turn_id), "a script that fails on purpose").toEqual([])
})

test("A sub-agent's failed task is counted for its model's provider", async () => {
  const subagents = [
    { name: "writer", description: "Writes.", model: MODEL_PIN },
    { name: "looper", description: "Goes on.", max_steps: 1 },
  ]
  const space = await client.space({ manifest: { subagents } })
  script = () => ({ status: 400 })
  const rejected = await client.runTurn({ space, text: "[delegate writer Write.]" })
  expect(rejected.state).toBe("done")
  expect(await noted(rejected.turn_id)).toEqual([
    { kind: "model_call", name: "openai-compatible", code: "rejected" },
    { kind: "subagent_dispatch", name: "openai-compatible", code: "rejected" },
  ])
  const looping = await client.runTurn({ space, text: "[delegate looper [steps 3]\\nhello]" })
  expect(await noted(looping.turn_id)).toEqual([
    { kind: "subagent_dispatch", name: "rehearsal", code: "too_many_steps" },
  ])
})

test("Failures of test turns are not counted", async () => {
  const tests = world.createClient(client.userId, (await world.makeKey(client.userId, { test: true })).value)
  const turn = await tests.runTurn({ space: await tests.space(), text: "[fail MODEL_REJECTED]" })
  expect(turn.error?.code).toBe("MODEL_REJECTED")
  expect(await noted(turn.turn_id)).toEqual([])
})

test("The system status shows errors of the last 24 hours, and the sweeper deletes them after 400 days", async () => {
  expect((await status()).errors).toEqual([
    { kind: "model_call", name: "openai-compatible", errors: 3 },
    { kind: "subagent_dispatch", name: "openai-compatible", errors: 1 },
    { kind: "subagent_dispatch", name: "rehearsal", errors: 1 },
  ])
  await world.advance(DAY)
  expect((await status()).errors).toEqual([])
  const count = async () =>
    (await world.sql<{ n: number }>("select count(*)::int as n from infrastructure_errors"))[0]?.n
  await world.plan([])
  await world.sweep()
  expect((await world.calls()).filter(({ label }) => label.includes("sweep_infrastructure")).length).toBeGreaterThan(0)
  await world.clearFaults()
  expect(await count()).toBe(5)
  await world.advance(INFRASTRUCTURE_POLICY.keepDays * DAY)
  // Without the analytics sweep, which would process all of these days.
  await sweepInfrastructure(contextOf(world))
  expect(await count()).toBe(0)
})
