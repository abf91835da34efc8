import type { Credential } from "../actor/actor.ts"
import type { Context } from "../actor/context.ts"
import { TurnpikeError } from "../base/errors.ts"
import { type SentTurn, waitForSent } from "../turns/send-turn.ts"
import { isTerminal, isWaiting, type TurnRow } from "../turns/turn-row.ts"
import { DIALECT_POLICY } from "./policies.ts"
import { turnWaiting } from "./turn-waiting.ts"

export const AWAIT_END_ERRORS = ["NOT_FOUND", "QUOTA_EXCEEDED", "TURN_WAITING"] as const

/**
 * The turn of a request that answers with its reply, when it has ended. Throws TURN_WAITING if it waits, and
 * UNAVAILABLE if it takes too long.
 */
export async function awaitEnd(
  ctx: Context,
  credential: Credential,
  sent: SentTurn,
  signal: AbortSignal,
): Promise<TurnRow> {
  const until = ctx.clock.now().getTime() + DIALECT_POLICY.waitSeconds * 1000
  const ended = await waitForSent(ctx, credential, sent, { until, signal })
  if (isWaiting(ended)) throw turnWaiting(ended)
  if (isTerminal(ended.state)) return ended
  throw new TurnpikeError("UNAVAILABLE", `The turn ${ended.turn_id} has not ended yet. Read it with GET /v1/turns.`)
}

/** Why a turn has no reply; null for any other turn. */
export function errorOf(row: TurnRow): { code: string; message: string } | null {
  if (row.state === "failed") return { code: row.error_code ?? "server_error", message: row.error_message ?? "" }
  if (row.state !== "cancelled") return null
  return { code: "cancelled", message: `The turn was cancelled (${row.status_reason}).` }
}

/** Throws TURN_FAILED for a turn that failed or was cancelled. */
export function requireReply(row: TurnRow): void {
  const error = errorOf(row)
  if (!error) return
  throw new TurnpikeError("TURN_FAILED", `${error.code}: ${error.message}`, {
    details: { turn_id: row.turn_id, state: row.state, reason: error.code },
  })
}
