import { afterAll, beforeAll, expect, test } from "vitest"
import { reconcileAsAdmin, signInAdmin } from "../harness/books.ts"
import { runSequences, SEQUENCES } from "../harness/random-sequences.ts"
import { WaitSequence } from "../harness/waiting-model.ts"
import { createWorld, type World } from "../harness/world.ts"

let world: World
beforeAll(async () => {
  world = await createWorld()
})
afterAll(() => world.close())

test(`Random sequences (${SEQUENCES}) with waits of all kinds agree with the reference model after every step`, async () => {
  const start = (...args: ConstructorParameters<typeof WaitSequence>) => new WaitSequence(...args)
  const met = await runSequences(world, { name: "waits", length: 18, start })
  const { finished_at } = await reconcileAsAdmin(await signInAdmin(world))
  expect(finished_at).not.toBeNull()
  // The sequences leave turns that no worker will ever claim.
  const found = await world.sql("select kind, turn_id from reconciliation_findings where kind <> 'orphaned_turn'")
  expect(found).toEqual([])
  if (SEQUENCES >= 100) {
    for (const what of [
      "wait for balance",
      "wait for calls",
      "allow",
      "deny",
      "result",
      "continued",
      "expired",
      "new period",
    ]) {
      expect(met[what], what).toBeGreaterThan(0)
    }
  }
})
