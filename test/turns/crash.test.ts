import { afterAll, beforeAll, expect, inject, test } from "vitest"
import { cancelUntilAnswered, type Scenario, sendUntilAccepted, survivesEveryFailure } from "../harness/crash.ts"
import { addModel, MODEL_PIN } from "../harness/models.ts"
import { createWorld, type World } from "../harness/world.ts"

let world: World
beforeAll(async () => {
  world = await createWorld({ upstreams: { model: inject("modelUrl") } })
  await addModel(world)
})
afterAll(() => world.close())

const scenarios: Scenario[] = [
  {
    name: "a turn",
    async act(client, space) {
      await sendUntilAccepted(client, { space, model: MODEL_PIN })
      await world.drain()
    },
    check(turns) {
      expect(turns.map((turn) => turn.state)).toEqual(["done"])
      expect(turns[0]?.billed, "one bill for the one committed call").toBe(MODEL_COST)
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
      // Either the first step is in progress, or the fault has already ended the run.
      await Promise.race([running, world.clock.sleeping(1, 5000)])
      await cancelUntilAnswered(client, turnId)
      await world.advance(5000)
      await running
    },
    check(turns) {
      expect(turns.map((turn) => turn.state)).toEqual(["cancelled"])
      const step = (10 * 10_000_000 + 10 * 50_000_000) / 1_000_000
      expect([0, step], "at most the step in progress").toContain(turns[0]?.billed)
    },
  },
]

/** The cost of 120 prompt tokens and 30 output tokens at the test model's prices. */
const MODEL_COST = 120 * 30 + 30 * 150

test.each(scenarios)("$name survives a failure at every I/O", (scenario) => survivesEveryFailure(world, scenario))
