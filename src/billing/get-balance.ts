import { sql } from "kysely"
import type { Context } from "../context.ts"
import { type Actor, queryAs } from "../identity/actor.ts"
import type { Credential } from "../identity/credential.ts"
import { toUsd } from "./money.ts"

export interface Balance {
  balance_usd: number
  held_usd: number
  available_usd: number
}

/** The balance of the caller's account, and who asks. */
export async function getBalance(
  ctx: Context,
  credential: Credential,
): Promise<{ actor: Actor; spaceSlug: string | null; balance: Balance }> {
  const { actor, row } = await queryAs<{ balance: number; held: number; slug: string | null }>(ctx, credential, {
    select: sql`select coalesce(w.balance_credit_micros, 0) as balance, coalesce(w.held_credit_micros, 0) as held, s.slug
      from caller left join wallets w on w.user_id = caller.user_id left join spaces s on s.space_id = caller.space_id`,
  })
  const balance = {
    balance_usd: toUsd(row.balance),
    held_usd: toUsd(row.held),
    available_usd: toUsd(row.balance - row.held),
  }
  return { actor, spaceSlug: row.slug, balance }
}
