import * as z from "zod"
import type { Credential } from "../actor/actor.ts"
import { callAs } from "../actor/call-as.ts"
import type { Context } from "../actor/context.ts"
import { toUsd } from "../base/money.ts"
import type { Answers } from "../platform/procedures.ts"
import { RESALE_POLICY } from "./policies.ts"
import { resaleNeedsScopeAll } from "./price.ts"

const SOURCES = ["end_user", "key", "account", "none"] as const
type Source = (typeof SOURCES)[number]

export const endUserBalanceSchema = z
  .object({
    end_user_ref: z.string(),
    balance_usd: z
      .number()
      .meta({ description: "The credit of the end user, including held amounts, in USD.", example: 4.5 }),
    held_usd: z
      .number()
      .meta({ description: "The amount that is held for the end user's open turns, in USD.", example: 0.5 }),
    available_usd: z
      .number()
      .meta({ description: "The amount that new turns can hold, in USD: `balance_usd` - `held_usd`.", example: 4 }),
    low_balance_usd: z.number().meta({
      description: "The event `end_user.balance_low` is sent when the balance falls below this amount. 0: never.",
      example: 1,
    }),
    prepaid: z.boolean().meta({
      description:
        "True if new turns are paid from this wallet. Then a turn that the wallet cannot pay for is rejected with 402 " +
        "`END_USER_CREDIT_SPENT`.",
    }),
    prepaid_source: z.enum(SOURCES).meta({
      description: "Where `prepaid` is set: for this end user, on the calling key, for the account, or nowhere.",
      example: "end_user",
    }),
    price: z.string().nullable().meta({
      description: "The price of new turns. Null: the charge is the billed amount.",
      example: "standard",
    }),
    price_source: z.enum(SOURCES).meta({ example: "account" }),
  })
  .meta({ id: "EndUserBalance" })

export type EndUserBalance = z.infer<typeof endUserBalanceSchema>

export function serializeEndUserBalance(row: Answers["end_user_balance"]): EndUserBalance {
  return {
    end_user_ref: row.end_user_ref,
    balance_usd: toUsd(row.balance),
    held_usd: toUsd(row.held),
    available_usd: toUsd(row.available),
    low_balance_usd: toUsd(row.low_balance ?? RESALE_POLICY.lowBalance),
    prepaid: row.prepaid,
    prepaid_source: row.prepaid_source as Source,
    price: row.price,
    price_source: row.price_source as Source,
  }
}

/** The wallet of an end user; 0 for an end user without one. Throws SCOPE_DENIED. */
export async function getEndUserBalance(ctx: Context, credential: Credential, ref: string): Promise<EndUserBalance> {
  const { row } = await callAs(ctx, credential, "get_end_user_balance", { ref })
  if (!row.balance) throw resaleNeedsScopeAll()
  return serializeEndUserBalance(row.balance)
}
