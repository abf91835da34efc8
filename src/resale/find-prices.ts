import type { Credential } from "../actor/actor.ts"
import { callAs } from "../actor/call-as.ts"
import type { Context } from "../actor/context.ts"
import { RESALE_POLICY } from "./policies.ts"
import { type EndUserPrice, priceNotFound, resaleNeedsScopeAll, serializePrice } from "./price.ts"

async function findPrices(ctx: Context, credential: Credential, name: string | null): Promise<EndUserPrice[]> {
  const { row } = await callAs(ctx, credential, "find_prices", {
    name,
    // A list shows the current versions only.
    shown: name === null ? 1 : RESALE_POLICY.shownVersions,
  })
  if (row.refused === "scope") throw resaleNeedsScopeAll()
  return (row.answers ?? []).map(serializePrice)
}

/** The prices of the account by name, each with its current version. Throws SCOPE_DENIED. */
export const listPrices = (ctx: Context, credential: Credential): Promise<EndUserPrice[]> =>
  findPrices(ctx, credential, null)

export const GET_PRICE_ERRORS = ["SCOPE_DENIED", "NOT_FOUND"] as const

/** A price with its versions. Throws SCOPE_DENIED and NOT_FOUND. */
export async function getPrice(ctx: Context, credential: Credential, name: string): Promise<EndUserPrice> {
  const [price] = await findPrices(ctx, credential, name)
  if (!price) throw priceNotFound(name)
  return price
}
