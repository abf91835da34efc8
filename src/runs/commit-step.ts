import type { Context } from "../actor/context.ts"
import { callsOf, type ToolOutput } from "../agent/engine.ts"
import { Gather } from "../base/gather.ts"
import { call, callOne } from "../platform/db.ts"
import type { Answers } from "../platform/procedures.ts"
import type { MadeFile, PaidPicture } from "../tools/bound-tool.ts"
import { RUNNER_POLICY, TURN_POLICY } from "../turns/policies.ts"
import { type FinishedStep, stepArgument } from "../turns/step-row.ts"
import { draftEvent, type EventDraft } from "../turns/turn-event.ts"
import type { TurnRow } from "../turns/turn-row.ts"
import { alone, gathered } from "./gathered.ts"
import { repeatCommit } from "./repeat-commit.ts"

/** Whether a turn still belongs to this worker. `cancel`: it does, but it was asked to stop. */
export type StillMine = "yes" | "cancel" | "stale"

type Mine = Pick<TurnRow, "turn_id" | "epoch">

/** The state of its turn that a worker must know after a commit. */
export interface Committed {
  cancel_requested_at: Date | null
  model_failures: number
  stream_until: Date | null
  tool_calls: number
  engine_keys: string | null
  /** The accounts that the run would call next but must not call without asking; null: none. */
  unusable: string[] | null
}

/**
 * Commits an answer of a model before any of its tool calls starts, and renews the lease. So a later worker makes
 * exactly these calls, under the same keys. Null if this worker's epoch is stale: it must write nothing more.
 * `accounts`: the accounts that the run would call next; the result names the unusable ones.
 */
export function commitAnswer(
  ctx: CommitContext,
  { turn_id, epoch }: Mine,
  step: FinishedStep,
  events: EventDraft[],
  accounts: string[] = [],
): Promise<Committed | null> {
  const calls_until = callsOf(step.answer.content).length > 0 ? startLimit(ctx.clock.now()) : null
  return commitStep(ctx, "commit_answers", { turn_id, epoch, step: stepArgument(step), calls_until, events, accounts })
}

/**
 * Commits the results of tool calls of a step (all calls, or the ones that have ended) with the files that they made,
 * and renews the lease. Null if the epoch is stale.
 */
export function commitResults(
  ctx: CommitContext,
  { turn_id, epoch }: Mine,
  {
    step: number,
    results,
    accounts = [],
    ...made
  }: {
    step: number
    results: Record<number, ToolOutput>
    files: MadeFile[]
    /** The duration of the calls in each container, in milliseconds. */
    containers: Record<string, number>
    /** The images that were paid for, each with the index of its call. */
    pictures: (PaidPicture & { call: number })[]
    events: EventDraft[]
    accounts?: string[]
  },
): Promise<Committed | null> {
  const count = Object.keys(results).length
  return commitStep(ctx, "commit_tool_results", { turn_id, epoch, number, results, count, ...made, accounts })
}

/** The type `step_commit` of commit-steps.sql, without the place. */
interface StepCommit extends Mine {
  events: EventDraft[]
  accounts: string[]
  [field: string]: unknown
}

type CommittedStep = Answers["committed_step"]
type CommitContext = Context & { together?: Together | undefined }

type CommitProcedure = "commit_answers" | "commit_tool_results"

async function commitStep(
  ctx: CommitContext,
  procedure: CommitProcedure,
  commit: StepCommit,
): Promise<Committed | null> {
  const { together } = ctx
  const committed = await repeatCommit(ctx, () =>
    together ? together[procedure].add(commit) : alone(commit, (commits) => commitAll(ctx, procedure, commits)),
  )
  if (committed.outcome !== "committed") return null
  const { cancel_requested_at, model_failures, stream_until, tool_calls, engine_keys, unusable } = committed
  return {
    cancel_requested_at: cancel_requested_at === null ? null : new Date(cancel_requested_at),
    model_failures: model_failures ?? 0,
    stream_until: stream_until === null ? null : new Date(stream_until),
    tool_calls: tool_calls ?? 0,
    engine_keys,
    unusable,
  }
}

