import { TURN_POLICY } from "../../src/turns/policies.ts"
import type { TestClient, World } from "./world.ts"

/** How long a step waits for a call under way, which on a busy machine takes its time. */
const PATIENCE_MS = 250

/** Steps up to this time are taken as one when nobody's sleep ends before the last of them. Longer steps are measured by some tests. */
const AT_ONCE_MS = 200
/** A jump that is further asks again whether somebody is about to sleep. */
const NEAR_MS = 50

/** Lets time pass, `stepMs` at a time, while `work` goes on: never before a statement is answered, unless that hangs. */
export async function passTime<T>(
  world: Pick<World, "isCalm" | "advance" | "clock">,
  work: Promise<T>,
  stepMs = 50,
): Promise<T> {
  let done = false
  const ended = () => {
    done = true
  }
  void work.then(ended, ended)
  let patience = PATIENCE_MS
  while (!done) {
    const calm = world.isCalm(patience)
    await Promise.race([work.catch(() => {}), calm])
    if (done) break
    patience = (await calm) ? PATIENCE_MS : 0
    const steps = Math.min(AT_ONCE_MS / stepMs, Math.ceil(world.clock.untilNext() / stepMs))
    await world.advance(stepMs * Math.max(1, Math.floor(steps)))
  }
  return work
}

/**
 * Lets exactly so much time pass, from the end of one sleep to that of the next: whatever it wakes has been answered when the clock moves on.
 * For work that waits for the clock and the database alone.
 */
export async function passOver(world: Pick<World, "isCalm" | "advance" | "clock">, ms: number): Promise<void> {
  const end = world.clock.ms() + ms
  while (world.clock.ms() < end) {
    const step = () => Math.min(end - world.clock.ms(), Math.max(1, world.clock.untilNext()))
    // Who has just been answered may be about to sleep: only what two looks agree about is a long jump.
    let next = step()
    for (let seen = Number.NaN; next > NEAR_MS && next !== seen; next = step()) {
      seen = next
      await world.isCalm(1_000)
    }
    await world.advance(next)
    await world.isCalm(1_000)
  }
}

/** Lets the queue deliver everything while a fault plan fails every commit: workers repeat commits for some seconds, and give up. */
export function drainWhileCommitsFail(world: Pick<World, "isCalm" | "advance" | "clock" | "drain">): Promise<number> {
  return passTime(world, world.drain(), 500)
}

/** Cancels, and lets the time go by in which calls may still start. */
export const cancelInTime = (world: World, client: TestClient, turnId: string): Promise<Response> =>
  passTime(world, client.call("POST", `/v1/turns/${turnId}/cancel`), TURN_POLICY.startCallsWithinMs)

/** Moves a world's clock to that of this machine, which real servers of other people go by. */
export const moveToRealTime = (world: Pick<World, "advance" | "clock">) => world.advance(Date.now() - world.clock.ms())
