import { sql } from "kysely"
import * as z from "zod"
import { type BalanceRow, balanceSchema, serializeBalance } from "../billing/get-balance.ts"
import type { Context } from "../context.ts"
import { toInstant } from "../time.ts"
import { queryAs } from "./actor.ts"
import type { SessionCredential } from "./credential.ts"
import { serializeUser, type UserRow, userJson, userSchema } from "./user-row.ts"

export const meSchema = z
  .object({
    user: userSchema,
    session: z.object({ created_at: z.iso.datetime(), expires_at: z.iso.datetime() }),
    balance: balanceSchema,
  })
  .meta({ id: "AccountMe" })

/** The signed-in user, their session and their balance. */
export async function getMe(ctx: Context, credential: SessionCredential): Promise<z.infer<typeof meSchema>> {
  const { actor, row } = await queryAs<{ user: UserRow } & BalanceRow>(ctx, credential, {
    select: sql`select ${userJson} as user,
      coalesce(w.balance_credit_micros, 0) as balance, coalesce(w.held_credit_micros, 0) as held
      from caller join users u on u.user_id = caller.user_id left join wallets w on w.user_id = u.user_id`,
  })
  return {
    user: serializeUser(row.user),
    session: { created_at: toInstant(actor.created_at), expires_at: toInstant(actor.expires_at ?? actor.created_at) },
    balance: serializeBalance(row),
  }
}
