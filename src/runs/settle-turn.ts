import type { Context } from "../actor/context.ts"
import { newId } from "../base/ids.ts"
import { storable } from "../base/storable.ts"
import { postBehind } from "../billing/post-charges.ts"
import { wakeWebhooks } from "../feed/wake-webhooks.ts"
import { call } from "../platform/db.ts"
import { callRunner } from "../turns/call-runner.ts"
import { type FinishedStep, stepArgument } from "../turns/step-row.ts"
import type { EventDraft } from "../turns/turn-event.ts"
import type { TurnRow } from "../turns/turn-row.ts"
import { repeatCommit } from "./repeat-commit.ts"

/** How a running turn ends. `ours`: its result was lost by us, and nothing of it is billed (settle-turn.sql). A cancel that was asked for before wins over all. */
export type Outcome =
  | { state: "done"; result: string }
  | { state: "cancelled"; reason: string; result: string | null }
  | { state: "failed"; code: string; message: string; ours: boolean; result: string | null }

interface Ending {
  /** The step that the turn ended with, if it is not committed yet. */
  step?: FinishedStep | undefined
  /** What is to stand in the log before the turn's end. */
  events?: EventDraft[]
  /** Whether its agent may have made files: they become outputs when it is done. When it is not, only pictures do (end-files.sql). */
  files?: boolean
  /** Only when it was lost so often, and nobody has its lease. */
  lostAfter?: number
}

/**
 * Ends a running turn, in one statement: its last step (if any), state, events, files, charge, ledger row, bills of its
 * usage records (or, of a web-chat turn, its record in api_turns) and the release of its hold. False when the epoch is stale, or the turn was not lost as `lostAfter` asks.
 */
export async function settleTurn(
  ctx: Context,
  { turn_id, epoch }: Pick<TurnRow, "turn_id" | "epoch">,
  outcome: Outcome,
  { step, events = [], files = true, lostAfter }: Ending = {},
): Promise<boolean> {
  const now = ctx.clock.now()
  const failed = outcome.state === "failed" ? outcome : null
  const args = {
    turn_id,
    epoch,
    state: outcome.state,
    reason: outcome.state === "cancelled" ? outcome.reason : null,
    result: outcome.result === null ? null : storable(outcome.result),
    error_code: failed?.code ?? null,
    error_message: failed ? storable(failed.message) : null,
    lost: failed?.ours === true,
    step: step ? stepArgument(step) : null,
    events,
    files,
    lost_after: lostAfter ?? null,
    event_id: newId("event", now),
    moment: now,
  }
  const settle = () => call(ctx.db, "settle_turn", args)
  // The sweeper, which has others to look at, comes again by itself.
  const [row] = await (lostAfter === undefined ? repeatCommit(ctx, settle) : settle())
  const ended = row?.settle_turn
  if (!ended) return false
  wakeWebhooks(ctx, ended)
  if (ended.posts) postBehind(ctx, ended.user_id)
  // The runner that has ended it looks again itself.
  if (ended.next && lostAfter !== undefined) await callRunner(ctx)
  return true
}
