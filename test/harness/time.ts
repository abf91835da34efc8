import { vi } from "vitest"
import { TURN_POLICY } from "../../src/turns/policies.ts"
import type { TestClient, World } from "./world.ts"

/** How long a step waits for a call under way, which can be slow on a busy machine. */
const PATIENCE_MS = 250

/**
 * Steps up to this time are merged if no sleep ends before the last of them. Some tests measure
 * longer steps.
 */
const AT_ONCE_MS = 200
/** Before a longer jump, the loop checks again that no sleep is about to start. */
const NEAR_MS = 50

/**
 * Lets time pass in steps of `stepMs` while `work` runs. It waits for each statement's answer,
 * unless the statement hangs.
 */
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
 * Lets exactly this much time pass, from the end of one sleep to the end of the next. The clock
 * moves on only after all work that it woke was answered. For work that waits only for the clock
 * and the database.
 */
export async function passOver(world: Pick<World, "isCalm" | "advance" | "clock">, ms: number): Promise<void> {
  const end = world.clock.ms() + ms
  while (world.clock.ms() < end) {
    const step = () => Math.min(end - world.clock.ms(), Math.max(1, world.clock.untilNext()))
    // A task that has just been answered may be about to sleep, so a long jump needs two equal readings.
    let next = step()
    for (let seen = Number.NaN; next > NEAR_MS && next !== seen; next = step()) {
      seen = next
      await world.isCalm(1_000)
    }
    await world.advance(next)
    await world.isCalm(1_000)
  }
}

/**
 * Lets the queue deliver what is due now, once, while a fault plan fails every commit. Time passes
 * only by the pauses before a repeated commit, which workers log, so a slow machine changes nothing.
 */
export async function deliverWhileCommitsFail(
  world: Pick<World, "advance" | "deliverDue" | "env" | "rebind" | "settled">,
): Promise<void> {
  const log = vi.spyOn(console, "error").mockImplementation((line: string) => {
    const { event, pause_ms } = JSON.parse(line) as { event: string; pause_ms: number }
    // The pause begins right after its line.
    if (event === "turn.commit_repeated") queueMicrotask(() => world.advance(pause_ms))
  })
  world.rebind({ LOG_LEVEL: "error" })
  try {
    await world.deliverDue()
    await world.settled()
  } finally {
    world.rebind({ LOG_LEVEL: world.env.LOG_LEVEL })
    log.mockRestore()
  }
}

/** Cancels a turn and moves the clock past the time in which calls may still start. */
export const cancelInTime = (world: World, client: TestClient, turnId: string): Promise<Response> =>
  passTime(world, client.call("POST", `/v1/turns/${turnId}/cancel`), TURN_POLICY.startCallsWithinMs)

/** Moves a world's clock to the machine's time, which real servers of third parties use. */
export const moveToRealTime = (world: Pick<World, "advance" | "clock">) => world.advance(Date.now() - world.clock.ms())
