import type { Credential } from "../actor/actor.ts"
import { callFreeing } from "../actor/call-as.ts"
import type { Context } from "../actor/context.ts"
import { TurnpikeError } from "../base/errors.ts"
import { fromUsd } from "../base/money.ts"
import { RESALE_POLICY } from "./policies.ts"
import { type EndUserPrice, type PutPrice, resaleNeedsScopeAll, serializePrice } from "./price.ts"

const wrongBegin = (fault: string) =>
  new TurnpikeError("VALIDATION_FAILED", `begins_at: ${fault}`, { param: "begins_at" })

const millionths = (multiplier: number) => Math.round(multiplier * RESALE_POLICY.millionths)

export const PUT_PRICE_ERRORS = ["SCOPE_DENIED", "LIMIT_REACHED"] as const

/**
 * Sets a price, now or from a moment on: a new version, unless it has these values already. Throws SCOPE_DENIED,
 * VALIDATION_FAILED for an unknown model or a wrong moment, and LIMIT_REACHED.
 */
export async function putPrice(
  ctx: Context,
  credential: Credential,
  name: string,
  price: PutPrice,
): Promise<EndUserPrice> {
  const perModel = Object.entries(price.per_model).map(([pin, multiplier]) => [pin, millionths(multiplier)])
  const { row } = await callFreeing(ctx, credential, "put_price", {
    name,
    price: {
      multiplier_millionths: millionths(price.multiplier),
      per_model: Object.fromEntries(perModel) as Record<string, number>,
      per_turn_credit_micros: fromUsd(price.per_turn_usd) ?? 0,
      round_to_credit_micros: fromUsd(price.rounding.to_usd) ?? 1,
      round_mode: price.rounding.mode,
      begins_at: price.begins_at,
    },
    most: RESALE_POLICY.maxPrices,
    most_versions: RESALE_POLICY.maxVersions,
    shown: RESALE_POLICY.shownVersions,
  })
  if (row.refused === "scope") throw resaleNeedsScopeAll()
  if (row.refused === "model") {
    throw new TurnpikeError("VALIDATION_FAILED", `per_model: there is no model "${row.unknown}".`, {
      param: "per_model",
    })
  }
  if (row.refused === "no_price") throw wrongBegin(`there is no price "${name}" yet: set it without begins_at first.`)
  if (row.refused === "past") throw wrongBegin("must be in the future.")
  if (row.refused === "too_many") {
    throw new TurnpikeError("LIMIT_REACHED", `An account has at most ${RESALE_POLICY.maxPrices} prices.`)
  }
  if (!row.answer) {
    throw new TurnpikeError(
      "LIMIT_REACHED",
      `A price has at most ${RESALE_POLICY.maxVersions} versions. Use another name.`,
    )
  }
  return serializePrice(row.answer)
}
