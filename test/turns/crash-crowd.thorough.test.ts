import { afterAll, beforeAll, inject, test } from "vitest"
import { createGroupCrash, type Stage } from "../harness/group-crash.ts"
import { addModel } from "../harness/models.ts"
import { createWorld, type World } from "../harness/world.ts"

let world: World
beforeAll(async () => {
  world = await createWorld({ upstreams: { model: inject("modelUrl") } })
  await addModel(world)
})
afterAll(() => world.close())

/** Four accounts with four turns each. Every stage occurs at least once. */
const CROWD: Stage[][] = [
  ["plain", "with a model's server", "with three steps", "with a tool"],
  ["begun", "started and cancelled", "plain", "with a tool"],
  ["waiting for an earlier turn of its conversation", "with three steps", "with a model's server"],
  ["begun", "with a tool", "plain", "with a model's server"],
]

test("Sixteen turns of four accounts in all stages survive the death of their runner at every I/O", () =>
  createGroupCrash(world).survivesEveryDeath("sixteen turns", CROWD))
