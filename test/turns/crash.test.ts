import { afterAll, beforeAll, expect, inject, test } from "vitest"
import type { FaultRule } from "../../src/local/faults.ts"
import { addModel, MODEL_PIN } from "../harness/models.ts"
import { expectPromises } from "../harness/promises.ts"
import { createWorld, type TestClient, type World } from "../harness/world.ts"

let world: World
beforeAll(async () => {
  world = await createWorld({ modelUpstream: inject("modelUrl") })
  await addModel(world)
})
afterAll(() => world.close())

/** Each way in which one call can go wrong: without its effect, or with it and the answer lost. */
const WAYS: Pick<FaultRule, "action" | "when">[] = [
  { action: "fail", when: "before" },
  { action: "cut", when: "before" },
  { action: "fail", when: "after" },
  { action: "cut", when: "after" },
]

interface Scenario {
  name: string
  act(client: TestClient, space: string): Promise<void>
  check(turns: Awaited<ReturnType<typeof expectPromises>>): void
}

const scenarios: Scenario[] = [
  {
    name: "a turn",
    async act(client, space) {
      await sendUntilAccepted(client, { space, model: MODEL_PIN })
      await world.drain()
    },
    check(turns) {
      expect(turns.map((turn) => turn.state)).toEqual(["done"])
      expect(turns[0]?.billed, "one bill, of the one committed call").toBe(MODEL_COST)
    },
  },
  {
    name: "two turns of one conversation",
    async act(client, space) {
      await sendUntilAccepted(client, { space, model: MODEL_PIN, text: "first" })
      await sendUntilAccepted(client, { space, model: MODEL_PIN, text: "second" })
      await world.drain()
    },
    check(turns) {
      expect(turns.map((turn) => turn.state)).toEqual(["done", "done"])
      expect(turns.map((turn) => turn.billed)).toEqual([MODEL_COST, MODEL_COST])
    },
  },
  {
    name: "cancel of a queued turn, with another one behind it",
    async act(client, space) {
      const turnId = await sendUntilAccepted(client, { space, model: MODEL_PIN, text: "first" })
      await sendUntilAccepted(client, { space, model: MODEL_PIN, text: "second" })
      await cancelUntilAnswered(client, turnId)
      await world.drain()
    },
    check(turns) {
      expect(turns.map((turn) => turn.state)).toEqual(["cancelled", "done"])
      expect(turns.map((turn) => turn.billed)).toEqual([0, MODEL_COST])
    },
  },
  {
    name: "cancel of a running turn",
    async act(client, space) {
      const turnId = await sendUntilAccepted(client, {
        space,
        text: "[think 5000 ms]\n[steps 3]\n[use input=10 output=10]",
      })
      const running = world.drain()
      // Either the first step is under way, or the fault ended the run before.
      await Promise.race([running, world.clock.sleeping(1, 5000)])
      await cancelUntilAnswered(client, turnId)
      await world.advance(5000)
      await running
    },
    check(turns) {
      expect(turns.map((turn) => turn.state)).toEqual(["cancelled"])
      const step = (10 * 10_000_000 + 10 * 50_000_000) / 1_000_000
      expect([0, step], "at most the step that was under way").toContain(turns[0]?.billed)
    },
  },
]

/** 120 prompt tokens and 30 output tokens at the test model's prices. */
const MODEL_COST = 120 * 30 + 30 * 150

test.each(scenarios)("$name survives a failure at every I/O", async (scenario) => {
  await world.plan([])
  const first = await run(scenario)
  const calls = first.calls
  scenario.check(await expectPromises(world, first.client.userId))

  const counts: Record<string, number> = {}
  for (const call of calls) {
    counts[call.service] = (counts[call.service] ?? 0) + 1
    for (const way of WAYS) {
      const { client } = await run(scenario, [{ call: call.n, ...way }]).catch((error: unknown) => {
        throw new Error(`${way.action} ${way.when} call ${call.n} (${call.service} ${call.label.slice(0, 60)})`, {
          cause: error,
        })
      })
      try {
        scenario.check(await expectPromises(world, client.userId))
      } catch (error) {
        throw new Error(
          `${way.action} ${way.when} call ${call.n} (${call.service} ${call.label.slice(0, 60)}): ${(error as Error).message}`,
          { cause: error },
        )
      }
    }
  }
  console.log(`${scenario.name}: ${calls.length} boundaries ${JSON.stringify(counts)} × ${WAYS.length} ways`)
  expect(calls.length).toBeGreaterThan(5)
})

/** Acts under a fault plan, then lets time, redelivery and the sweeper do their work until all has ended. */
async function run(scenario: Scenario, rules: FaultRule[] = []) {
  const client = await world.createAccount()
  const space = await client.space()
  await world.plan(rules)
  await scenario.act(client, space)
  await world.settled()
  const calls = await world.calls()
  for (let round = 0; (await openTurns(client)) > 0; round++) {
    if (round === 40) throw new Error("a turn is stuck")
    await world.advance(20_000)
    await world.drain()
    await world.sweep()
    await world.drain()
  }
  await world.clearFaults()
  return { client, calls }
}

async function openTurns(client: TestClient): Promise<number> {
  const rows = await world.sql("select 1 from turns where user_id = $1 and state in ('queued', 'running')", [
    client.userId,
  ])
  return rows.length
}

async function sendUntilAccepted(
  client: TestClient,
  body: { space: string } & Record<string, unknown>,
): Promise<string> {
  const key = crypto.randomUUID()
  for (let tries = 0; tries < 3; tries++) {
    const response = await client.sendTurn(body, key)
    if (response.status === 202) return ((await response.json()) as { turn_id: string }).turn_id
    expect(response.status, await response.text()).toBe(503)
    expect(Number(response.headers.get("retry-after"))).toBeGreaterThan(0)
  }
  throw new Error("never accepted")
}

async function cancelUntilAnswered(client: TestClient, turnId: string): Promise<void> {
  for (let tries = 0; tries < 3; tries++) {
    const response = await client.call("POST", `/v1/turns/${turnId}/cancel`)
    if (response.status === 200) return
    expect(response.status, await response.text()).toBe(503)
  }
  throw new Error("never answered")
}
