import type { Context } from "../actor/context.ts"
import { callsOf, type ToolOutput } from "../agent/engine.ts"
import { call, callOne } from "../platform/db.ts"
import type { MadeFile, PaidPicture } from "../tools/bound-tool.ts"
import { TURN_POLICY } from "../turns/policies.ts"
import { type FinishedStep, stepArgument } from "../turns/step-row.ts"
import { draftEvent, type EventDraft } from "../turns/turn-event.ts"
import type { TurnRow } from "../turns/turn-row.ts"
import { repeatCommit } from "./repeat-commit.ts"

/** Whether a turn is still this worker's; `cancel`: it is, and was asked to stop. */
export type StillMine = "yes" | "cancel" | "stale"

type Mine = Pick<TurnRow, "turn_id" | "epoch">

/** What a worker must know of its turn behind a commit. */
export interface Committed {
  cancel_requested_at: Date | null
  model_failures: number
  stream_until: Date | null
  tool_calls: number
  engine_keys: string | null
  /** Of the accounts that the run may call next, those that it may not call without asking; null: none. */
  unusable: string[] | null
}

/**
 * Commits what a model answered, before any of its tool calls starts, and renews the lease: whoever goes on with the turn
 * makes exactly these calls, under the same keys. Null when this worker's epoch is stale: write nothing more. `accounts`: those that the run may
 * call next, of which `unusable` tells.
 */
export async function commitAnswer(
  ctx: Context,
  { turn_id, epoch }: Mine,
  step: FinishedStep,
  events: EventDraft[],
  accounts: string[] = [],
): Promise<Committed | null> {
  const now = ctx.clock.now()
  const args = {
    turn_id,
    epoch,
    step: stepArgument(step),
    events,
    calls_until: callsOf(step.answer.content).length > 0 ? startLimit(now) : null,
    accounts,
    lease: leaseFrom(now),
    moment: now,
  }
  const [committed] = await repeatCommit(ctx, () => call<"commit_answer", Committed>(ctx.db, "commit_answer", args))
  return committed ?? null
}

/**
 * Commits what the tool calls of a step answered (all of them, or those that have ended) with the files they made, and
 * renews the lease. Null when the epoch is stale.
 */
export async function commitResults(
  ctx: Context,
  { turn_id, epoch }: Mine,
  {
    step,
    results,
    files,
    containers,
    pictures,
    events,
    accounts = [],
  }: {
    step: number
    results: Record<number, ToolOutput>
    files: MadeFile[]
    /** How many milliseconds calls took in each container. */
    containers: Record<string, number>
    /** Those that were paid for, each with the place of its call. */
    pictures: (PaidPicture & { call: number })[]
    events: EventDraft[]
    accounts?: string[]
  },
): Promise<Committed | null> {
  const now = ctx.clock.now()
  const args = {
    turn_id,
    epoch,
    step,
    results,
    count: Object.keys(results).length,
    files,
    containers,
    pictures,
    events,
    accounts,
    lease: leaseFrom(now),
    moment: now,
  }
  const [committed] = await repeatCommit(ctx, () => call<"commit_results", Committed>(ctx.db, "commit_results", args))
  return committed ?? null
}

/** Why a turn waits for its model: all accounts that could serve it are used up or out of use, or the worker has no memory left. */
export type WaitReason = "capacity" | "memory"

/**
 * Gives a turn back for `delayMs`: after its model did not answer (`failed`, which counts), or while it waits for `reason`, which its log
 * says once (`model.waiting`). False when the epoch is stale.
 */
export async function backOff(
  ctx: Context,
  { turn_id, epoch }: Mine,
  { delayMs, reason }: { delayMs: number; reason: WaitReason | null },
): Promise<boolean> {
  const now = ctx.clock.now()
  const events = reason === null ? [] : [draftEvent("model.waiting", { reason }, now)]
  const args = { turn_id, epoch, failed: reason === null, wake_at: new Date(now.getTime() + delayMs), events }
  const { back_off } = await callOne(ctx.db, "back_off", args)
  return back_off === true
}

/**
 * Whether the turn is still this worker's, and may start tool calls: then a cancel that comes now waits for their start, and
 * the lease is renewed for as long as they may take.
 */
export async function mayStartCalls(ctx: Context, { turn_id, epoch }: Mine): Promise<StillMine> {
  const now = ctx.clock.now()
  const args = { turn_id, epoch, calls_until: startLimit(now), lease: leaseFrom(now) }
  const { may_start_calls } = await callOne(ctx.db, "may_start_calls", args)
  return may_start_calls === "yes" || may_start_calls === "cancel" ? may_start_calls : "stale"
}

/** Renews the lease while a model answers: whether the turn is still this worker's, and whether it was asked to stop. */
export async function renewLease(ctx: Pick<Context, "db" | "clock">, { turn_id, epoch }: Mine): Promise<StillMine> {
  const { renew_lease } = await callOne(ctx.db, "renew_lease", { turn_id, epoch, lease: leaseFrom(ctx.clock.now()) })
  return renew_lease === "yes" || renew_lease === "cancel" ? renew_lease : "stale"
}

/** A worker that was held up for longer asks again before it starts a call. */
const startLimit = (now: Date) => new Date(now.getTime() + TURN_POLICY.startCallsWithinMs)
const leaseFrom = (now: Date) => new Date(now.getTime() + TURN_POLICY.leaseMs)
