import { sql } from "kysely"
import * as z from "zod"
import { type BalanceRow, balanceSchema, serializeBalance } from "../billing/get-balance.ts"
import { toUsd } from "../billing/money.ts"
import type { Context } from "../context.ts"
import { TurnpikeError } from "../errors.ts"
import { queryAs } from "../identity/actor.ts"
import type { Credential } from "../identity/credential.ts"
import { capStateSchema, serializeCapState } from "../quotas/cap-state.ts"
import { type HoldRow, refusedBy, refusedBySchema } from "../quotas/refusal.ts"
import { type AdmissionRow, admissionColumns, admissionCtes, admissionRefusal, holdCte } from "./admission.ts"
import type { CreateTurn } from "./schemas.ts"

export const turnEstimateSchema = z
  .object({
    admitted: z.boolean().meta({ description: "Whether the turn would be accepted now." }),
    hold_usd: z.number().meta({ description: "What it would hold at first; 0 when it is refused, or a test key's." }),
    needed_usd: z.number().meta({
      description: "The least that it must be able to hold: what its first model call can cost. 0 for a test key.",
    }),
    refused_by: refusedBySchema.nullable().meta({
      description: "The limit that would refuse it, in the words of that refusal; null: none.",
    }),
    model: z.string().meta({ description: "The pin that it would run on." }),
    balance: balanceSchema,
    caps: z.array(capStateSchema).meta({
      description: "Every cap that counts for it, as it would meet them: a window that is not open would open now.",
    }),
  })
  .meta({ id: "TurnEstimate" })

interface EstimateRow extends AdmissionRow, BalanceRow {
  hold: HoldRow | null
}

/**
 * What `acceptTurn` would answer a new turn now: the hold that it would take, or the limit that would refuse it. Takes nothing and
 * locks nothing. Errors: NOT_FOUND, VALIDATION_FAILED, SPACE_ARCHIVED, END_USER_BLOCKED.
 */
export async function estimateTurn(
  ctx: Context,
  credential: Credential,
  body: CreateTurn,
): Promise<z.infer<typeof turnEstimateSchema>> {
  const now = ctx.clock.now()
  const { row } = await queryAs<EstimateRow>(ctx, credential, {
    ctes: sql`${admissionCtes(body, { unless: sql`false` })}, ${holdCte(body, { by: "room_for", now })}`,
    select: sql`select (select to_jsonb(hold) from hold) as hold, coalesce(w.balance_credit_micros, 0) as balance,
      coalesce(w.held_credit_micros, 0) as held, ${admissionColumns(body)}
      from caller left join wallets w on w.user_id = caller.user_id`,
  })
  const refused = admissionRefusal(row, body)
  if (refused) throw refused
  if (!row.pin) throw new TurnpikeError("CONFLICT", "The turn could not be estimated. Try again.")
  return {
    admitted: row.hold === null || row.hold.amount !== null,
    hold_usd: toUsd(row.hold?.amount ?? 0),
    needed_usd: toUsd(row.hold?.needed ?? 0),
    refused_by: row.hold && row.hold.amount === null ? refusedBy(row.hold, now) : null,
    model: row.pin,
    balance: serializeBalance(row),
    caps: (row.hold?.caps ?? []).map(serializeCapState),
  }
}
