import { TURN_POLICY } from "../../src/turns/policies.ts"
import type { TestClient, World } from "./world.ts"

/** Cancels, and lets the time go by in which calls may still start. */
export async function cancelInTime(world: World, client: TestClient, turnId: string): Promise<Response> {
  const asked = client.call("POST", `/v1/turns/${turnId}/cancel`)
  let answered = false
  void asked.finally(() => {
    answered = true
  })
  while (!answered) {
    await Promise.race([asked, world.clock.sleeping(1, 25), world.sql("select pg_sleep(0.02)")])
    if (!answered) await world.advance(TURN_POLICY.startCallsWithinMs)
  }
  return asked
}
