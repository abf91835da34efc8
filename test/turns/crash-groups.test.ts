import { afterAll, beforeAll, expect, inject, test } from "vitest"
import { isThorough } from "../harness/crash.ts"
import { ALL_STAGES, createGroupCrash, type Stage } from "../harness/group-crash.ts"
import { addModel } from "../harness/models.ts"
import { createWorld, type World } from "../harness/world.ts"

let world: World
let crash: ReturnType<typeof createGroupCrash>
beforeAll(async () => {
  world = await createWorld({ upstreams: { model: inject("modelUrl") } })
  await addModel(world)
  crash = createGroupCrash(world)
})
afterAll(() => world.close())

/** The default tier has a sample of the calls at which the runner dies. */
const everyNth = isThorough ? 1 : 3

test.each(ALL_STAGES.filter((_, at) => isThorough || at % 2 === 0))(
  "A turn in the stage “%s” survives the death of its runner at every I/O",
  (stage) => crash.survivesEveryDeath(stage, [[stage]], everyNth),
)

const MIXES: [string, Stage[][]][] = [
  ["two accounts, at the beginning", [["plain", "plain"], ["with a model's server"]]],
  ["three accounts, in the middle", [["begun"], ["with a tool"], ["with three steps"]]],
  ["two accounts, at the end", [["started and cancelled", "with a tool"], ["begun"]]],
]

test.each(MIXES.filter((_, at) => isThorough || at === 1))(
  "Three turns of %s survive the death of their runner at every I/O",
  (name, groups) => crash.survivesEveryDeath(name, groups, everyNth),
)

test("These worlds cover every stage", () => {
  expect(new Set([...MIXES.flatMap(([, groups]) => groups.flat()), ...ALL_STAGES])).toEqual(new Set(ALL_STAGES))
})
