import * as z from "zod"
import type { Credential } from "../actor/actor.ts"
import { callOnce } from "../actor/call-as.ts"
import type { Context } from "../actor/context.ts"
import type { Made, Once } from "../actor/once.ts"
import { countReached } from "../base/counted.ts"
import { TurnpikeError } from "../base/errors.ts"
import { fromUsd, notZero, toUsd, usdIn, usdText } from "../base/money.ts"
import { isPlainNote, PLAIN_FAULT } from "../base/plain-text.ts"
import { wakeWebhooks } from "../feed/wake-webhooks.ts"
import type { EndUserEntryRow } from "./end-user-ledger.ts"
import { RESALE_POLICY } from "./policies.ts"
import { resaleNeedsScopeAll } from "./price.ts"

const maxUsd = toUsd(RESALE_POLICY.maxCredit)

export const creditEndUserSchema = z
  .strictObject({
    amount_usd: usdIn(z.number().min(-maxUsd).max(maxUsd), notZero).meta({
      description: "The credit in USD. A negative amount is a correction, up to the available credit.",
      example: 5,
    }),
    note: z
      .string()
      .trim()
      .min(1)
      .max(RESALE_POLICY.noteCharacters)
      .refine(isPlainNote, PLAIN_FAULT)
      .nullable()
      .default(null)
      .meta({
        description: "Your note, such as the number of an order. The portal does not show it.",
        example: "Order 1042",
      }),
  })
  .meta({ id: "CreditEndUser" })

export const CREDIT_END_USER_ERRORS = ["SCOPE_DENIED", "BALANCE_TOO_LOW", "LIMIT_REACHED"] as const

/**
 * Adds credit to an end user's wallet, or takes it back, once per Idempotency-Key. Throws SCOPE_DENIED,
 * BALANCE_TOO_LOW, LIMIT_REACHED and IDEMPOTENCY_KEY_REUSED.
 */
export async function creditEndUser(
  ctx: Context,
  credential: Credential,
  { ref, amount_usd, note }: z.infer<typeof creditEndUserSchema> & { ref: string },
  once: Once,
): Promise<Made<EndUserEntryRow>> {
  const amount = fromUsd(amount_usd)
  const { actor, row, replayOf } = await callOnce(ctx, credential, "credit_end_user", {
    once,
    args: { ref, amount, note },
  })
  if (row.refused === "scope") throw resaleNeedsScopeAll()
  if (row.reached) throw countReached(row.reached)
  if (row.refused === "too_low") {
    const available = row.available ?? 0
    throw new TurnpikeError(
      "BALANCE_TOO_LOW",
      `Only ${usdText(available)} USD of this end user's credit are available.`,
      {
        param: "amount_usd",
        details: { available_usd: toUsd(available) },
      },
    )
  }
  if (!row.entry) throw new TurnpikeError("LIMIT_REACHED", "This end user's balance would be too large.")
  await ctx.refusals.free(actor.user_id)
  if (row.has_subscriber) wakeWebhooks(ctx, { ...actor, has_subscriber: true })
  return { made: row.entry as EndUserEntryRow, replayed: replayOf !== null }
}
