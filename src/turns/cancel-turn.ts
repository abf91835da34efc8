import type { Credential, SessionCredential } from "../actor/actor.ts"
import { callAs } from "../actor/call-as.ts"
import type { Context } from "../actor/context.ts"
import { TurnpikeError } from "../base/errors.ts"
import { newId } from "../base/ids.ts"
import { postBehind } from "../billing/post-charges.ts"
import { wakeWebhooks } from "../feed/wake-webhooks.ts"
import type { Procedures } from "../platform/procedures.ts"
import { callRunner } from "./call-runner.ts"
import { getTurn, turnNotFound } from "./get-turn.ts"
import { TURN_POLICY } from "./policies.ts"
import { isTerminal, type TurnRow, turnRowOf } from "./turn-row.ts"

export const CANCEL_TURN_ERRORS = ["NOT_FOUND", "TURN_FINISHED"] as const

/**
 * Cancels a queued turn at once, a running turn at its next boundary. A repeated
 * cancel gets the same answer. Throws TURN_FINISHED or NOT_FOUND.
 */
export async function cancelTurn(ctx: Context, credential: Credential, turnId: string): Promise<TurnRow> {
  const event_id = newId("event", ctx.clock.now())
  const { row } = await callAs(ctx, credential, "cancel_turn", { turn_id: turnId, event_id })
  const turn = cancelledBy(ctx, row, turnId)
  return isTerminal(turn.state) ? turn : untilNoCallStarts(ctx, credential, turn)
}

/** Does the same with a turn of any account, for an admin. It does not wait for the worker of a running turn. */
export async function cancelAnyTurn(
  ctx: Context,
  credential: SessionCredential,
  { turnId, reason }: { turnId: string; reason: string },
): Promise<TurnRow> {
  const args = { turn_id: turnId, event_id: newId("event", ctx.clock.now()), reason }
  const { row } = await callAs(ctx, credential, "cancel_any_turn", args)
  return cancelledBy(ctx, row, turnId)
}

/** Reads the answer to a cancel, and starts what must follow it. */
function cancelledBy(ctx: Context, row: Omit<Procedures["cancel_turn"]["row"], "actor">, turnId: string): TurnRow {
  const { outcome, next } = row
  const turn = turnRowOf(row)
  if (!turn) throw turnNotFound(turnId)
  if (outcome === "ended") {
    if (turn.state === "cancelled") return turn
    throw turnFinished(turn)
  }
  if (row.has_subscriber) wakeWebhooks(ctx, { ...turn, has_subscriber: true })
  if (row.posts) postBehind(ctx, turn.user_id)
  // A running turn without a worker ends when the next runner claims it.
  if (next || (outcome === "asked" && turn.lease_until === null)) ctx.background(callRunner(ctx))
  return turn
}

export const turnFinished = ({ state }: TurnRow) =>
  new TurnpikeError("TURN_FINISHED", `The turn is already ${state}.`, { details: { state } })

/** Pauses in ms between reads of a turn whose calls may be starting. */
const LOOKS = [25, 50, 100]

/** Waits until the worker can start no more tool calls: the turn has ended, or the time to start them is over. */
async function untilNoCallStarts(ctx: Context, credential: Credential, asked: TurnRow): Promise<TurnRow> {
  let turn = asked
  for (let look = 0; ; look++) {
    const until =
      turn.calls_start_until === null ? 0 : new Date(turn.calls_start_until).getTime() + TURN_POLICY.clockSkewMs
    const left = until - ctx.clock.now().getTime()
    if (isTerminal(turn.state) || left <= 0) return turn
    await ctx.clock.sleep(Math.min(left, LOOKS[look] ?? left))
    turn = await getTurn(ctx, credential, turn.turn_id)
  }
}
