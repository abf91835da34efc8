import * as z from "zod"
import { type Credential, keyOf, seesBalance } from "../actor/actor.ts"
import { callAs } from "../actor/call-as.ts"
import type { Context } from "../actor/context.ts"
import { type CountState, countStateSchema } from "../base/counted.ts"
import type { Procedures } from "../platform/procedures.ts"
import { capStateSchema, serializeCapState } from "../quotas/cap-state.ts"
import { rateStateSchema, rateStates } from "../quotas/rate.ts"
import { serializeBalance, shownBalanceSchema } from "../wallets/get-balance.ts"
import { keySchema, serializeKey } from "./key-row.ts"

const ownKeySchema = keySchema.pick({
  key_id: true,
  name: true,
  scope: true,
  space: true,
  test: true,
  caps: true,
  default_end_user_ref: true,
  rate: true,
  end_user_rate: true,
  created_at: true,
  expires_at: true,
})

export const ownKeyAnswerSchema = z
  .object({
    key: ownKeySchema,
    caps: z.array(capStateSchema).meta({
      description:
        "The caps of the key itself, `key_daily`, `key_monthly` and `key_window`, and `account_daily` of the account's plan, with the amounts " +
        "spent, reserved and left. For the caps of one customer, read the end user. Empty for a test key, whose " +
        "turns have no caps.",
    }),
    rates: z.array(rateStateSchema).meta({
      description: "The limits of the key's rate, with their use. For the rate of one customer, read the end user.",
    }),
    limits: z.array(countStateSchema).meta({
      description: "The account's limits on counts and sizes, and their usage, for live and test data together.",
    }),
    balance: shownBalanceSchema,
  })
  .meta({ id: "Me" })

type OwnKeyRow = {
  [Column in Exclude<keyof Procedures["get_own_key"]["row"], "actor">]: NonNullable<
    Procedures["get_own_key"]["row"][Column]
  >
}

/** The caller's key, the state of its caps, and the balance of its account. */
export async function getOwnKey(ctx: Context, credential: Credential): Promise<z.infer<typeof ownKeyAnswerSchema>> {
  const { actor, row } = await callAs<"get_own_key", OwnKeyRow>(ctx, credential, "get_own_key", {})
  const { key_id, name, scope, test } = keyOf(actor)
  const { space, caps, default_end_user_ref, rate, end_user_rate, created_at, expires_at } = serializeKey(row.key)
  const [rates = []] = await rateStates(ctx, [{ ...row.rated, endUser: "" }])
  return {
    key: { key_id, name, scope, space, test, caps, default_end_user_ref, rate, end_user_rate, created_at, expires_at },
    caps: row.caps.map(serializeCapState),
    rates,
    limits: row.limits as CountState[],
    balance: seesBalance(actor) ? serializeBalance(row) : null,
  }
}
