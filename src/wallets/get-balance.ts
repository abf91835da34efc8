import * as z from "zod"
import { type Credential, seesBalance } from "../actor/actor.ts"
import { callAs } from "../actor/call-as.ts"
import type { Context } from "../actor/context.ts"
import { TurnpikeError } from "../base/errors.ts"
import { toUsd } from "../base/money.ts"

export const balanceSchema = z
  .object({
    balance_usd: z.number(),
    held_usd: z.number().meta({ description: "Set aside for turns that are not over." }),
    available_usd: z.number().meta({ description: "balance_usd - held_usd: what new turns may hold." }),
  })
  .meta({ id: "Balance" })

/** The balance beside something else: null for a key that does not see it. */
export const shownBalanceSchema = balanceSchema.nullable().meta({
  description: "Null for a test key, and for a key to one space.",
})

/** Credit micros. */
export interface BalanceRow {
  balance: number
  held: number
}

export function serializeBalance({ balance, held }: BalanceRow): z.infer<typeof balanceSchema> {
  return { balance_usd: toUsd(balance), held_usd: toUsd(held), available_usd: toUsd(balance - held) }
}

/** The balance of the caller's account. SCOPE_DENIED for a key that does not see it. */
export async function getBalance(ctx: Context, credential: Credential): Promise<z.infer<typeof balanceSchema>> {
  const { actor, row } = await callAs(ctx, credential, "get_balance", {})
  if (!seesBalance(actor)) {
    throw new TurnpikeError("SCOPE_DENIED", "A test key and a key to one space do not see the account's balance.")
  }
  return serializeBalance({ balance: row.balance ?? 0, held: row.held ?? 0 })
}