async function commitAll(
  ctx: Context,
  procedure: CommitProcedure,
  commits: StepCommit[],
): Promise<(CommittedStep | undefined)[]> {
  const now = ctx.clock.now()
  const args = {
    commits: commits.map((commit, place) => ({ ...commit, place })),
    lease: leaseFrom(now),
    moment: now,
  }
  const committed =
    procedure === "commit_answers"
      ? (await callOne(ctx.db, "commit_answers", args)).commit_answers
      : (await callOne(ctx.db, "commit_tool_results", args)).commit_tool_results
  const byPlace = new Map((committed ?? []).map((one) => [one.place, one]))
  return commits.map((_, place) => byPlace.get(place))
}

const isBusy = ({ outcome }: CommittedStep) => outcome === "busy"

/** Statements that the turns of one runner share: commits of steps, and renewals of leases. */
export interface Together {
  commit_answers: Pick<Gather<StepCommit, CommittedStep>, "add">
  commit_tool_results: Pick<Gather<StepCommit, CommittedStep>, "add">
  renewals: Gather<Mine, StillMine>
}

export const togetherOf = (ctx: Context): Together => ({
  commit_answers: gathered((commits) => commitAll(ctx, "commit_answers", commits), isBusy),
  commit_tool_results: gathered((commits) => commitAll(ctx, "commit_tool_results", commits), isBusy),
  renewals: new Gather((turns) => renewAll(ctx, turns), { most: RUNNER_POLICY.carries, atOnce: 1 }),
})

/**
 * Why a turn waits for its model: `capacity`, no account can be called now; `memory`, the worker has no memory left.
 */
export type WaitReason = "capacity" | "memory"

/**
 * Releases a turn for `delayMs`. With a `reason`, its log gets the event `model.waiting` once. Without a reason, the
 * model did not answer, which counts as a failure. Returns false if the epoch is stale.
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
 * Asks whether the turn still belongs to this worker and may start tool calls. If so, a later cancel waits until they
 * have started, and the lease is renewed.
 */
export async function mayStartCalls(ctx: Context, { turn_id, epoch }: Mine): Promise<StillMine> {
  const now = ctx.clock.now()
  const args = { turn_id, epoch, calls_until: startLimit(now), lease: leaseFrom(now) }
  const { may_start_calls } = await callOne(ctx.db, "may_start_calls", args)
  return may_start_calls === "yes" || may_start_calls === "cancel" ? may_start_calls : "stale"
}

/** Stores the hash of the token with which the result of a call may come. Returns false if the turn is not ours. */
export async function noteResultToken(
  ctx: Context,
  { turn_id, epoch }: Mine,
  { step, call, token }: { step: number; call: number; token: string },
): Promise<boolean> {
  const { note_result_token } = await callOne(ctx.db, "note_result_token", { turn_id, epoch, step, call, token })
  return note_result_token === true
}

/** Renews the lease while a model answers, and returns whether the turn still belongs to this worker. */
export async function renewLease(
  ctx: Pick<Context, "db" | "clock"> & { together?: Together | undefined },
  { turn_id, epoch }: Mine,
): Promise<StillMine> {
  if (ctx.together) return ctx.together.renewals.add({ turn_id, epoch })
  return alone({ turn_id, epoch }, (turns) => renewAll(ctx, turns))
}

async function renewAll(ctx: Pick<Context, "db" | "clock">, turns: Mine[]): Promise<StillMine[]> {
  const rows = await call(ctx.db, "renew_leases", { turns, lease: leaseFrom(ctx.clock.now()) })
  const found = new Map(rows.map(({ turn_id, found_as }) => [turn_id, found_as]))
  return turns.map(({ turn_id }) => {
    const as = found.get(turn_id)
    return as === "yes" || as === "cancel" ? as : "stale"
  })
}

/** A worker that was delayed for longer must ask again before it starts a call. */
const startLimit = (now: Date) => new Date(now.getTime() + TURN_POLICY.startCallsWithinMs)
const leaseFrom = (now: Date) => new Date(now.getTime() + TURN_POLICY.leaseMs)
