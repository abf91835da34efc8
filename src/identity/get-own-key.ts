import { sql } from "kysely"
import * as z from "zod"
import { type BalanceRow, balanceSchema, serializeBalance } from "../billing/get-balance.ts"
import type { Context } from "../context.ts"
import { type CapRow, capStateSchema, keyCaps, serializeCapState } from "../quotas/cap-state.ts"
import { keyOf, queryAs } from "./actor.ts"
import type { Credential } from "./credential.ts"
import { type KeyRow, keyJson, keySchema, serializeKey } from "./key-row.ts"

const ownKeySchema = keySchema.pick({
  key_id: true,
  name: true,
  scope: true,
  space: true,
  test: true,
  caps: true,
  created_at: true,
  expires_at: true,
})

export const ownKeyAnswerSchema = z
  .object({
    key: ownKeySchema,
    caps: z.array(capStateSchema).meta({
      description:
        "The caps of the key itself that are set, `key_daily` and `key_window`, with what is spent, reserved and left now. What " +
        "binds one of your customers is at the end user. A test key's turns have no caps: empty.",
    }),
    balance: balanceSchema,
  })
  .meta({ id: "Me" })

/** The key that asks, what its caps have left, and the balance of its account. */
export async function getOwnKey(ctx: Context, credential: Credential): Promise<z.infer<typeof ownKeyAnswerSchema>> {
  const { actor, row } = await queryAs<BalanceRow & { key: KeyRow; caps: CapRow[] }>(ctx, credential, {
    select: sql`select ${keyJson} as key, ${keyCaps("k", ctx.clock.now())} as caps,
      coalesce(w.balance_credit_micros, 0) as balance, coalesce(w.held_credit_micros, 0) as held
      from caller join api_keys k on k.key_id = caller.key_id left join wallets w on w.user_id = caller.user_id`,
  })
  const { key_id, name, scope, test } = keyOf(actor)
  const { space, caps, created_at, expires_at } = serializeKey(row.key)
  return {
    key: { key_id, name, scope, space, test, caps, created_at, expires_at },
    caps: row.caps.map(serializeCapState),
    balance: serializeBalance(row),
  }
}
