import { expressionBuilder } from "kysely"
import type { CallerDB } from "../actor/call-as.ts"
import { TurnpikeError } from "../base/errors.ts"

/** True if a brand filter is `all`, or the name of a configured brand or of a space's brand. */
export function knownBrand(brand: string) {
  const eb = expressionBuilder<CallerDB, never>()
  if (brand === "all") return eb.lit(true)
  return eb.or([
    eb.exists(eb.selectFrom("brands as b").where("b.brand", "=", brand).select("b.brand")),
    eb.exists(eb.selectFrom("spaces as x").where("x.brand", "=", brand).select("x.brand")),
  ])
}

export function unknownBrand(brand: string): TurnpikeError {
  const message = `must be \`all\` or the name of a brand; there is no brand "${brand}"`
  const fault = { location: "query" as const, path: ["brand"], type: "value_error", message }
  return new TurnpikeError("VALIDATION_FAILED", `brand: ${message}`, { param: "brand", faults: [fault] })
}
