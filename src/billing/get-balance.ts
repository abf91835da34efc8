import * as z from "zod"
import type { Credential } from "../actor/actor.ts"
import { callAs } from "../actor/call-as.ts"
import type { Context } from "../actor/context.ts"
import { toUsd } from "../base/money.ts"

export const balanceSchema = z
  .object({
    balance_usd: z.number(),
    held_usd: z.number().meta({ description: "Set aside for turns that are not over." }),
    available_usd: z.number().meta({ description: "balance_usd - held_usd: what new turns may hold." }),
  })
  .meta({ id: "Balance" })

/** Credit micros. */
export interface BalanceRow {
  balance: number
  held: number
}

export function serializeBalance({ balance, held }: BalanceRow): z.infer<typeof balanceSchema> {
  return { balance_usd: toUsd(balance), held_usd: toUsd(held), available_usd: toUsd(balance - held) }
}

/** The balance of the caller's account. */
export async function getBalance(ctx: Context, credential: Credential): Promise<z.infer<typeof balanceSchema>> {
  const { row } = await callAs(ctx, credential, "get_balance", {})
  return serializeBalance({ balance: row.balance ?? 0, held: row.held ?? 0 })
}
