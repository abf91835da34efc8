import { afterAll, beforeAll, expect, inject, test } from "vitest"
import { type Scenario, sendUntilAccepted, survivesEveryFailure } from "../harness/crash.ts"
import { addModel, MODEL_PIN } from "../harness/models.ts"
import { addAccount, unified } from "../harness/provider-accounts.ts"
import { createWorld, type TestClient, type World } from "../harness/world.ts"

/** The first account by name, at which the turn begins, sends this refusal; the second account serves. */
let refusal: () => Response

let world: World
beforeAll(async () => {
  world = await createWorld({ upstreams: { model: inject("modelUrl") }, random: () => 0 })
  await addModel(world)
  world.serve("full.test", () => refusal())
  await addAccount(world, "alpha", { baseUrl: "https://full.test/v1" })
  await addAccount(world, "beta", { baseUrl: `${world.upstreamUrl("model")}/v1` })
})
afterAll(() => world.close())

/** Resets all accounts and the state that isolates have cached about them. */
async function forget() {
  await world.sql("update provider_states set cool_until = null, cool_reason = null, probe_until = null")
  await world.sql("update provider_accounts set health = 'healthy'")
  world.rebind({})
}

/** The cost of 120 prompt tokens and 30 output tokens at the test model's prices. */
const MODEL_COST = 120 * 30 + 30 * 150

const servedBy = (client: TestClient) =>
  world.sql<{ subscription_id: string }>("select distinct subscription_id from usage where user_id = $1", [
    client.userId,
  ])

const isServedByBeta = async (turns: { state: string; billed: number }[], client: TestClient) => {
  expect(turns.map(({ state }) => state)).toEqual(turns.map(() => "done"))
  expect(turns.map(({ billed }) => billed)).toEqual(turns.map(() => MODEL_COST))
  expect(await servedBy(client)).toEqual([{ subscription_id: "beta" }])
}

const scenarios: Scenario[] = [
  {
    name: "a turn whose first account is full",
    async arrange() {
      await forget()
      const headers = unified("5h", 100, world.clock.ms() + 9e6)
      refusal = () => Response.json({ error: { message: "full" } }, { status: 429, headers })
    },
    async act(client, space) {
      await sendUntilAccepted(client, { space, model: MODEL_PIN })
      await world.drain()
    },
    check: isServedByBeta,
  },
  {
    name: "two turns of a conversation whose first account is overloaded",
    async arrange() {
      await forget()
      refusal = () => Response.json({ error: { message: "overloaded" } }, { status: 529 })
    },
    async act(client, space) {
      await sendUntilAccepted(client, { space, model: MODEL_PIN, text: "first" })
      await sendUntilAccepted(client, { space, model: MODEL_PIN, text: "second" })
      await world.drain()
    },
    check: isServedByBeta,
  },
  {
    name: "a turn whose accounts are all refused, until one has a new login",
    async arrange() {
      await forget()
      await world.sql("update provider_states set cool_until = $1 where provider_id = 'beta'", [
        new Date(world.clock.ms() + 15_000),
      ])
      refusal = () => Response.json({ error: { message: "who are you" } }, { status: 401 })
    },
    async act(client, space) {
      await sendUntilAccepted(client, { space, model: MODEL_PIN })
      await world.drain()
      await world.advance(20_000)
      await world.drain()
    },
    check: isServedByBeta,
  },
]

test.each(scenarios)("$name survives a failure at every I/O", (scenario) => survivesEveryFailure(world, scenario))
