import * as z from "zod"
import type { Credential } from "../actor/actor.ts"
import { callAs, callFreeing } from "../actor/call-as.ts"
import type { Context } from "../actor/context.ts"
import { TurnpikeError } from "../base/errors.ts"
import { unknownPrice } from "./end-user-billing.ts"
import { priceNameParam, resaleNeedsScopeAll } from "./price.ts"

const fields = {
  key_id: z
    .string()
    .nullable()
    .meta({ description: "A key of the same mode, live or test. Null: the whole account.", example: null }),
  price: z
    .string()
    .nullable()
    .meta({ description: "The price of end users without one. Null: none.", example: "standard" }),
  prepaid: z.boolean().nullable().meta({
    description: "Whether the turns of end users without such a setting are paid from their wallets. Null: not set.",
    example: false,
  }),
}

export const endUserDefaultSchema = z
  .object({ ...fields, name: z.string().nullable().meta({ description: "The key's name.", example: null }) })
  .meta({ id: "EndUserDefault" })

export const putEndUserDefaultsSchema = z
  .strictObject({
    key_id: z
      .string()
      .min(1)
      .max(128)
      .nullable()
      .default(null)
      .meta({ description: fields.key_id.description, example: null }),
    price: priceNameParam.nullable().default(null).meta({ description: fields.price.description, example: "standard" }),
    prepaid: z.boolean().nullable().default(null).meta({ description: fields.prepaid.description, example: false }),
  })
  .meta({ id: "PutEndUserDefaults", description: "Replaces the defaults of the account, or of one key." })

export type EndUserDefault = z.infer<typeof endUserDefaultSchema>

/** The defaults of the account, and of the keys that have some, of live or of test turns. Throws SCOPE_DENIED. */
export async function getEndUserDefaults(ctx: Context, credential: Credential): Promise<EndUserDefault[]> {
  const { row } = await callAs(ctx, credential, "get_end_user_defaults", {})
  if (!row.defaults) throw resaleNeedsScopeAll()
  return row.defaults
}

export const PUT_END_USER_DEFAULTS_ERRORS = ["SCOPE_DENIED", "NOT_FOUND"] as const

/** Replaces the defaults of the account or of a key. Throws SCOPE_DENIED, NOT_FOUND and VALIDATION_FAILED. */
export async function putEndUserDefaults(
  ctx: Context,
  credential: Credential,
  defaults: z.infer<typeof putEndUserDefaultsSchema>,
): Promise<EndUserDefault[]> {
  const { row } = await callFreeing(ctx, credential, "put_end_user_defaults", defaults)
  if (row.refused === "price") throw unknownPrice(defaults.price)
  if (row.refused === "key") throw new TurnpikeError("NOT_FOUND", "There is no such key.", { param: "key_id" })
  if (!row.defaults) throw resaleNeedsScopeAll()
  return row.defaults
}
