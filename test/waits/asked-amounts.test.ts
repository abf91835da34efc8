import { afterAll, beforeAll, expect, test } from "vitest"
import { AskedSequence } from "../harness/asked-amounts.ts"
import { runSequences, SEQUENCES } from "../harness/random-sequences.ts"
import { createWorld, type World } from "../harness/world.ts"

let world: World
beforeAll(async () => {
  world = await createWorld()
})
afterAll(() => world.close())

// TURNPIKE_SEQUENCES: 500 in the thorough tier. A few more than of other models are needed in the default tier.
const sequences = SEQUENCES < 100 ? SEQUENCES * 4 : SEQUENCES

test(`In random sequences (${sequences}), a turn continues with exactly what its wait asks for, and with no unit less`, async () => {
  const start = (...args: ConstructorParameters<typeof AskedSequence>) => new AskedSequence(...args)
  const met = await runSequences(world, { name: "asked amounts", length: 2, start, sequences })
  const paid = (kind: string) => met[`${kind}: went on`] ?? 0
  expect(Object.keys(met).filter((what) => what.endsWith(": went on")).length).toBeGreaterThan(1)
  if (sequences < 2000) return
  for (const kind of [
    "max_cost",
    "balance",
    "end_user_credit",
    "key_daily",
    "key_window",
    "end_user_daily",
    "end_user_monthly",
  ]) {
    expect(paid(kind), kind).toBeGreaterThan(0)
  }
})
