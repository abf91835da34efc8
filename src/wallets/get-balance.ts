import * as z from "zod"
import { type Credential, seesBalance } from "../actor/actor.ts"
import { callAs } from "../actor/call-as.ts"
import type { Context } from "../actor/context.ts"
import { TurnpikeError } from "../base/errors.ts"
import { toUsd } from "../base/money.ts"

export const balanceSchema = z
  .object({
    balance_usd: z.number().meta({ description: "The account's balance, including held amounts, in USD." }),
    held_usd: z.number().meta({ description: "The amount that is set aside for open turns, in USD." }),
    available_usd: z
      .number()
      .meta({ description: "The amount that new turns can hold, in USD: `balance_usd` - `held_usd`." }),
  })
  .meta({ id: "Balance" })

/** The balance as a part of another answer; null for a key that may not see it. */
export const shownBalanceSchema = balanceSchema.nullable().meta({
  description: "The account's balance. Null for a test key, and for a key to one space.",
})

/** Amounts in credit micros. */
export interface BalanceRow {
  balance: number
  held: number
}

export function serializeBalance({ balance, held }: BalanceRow): z.infer<typeof balanceSchema> {
  return { balance_usd: toUsd(balance), held_usd: toUsd(held), available_usd: toUsd(balance - held) }
}

/** Reads the balance of the caller's account. Throws SCOPE_DENIED for a key that may not see it. */
export async function getBalance(ctx: Context, credential: Credential): Promise<z.infer<typeof balanceSchema>> {
  const { actor, row } = await callAs(ctx, credential, "get_balance", {})
  if (!seesBalance(actor)) {
    throw new TurnpikeError(
      "SCOPE_DENIED",
      "A test key and a key to one space cannot read the account's balance. Use another key.",
    )
  }
  return serializeBalance({ balance: row.balance ?? 0, held: row.held ?? 0 })
}
