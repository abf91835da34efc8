import type { Context } from "../actor/context.ts"
import type { ProviderDetails } from "../agent/provider-said.ts"
import { storedRow } from "../base/casts.ts"
import type { Gather } from "../base/gather.ts"
import { newId } from "../base/ids.ts"
import { storable } from "../base/storable.ts"
import { postBehind } from "../billing/post-charges.ts"
import { wakeWebhooksOf } from "../feed/wake-webhooks.ts"
import { callOne } from "../platform/db.ts"
import type { Answers } from "../platform/procedures.ts"
import { callRunner } from "../turns/call-runner.ts"
import type { Called } from "../turns/caller-tools.ts"
import { corrections, type EndedRated } from "../turns/rated-turn.ts"
import { type FinishedStep, stepArgument } from "../turns/step-row.ts"
import type { EventDraft } from "../turns/turn-event.ts"
import type { TurnRow } from "../turns/turn-row.ts"
import { alone, gathered } from "./gathered.ts"
import { repeatCommit } from "./repeat-commit.ts"

/** How a running turn ends. `ours`: we lost its result, so nothing is billed. An earlier cancel always wins. */
export type Outcome =
  | {
      state: "done"
      result: string
      /** The result is JSON in the form that was asked for. */
      hasOutput?: boolean
      /** The calls of its caller's tools with which it ends, and the most tokens of the exchange with them. */
      calls?: CallerCall[]
      callsTokens?: number
    }
  | { state: "cancelled"; reason: string; result: string | null }
  | {
      state: "failed"
      code: string
      message: string
      /** The provider's words, as owners may see them. */
      details?: ProviderDetails | undefined
      ours: boolean
      result: string | null
    }

/** A call of a caller's tool, with its place in the turn. */
export interface CallerCall extends Called {
  step: number
  call: number
}

interface Ending {
  /** The step that the turn ended with, if it is not committed yet. */
  step?: FinishedStep | undefined
  /** Events to write before the turn's end. */
  events?: EventDraft[]
  /** True if its agent may have made files. They become outputs if the turn is done; otherwise only images do. */
  files?: boolean
  /** Ends only a turn that was lost this many times and that no worker holds. */
  lostAfter?: number
}

export type Settled = Answers["settled_turn"]

/** The type `turn_end` of settle-turns.sql. */
export interface TurnEnd {
  turn_id: string
  epoch: number
  state: Outcome["state"]
  reason: string | null
  result: string | null
  error_code: string | null
  error_message: string | null
  error_details: ProviderDetails | null
  has_output: boolean
  calls: Called[] | null
  calls_tokens: number | null
  lost: boolean
  step: ReturnType<typeof stepArgument> | null
  events: EventDraft[]
  files: boolean
  lost_after: number | null
  event_id: string
}

/**
 * Ends a running turn (settle-turns.sql). Turns of a runner that end at the same time are settled together. Returns
 * false if the epoch is stale, or the turn was not lost as `lostAfter` requires.
 */
export async function settleTurn(
  ctx: Context & { settling?: Settling },
  { turn_id, epoch }: Pick<TurnRow, "turn_id" | "epoch">,
  outcome: Outcome,
  { step, events = [], files = true, lostAfter }: Ending = {},
): Promise<boolean> {
  const failed = outcome.state === "failed" ? outcome : null
  const { calls, callsTokens } = outcome.state === "done" ? outcome : {}
  const end: TurnEnd = {
    turn_id,
    epoch,
    state: outcome.state,
    reason: outcome.state === "cancelled" ? outcome.reason : null,
    result: outcome.result === null ? null : storable(outcome.result),
    error_code: failed?.code ?? null,
    error_message: failed ? storable(failed.message) : null,
    error_details: failed?.details ?? null,
    has_output: outcome.state === "done" && outcome.hasOutput === true,
    calls: calls?.map(({ id, name, input }) => ({ id, name, input })) ?? null,
    calls_tokens: callsTokens ?? null,
    lost: failed?.ours === true,
    step: step ? stepArgument(step) : null,
    events,
    files,
    lost_after: lostAfter ?? null,
    event_id: newId("event", ctx.clock.now()),
  }
  const { settling } = ctx
  const settle = () => (settling ? settling.add(end) : alone(end, (ends) => settleAll(ctx, ends)))
  // The sweep does not repeat a failed commit: other turns wait for it, and it runs again soon.
  const settled = await (lostAfter === undefined ? repeatCommit(ctx, settle) : settle())
  // A runner looks again itself after it has ended a turn.
  if (settled.next && !settling) await callRunner(ctx)
  return settled.outcome === "settled"
}

/** Settles the turns of one runner together. */
export type Settling = Pick<Gather<TurnEnd, Settled>, "add">

/** `send` settles a group in one statement, which may also look for other turns. */
export const settlingOf = (ctx: Context, send: (ends: TurnEnd[]) => Promise<(Settled | undefined)[]>): Settling =>
  gathered(
    send,
    ({ outcome }) => outcome === "busy",
    (ends) => settleAll(ctx, ends),
  )

export async function settleAll(ctx: Context, ends: TurnEnd[]): Promise<(Settled | undefined)[]> {
  const { settle_turns } = await callOne(ctx.db, "settle_turns", { ends, moment: ctx.clock.now() })
  tellSettled(ctx, settle_turns ?? [])
  return settledInOrder(ends, settle_turns ?? [])
}

/** The database's answers in the order of the ends. */
export function settledInOrder(ends: readonly TurnEnd[], settled: readonly Settled[]): (Settled | undefined)[] {
  const known = new Map(settled.map((one) => [one.turn_id, one]))
  return ends.map(({ turn_id }) => known.get(turn_id))
}

/** Wakes webhooks, posts charges, once for each account, and corrects rates. Call it after the commit. */
export function tellSettled(ctx: Context, settled: readonly Settled[]): void {
  wakeWebhooksOf(
    ctx,
    settled.flatMap(({ user_id, test, has_subscriber }) =>
      user_id === null || test === null ? [] : [{ user_id, test, has_subscriber: has_subscriber === true }],
    ),
  )
  const posting = settled.flatMap(({ user_id, posts }) => (posts && user_id !== null ? [user_id] : []))
  for (const userId of new Set(posting)) postBehind(ctx, userId)
  void ctx.windows.correct(settled.flatMap(({ rated }) => (rated ? corrections(storedRow<EndedRated>(rated)) : [])))
}
