import * as z from "zod"
import type { Credential } from "../actor/actor.ts"
import { callFreeing } from "../actor/call-as.ts"
import type { Context } from "../actor/context.ts"
import { countReached } from "../base/counted.ts"
import { TurnpikeError } from "../base/errors.ts"
import { fromUsd, toUsd, usdAmount } from "../base/money.ts"
import { type EndUserBalance, serializeEndUserBalance } from "./end-user-balance.ts"
import { RESALE_POLICY } from "./policies.ts"
import { priceNameParam, resaleNeedsScopeAll } from "./price.ts"

export const putEndUserBillingSchema = z
  .strictObject({
    price: priceNameParam
      .nullable()
      .optional()
      .meta({ description: "The price of the end user's turns. Null: the default.", example: "standard" }),
    prepaid: z.boolean().nullable().optional().meta({
      description: "True: turns are paid from the end user's wallet. False: they are not. Null: the default.",
      example: false,
    }),
    low_balance_usd: usdAmount.optional().meta({
      description: `The event \`end_user.balance_low\` is sent below this amount. 0: never. At first ${toUsd(RESALE_POLICY.lowBalance)}.`,
    }),
  })
  .meta({
    id: "PutEndUserBilling",
    description: "Settings that are left out stay as they are. They apply from the next turn on.",
  })

export const PUT_END_USER_BILLING_ERRORS = ["SCOPE_DENIED", "LIMIT_REACHED"] as const

/** Changes how turns of an end user are charged. Throws SCOPE_DENIED, VALIDATION_FAILED and LIMIT_REACHED. */
export async function putEndUserBilling(
  ctx: Context,
  credential: Credential,
  ref: string,
  { price, prepaid, low_balance_usd }: z.infer<typeof putEndUserBillingSchema>,
): Promise<EndUserBalance> {
  const args = {
    ref,
    price: price ?? null,
    keeps_price: price === undefined,
    prepaid: prepaid ?? null,
    keeps_prepaid: prepaid === undefined,
    low: low_balance_usd === undefined ? null : fromUsd(low_balance_usd),
  }
  const { row } = await callFreeing(ctx, credential, "put_end_user_billing", args)
  if (row.refused === "price") throw unknownPrice(price ?? null)
  if (row.reached) throw countReached(row.reached)
  if (!row.balance) throw resaleNeedsScopeAll()
  return serializeEndUserBalance(row.balance)
}

export const unknownPrice = (name: string | null) =>
  new TurnpikeError("VALIDATION_FAILED", `price: there is no price "${name}".`, { param: "price" })
