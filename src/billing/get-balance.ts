import { sql } from "kysely"
import * as z from "zod"
import type { Context } from "../context.ts"
import { queryAs } from "../identity/actor.ts"
import type { Credential } from "../identity/credential.ts"
import { toUsd } from "./money.ts"

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
  const { row } = await queryAs<BalanceRow>(ctx, credential, {
    select: sql`select coalesce(w.balance_credit_micros, 0) as balance, coalesce(w.held_credit_micros, 0) as held
      from caller left join wallets w on w.user_id = caller.user_id`,
  })
  return serializeBalance(row)
}
