import * as z from "zod"
import { type Credential, seesBalance } from "../actor/actor.ts"
import { callAs } from "../actor/call-as.ts"
import type { Context } from "../actor/context.ts"
import { toUsd } from "../base/money.ts"
import { capStateSchema, serializeCapState } from "../quotas/cap-state.ts"
import { type HoldRow, refusedBy, refusedBySchema } from "../quotas/refusal.ts"
import { serializeBalance, shownBalanceSchema } from "../wallets/get-balance.ts"
import { admissionRefusal, askedTurn } from "./admission.ts"
import type { CreateTurn } from "./schemas.ts"

export const turnEstimateSchema = z
  .object({
    admitted: z.boolean().meta({ description: "Whether the turn would be accepted now." }),
    hold_usd: z
      .number()
      .meta({ description: "What it would hold at first. 0 when it would be refused, and for a test key." }),
    needed_usd: z.number().meta({
      description: "The least hold that it needs: what its first model call can cost. 0 for a test key.",
    }),
    refused_by: refusedBySchema.nullable().meta({
      description: "The refusal that it would get, with code, message and details. Null when it would be accepted.",
    }),
    model: z.string().meta({ description: "The pin that it would run on." }),
    balance: shownBalanceSchema,
    caps: z.array(capStateSchema).meta({
      description: "Every cap that applies to it. A window that is not open is shown as if the turn opened it now.",
    }),
  })
  .meta({ id: "TurnEstimate" })

export type TurnEstimate = z.infer<typeof turnEstimateSchema>

/**
 * What `acceptTurn` would answer now: the hold that the turn would take, or the limit that would refuse it. Takes nothing and locks
 * nothing. Errors: NOT_FOUND, VALIDATION_FAILED, SPACE_ARCHIVED, END_USER_BLOCKED.
 */
export async function estimateTurn(ctx: Context, credential: Credential, body: CreateTurn): Promise<TurnEstimate> {
  const now = ctx.clock.now()
  const { actor, row } = await callAs(ctx, credential, "estimate_turn", {
    asked: askedTurn(body),
  })
  const hold = row.hold as HoldRow | null
  if (row.refused !== null) throw admissionRefusal(row.refused, body)
  return {
    admitted: hold === null || hold.amount !== null,
    hold_usd: toUsd(hold?.amount ?? 0),
    needed_usd: toUsd(hold?.needed ?? 0),
    refused_by: hold && hold.amount === null ? refusedBy(hold, now, actor) : null,
    model: row.pin ?? "",
    balance: seesBalance(actor) ? serializeBalance({ balance: row.balance ?? 0, held: row.held ?? 0 }) : null,
    caps: (hold?.caps ?? []).map(serializeCapState),
  }
}
