import { PROVIDER_POLICY } from "../providers/policies.ts"
import { callRunner } from "../turns/call-runner.ts"
import { TURN_POLICY } from "../turns/policies.ts"
import { backOff, type WaitReason } from "./commit-step.ts"
import type { Run } from "./run.ts"

type GivenBack = "backed_off" | "stale"

/** Releases the turn until an account can be called again: for a minute at most. This is no failure of its model. */
export async function waitForAccounts(
  run: Run,
  { engine, until }: { engine: string; until: number },
): Promise<GivenBack> {
  const { ctx, turn } = run
  const { now, deadline } = run.time
  ctx.log("error", "provider.all_cooling", {
    turn_id: turn.turn_id,
    engine,
    wait_ms: Number.isFinite(until) ? until - now : null,
  })
  // An operator may add an account before the first of these recovers.
  const { modelBackoffMs: least, modelBackoffLimitMs: most } = TURN_POLICY
  const wait = Math.min(Math.max(until - now, least), most)
  // Turns that wait for the same account must not all return at once. Longer waits are spread over a longer time.
  const apart = ctx.random() * Math.min(Math.max(wait / 4, least), PROVIDER_POLICY.crowdMs)
  const delayMs = Math.ceil(Math.max(0, Math.min(wait + apart, deadline - now)))
  return giveBack(run, { delayMs, reason: "capacity" })
}

/** Other calls use the memory, so this is no failure of the turn. It runs again, perhaps in another isolate. */
export async function waitForMemory(run: Run): Promise<GivenBack> {
  const { ctx, turn } = run
  const { now, deadline } = run.time
  ctx.log("error", "turn.crowded", { turn_id: turn.turn_id })
  const delayMs = Math.min(TURN_POLICY.modelBackoffMs * (1 + ctx.random()), Math.max(0, deadline - now))
  return giveBack(run, { delayMs: Math.ceil(delayMs), reason: "memory" })
}

/** Releases the turn for a time. `stale`: another worker has it. */
export async function giveBack(
  { ctx, turn }: Run,
  wait: { delayMs: number; reason: WaitReason | null },
): Promise<GivenBack> {
  if (!(await backOff(ctx, turn, wait))) return "stale"
  await callRunner(ctx, wait)
  return "backed_off"
}
