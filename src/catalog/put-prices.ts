import * as z from "zod"
import type { SessionCredential } from "../actor/actor.ts"
import type { Context } from "../actor/context.ts"
import { editAs } from "../actor/edit-as.ts"
import { instantParam } from "../base/time.ts"
import { MODEL_REFUSALS, serializeCatalogRow } from "./admin-models.ts"
import { modelPricesSchema, type Prices, versionOfRequest } from "./source-schemas.ts"

export const PUT_MODEL_PRICES_ERRORS = ["NOT_FOUND", "CONFLICT"] as const

export const planModelPricesSchema = z
  .strictObject({
    begins_at: instantParam.meta({
      description: "The moment in the future from which new turns have these prices.",
      example: "2027-01-01T00:00:00Z",
    }),
    prices: modelPricesSchema,
  })
  .meta({ id: "ModelPricesPlan" })

/**
 * Sets a model's prices for turns that are accepted from a moment on; null: from now on. Throws NOT_FOUND, and CONFLICT
 * for prices of another kind, a moment in the past, and a model with planned prices.
 */
export function putModelPrices(
  ctx: Context,
  credential: SessionCredential,
  { pin, prices, from, ifVersion }: { pin: string; prices: Prices; from: string | null; ifVersion: number | null },
) {
  const args = {
    pin,
    prices: versionOfRequest(prices),
    from: from === null ? null : new Date(from),
    if_version: ifVersion,
  }
  return editAs(ctx, credential, "put_model_prices", { args, refusals: MODEL_REFUSALS, serialize: serializeCatalogRow })
}

/** Drops a model's planned prices. Throws NOT_FOUND, and CONFLICT if none are planned. */
export function cancelPlannedPrices(
  ctx: Context,
  credential: SessionCredential,
  { pin, ifVersion }: { pin: string; ifVersion: number | null },
) {
  const args = { pin, if_version: ifVersion }
  return editAs(ctx, credential, "cancel_planned_prices", {
    args,
    refusals: MODEL_REFUSALS,
    serialize: serializeCatalogRow,
  })
}
