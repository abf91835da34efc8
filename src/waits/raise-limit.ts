import * as z from "zod"
import type { Credential, SessionCredential } from "../actor/actor.ts"
import { callAs } from "../actor/call-as.ts"
import type { Context } from "../actor/context.ts"
import { TurnpikeError } from "../base/errors.ts"
import { newId } from "../base/ids.ts"
import { fromUsd, toUsd } from "../base/money.ts"
import type { Procedures } from "../platform/procedures.ts"
import { turnFinished } from "../turns/cancel-turn.ts"
import { turnNotFound } from "../turns/get-turn.ts"
import { TURN_WAIT_POLICY } from "../turns/policies.ts"
import { maxCostSchema } from "../turns/schemas.ts"
import { type TurnRow, turnRowOf } from "../turns/turn-row.ts"
import { goOn } from "./go-on.ts"

export const patchTurnSchema = z
  .strictObject({
    max_cost_usd: maxCostSchema.meta({
      description: "The new limit of the turn's cost, in USD. It can only be raised.",
      example: 0.5,
    }),
  })
  .meta({ id: "PatchTurn" })

export const RAISE_LIMIT_ERRORS = ["NOT_FOUND", "TURN_FINISHED"] as const

interface Raise {
  turnId: string
  maxCostUsd: number
}

/**
 * Raises the limit of a turn's own cost. A turn that waits for this limit continues, if the balance and its caps allow
 * it. Throws NOT_FOUND, TURN_FINISHED, or VALIDATION_FAILED for a lower limit or a turn without a limit of its own.
 */
export async function raiseLimit(ctx: Context, credential: Credential, raise: Raise): Promise<TurnRow> {
  const { row } = await callAs(ctx, credential, "raise_limit", argumentsOf(ctx, raise))
  return raisedBy(ctx, row, raise)
}

/** Does the same with a turn of any account, for an admin. */
export async function raiseAnyLimit(
  ctx: Context,
  credential: SessionCredential,
  { reason, ...raise }: Raise & { reason: string },
): Promise<TurnRow> {
  const { row } = await callAs(ctx, credential, "raise_any_limit", { ...argumentsOf(ctx, raise), reason })
  return raisedBy(ctx, row, raise)
}

function argumentsOf({ clock }: Context, { turnId, maxCostUsd }: Raise) {
  const now = clock.now()
  return {
    turn_id: turnId,
    max_cost: fromUsd(maxCostUsd) ?? 0,
    event_id: newId("event", now),
    due: new Date(now.getTime() + TURN_WAIT_POLICY.tryMs),
  }
}

/** Reads the answer to a raise, and starts what must follow it. */
function raisedBy(ctx: Context, row: Omit<Procedures["raise_limit"]["row"], "actor">, { turnId }: Raise): TurnRow {
  const turn = turnRowOf(row)
  if (!turn || row.outcome === "unknown") throw turnNotFound(turnId)
  if (row.outcome === "ended") throw turnFinished(turn)
  if (row.outcome === "lower" || row.outcome === "unlimited") {
    const limit = turn.max_cost_credit_micros
    const message =
      limit === null
        ? "The turn has no max_cost_usd, so it cannot be raised."
        : `The turn's max_cost_usd is ${toUsd(limit)} and can only be raised.`
    throw new TurnpikeError("VALIDATION_FAILED", message, { param: "max_cost_usd" })
  }
  goOn(ctx, row)
  return turn
}
