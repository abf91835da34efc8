import { TURN_POLICY } from "../../src/turns/policies.ts"
import { passTime } from "./pass-time.ts"
import type { TestClient, World } from "./world.ts"

/** Cancels, and lets the time go by in which calls may still start. */
export const cancelInTime = (world: World, client: TestClient, turnId: string): Promise<Response> =>
  passTime(world, client.call("POST", `/v1/turns/${turnId}/cancel`), TURN_POLICY.startCallsWithinMs)
