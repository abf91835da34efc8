import { afterAll, beforeAll, expect, test } from "vitest"
import { runSequences, SEQUENCES } from "../harness/random-sequences.ts"
import { Sequence } from "../harness/reference-model.ts"
import { createWorld, type World } from "../harness/world.ts"

let world: World
beforeAll(async () => {
  world = await createWorld()
})
afterAll(() => world.close())

test(`Random sequences (${SEQUENCES}) agree with the reference model after every step`, async () => {
  const start = (...args: ConstructorParameters<typeof Sequence>) => new Sequence(...args)
  const met = await runSequences(world, { name: "reference model", length: 16, start })
  if (SEQUENCES >= 100)
    expect(Object.keys(met).filter((what) => what.startsWith("refused")).length).toBeGreaterThanOrEqual(6)
})
