import type { Credential } from "../actor/actor.ts"
import { callFreeing } from "../actor/call-as.ts"
import type { Context } from "../actor/context.ts"
import { TurnpikeError } from "../base/errors.ts"
import { type EndUserPrice, priceNotFound, resaleNeedsScopeAll, serializePrice } from "./price.ts"

export const DELETE_PRICE_ERRORS = ["SCOPE_DENIED", "NOT_FOUND", "PRICE_IN_USE"] as const

/**
 * Deletes a price. Turns that were accepted with one of its versions keep it. Throws SCOPE_DENIED, NOT_FOUND, and
 * PRICE_IN_USE if an end user, a key or the account names it.
 */
export async function deletePrice(
  ctx: Context,
  credential: Credential,
  name: string,
): Promise<EndUserPrice & { deleted: true }> {
  const { row } = await callFreeing(ctx, credential, "delete_price", { name })
  if (row.refused === "scope") throw resaleNeedsScopeAll()
  if (!row.answer) throw priceNotFound(name)
  const price = serializePrice(row.answer)
  if (row.refused === "in_use") {
    const { end_users, keys, account } = price.used_by
    const users = [
      end_users > 0 && counted(end_users, "end user"),
      keys > 0 && counted(keys, "key"),
      account && "the account's default",
    ]
    throw new TurnpikeError("PRICE_IN_USE", `The price "${name}" is used by ${users.filter(Boolean).join(", ")}.`, {
      details: price.used_by,
    })
  }
  return { ...price, deleted: true }
}

const counted = (count: number, name: string) => `${count} ${name}${count === 1 ? "" : "s"}`
