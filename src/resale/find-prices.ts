import type { Credential } from "../actor/actor.ts"
import { callAs } from "../actor/call-as.ts"
import type { Context } from "../actor/context.ts"
import { RESALE_POLICY } from "./policies.ts"
import { type EndUserPrice, priceNotFound, resaleNeedsScopeAll, serializePrice } from "./price.ts"

async function findPrices(
  ctx: Context,
  credential: Credential,
  { name, version }: { name: string | null; version: number | null },
): Promise<EndUserPrice[]> {
  const { row } = await callAs(ctx, credential, "find_prices", {
    name,
    version,
    // A list shows the current versions only.
    shown: name === null ? 1 : RESALE_POLICY.shownVersions,
  })
  if (row.refused === "scope") throw resaleNeedsScopeAll()
  return (row.answers ?? []).map(serializePrice)
}

/** The prices of the account by name, each with its current version. Throws SCOPE_DENIED. */
export const listPrices = (ctx: Context, credential: Credential): Promise<EndUserPrice[]> =>
  findPrices(ctx, credential, { name: null, version: null })

export const GET_PRICE_ERRORS = ["SCOPE_DENIED", "NOT_FOUND"] as const

/**
 * A price with its newest versions, or with one of them. A deleted price is read as long as turns may have it. Throws
 * SCOPE_DENIED and NOT_FOUND.
 */
export async function getPrice(
  ctx: Context,
  credential: Credential,
  { name, version }: { name: string; version: number | null },
): Promise<EndUserPrice> {
  const [price] = await findPrices(ctx, credential, { name, version })
  if (!price || (version !== null && price.versions.length === 0)) throw priceNotFound(name)
  return price
}
