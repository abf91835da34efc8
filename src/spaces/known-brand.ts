import { expressionBuilder } from "kysely"
import type { CallerDB } from "../actor/call-as.ts"
import { TurnpikeError } from "../base/errors.ts"

/** Whether a filter by brand is `all`, or names one that was set up or that a space has. */
export function knownBrand(brand: string) {
  const eb = expressionBuilder<CallerDB, never>()
  if (brand === "all") return eb.lit(true)
  return eb.or([
    eb.exists(eb.selectFrom("brands as b").where("b.brand", "=", brand).select("b.brand")),
    eb.exists(eb.selectFrom("spaces as x").where("x.brand", "=", brand).select("x.brand")),
  ])
}

export function unknownBrand(brand: string): TurnpikeError {
  const message = `is \`all\`, or the name of a brand; there is no brand "${brand}"`
  const fault = { location: "query" as const, path: ["brand"], type: "value_error", message }
  return new TurnpikeError("VALIDATION_FAILED", `brand: ${message}`, { param: "brand", faults: [fault] })
}
