import * as z from "zod"
import { type Credential, seesBalance } from "../actor/actor.ts"
import { callAs } from "../actor/call-as.ts"
import type { Context } from "../actor/context.ts"
import { onLimitSchema } from "../agent-config/manifest.ts"
import { toUsd } from "../base/money.ts"
import { capStateSchema, serializeCapState } from "../quotas/cap-state.ts"
import { type HoldRow, refusedBy, refusedBySchema } from "../quotas/refusal.ts"
import { serializeBalance, shownBalanceSchema } from "../wallets/get-balance.ts"
import { admissionRefusal, askedTurn } from "./admission.ts"
import type { Called } from "./caller-tools.ts"
import type { CreateTurn } from "./schemas.ts"

export const turnEstimateSchema = z
  .object({
    admitted: z.boolean().meta({ description: "True if the turn would be accepted now." }),
    hold_usd: z.number().meta({
      description:
        "The first hold that the turn would get. 0 if it would be refused. With a test key: the rehearsed hold, or 0 without a price, a wallet or a limit of the end user.",
    }),
    needed_usd: z.number().meta({
      description:
        "The smallest hold that the turn needs, in your cost: the most that its first model call can cost. With a test key as `hold_usd`.",
    }),
    end_user_needed_usd: z.number().nullable().meta({
      description:
        "The same as a charge: the amount that the end user's wallet must have available. Null: no wallet pays for the turn.",
      example: null,
    }),
    refused_by: refusedBySchema.nullable().meta({
      description: "The refusal that the turn would get, with code, message and details. Null if it would be accepted.",
    }),
    on_limit: onLimitSchema.meta({
      description:
        "A turn that could not pay for a later model call would do this: `fail`, or `wait` until the limit allows it.",
    }),
    model: z.string().meta({ description: "The model that the turn would run on, as a pin." }),
    balance: shownBalanceSchema,
    caps: z.array(capStateSchema).meta({
      description: "All caps that apply to the turn. A window that is not open is shown as if the turn opened it now.",
    }),
  })
  .meta({ id: "TurnEstimate" })

export type TurnEstimate = z.infer<typeof turnEstimateSchema>

export const ESTIMATE_TURN_ERRORS = ["CALLS_NOT_OPEN", "END_USER_BLOCKED", "NOT_FOUND", "SPACE_ARCHIVED"] as const

/**
 * Returns the hold that a turn would get now, or the limit that would refuse it. Throws NOT_FOUND, VALIDATION_FAILED,
 * SPACE_ARCHIVED, CALLS_NOT_OPEN or END_USER_BLOCKED.
 */
export async function estimateTurn(ctx: Context, credential: Credential, body: CreateTurn): Promise<TurnEstimate> {
  const now = ctx.clock.now()
  const { actor, row } = await callAs(ctx, credential, "estimate_turn", {
    asked: askedTurn(body),
  })
  const hold = row.hold as HoldRow | null
  if (row.refused !== null) {
    throw admissionRefusal(row.refused, body, {
      mostOutput: row.most_output,
      openCalls: (row.open_calls?.calls ?? null) as Called[] | null,
    })
  }
  return {
    admitted: hold === null || hold.amount !== null,
    hold_usd: toUsd(hold?.amount ?? 0),
    needed_usd: toUsd(hold?.needed ?? 0),
    end_user_needed_usd: hold?.credit ? toUsd(hold.credit.needed) : null,
    refused_by: hold && hold.amount === null ? refusedBy(hold, now, actor) : null,
    on_limit: (body.on_limit ?? row.on_limit) === "wait" ? "wait" : "fail",
    model: row.pin ?? "",
    balance: seesBalance(actor) ? serializeBalance({ balance: row.balance ?? 0, held: row.held ?? 0 }) : null,
    caps: (hold?.caps ?? []).map(serializeCapState),
  }
}
