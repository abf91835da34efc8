import { expect, test } from "vitest"
import { blockAndFree } from "../harness/blocked-turns.ts"
import { createWorld } from "../harness/world.ts"

test("A thousand blocked turns of 50 end users are freed at once: each conversation in order, with exact caps", async () => {
  const world = await createWorld()
  try {
    const { before, blocked, after, done } = await blockAndFree(world, { people: 50, behind: 20 })
    console.log(`held before ${before.wallet}, blocked ${blocked.wallet}, spent after ${after.spent}`)
    expect(done).toBe(1_050)
  } finally {
    await world.close()
  }
})
