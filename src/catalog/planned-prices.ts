import { expressionBuilder } from "kysely"
import { jsonObjectFrom } from "kysely/helpers/postgres"
import * as z from "zod"
import { storedRow } from "../base/casts.ts"
import { toInstant } from "../base/time.ts"
import type { DB } from "../platform/db-types.ts"
import { serializeList, serializeSources, shownListFields, shownSourceFields } from "./source-schemas.ts"

/** The prices of a model until its planned ones begin, as `former`: null if its prices count already. */
export function pricesBefore(now: Date) {
  const eb = expressionBuilder<DB & { c: DB["model_catalog"] }, "c">()
  const former = eb
    .selectFrom("former_prices as f")
    .selectAll("f")
    .whereRef("f.pin", "=", "c.pin")
    .where("c.prices_from", ">", now)
    .where(({ eb: of, ref }) => of("f.price_version", "=", of(ref("c.price_version"), "-", 1)))
  return jsonObjectFrom(former)
}

interface Planned {
  former: unknown
  prices_from: string | null
}

/** A row of the catalog with the prices that count now. Its own prices can be planned ones. */
export const currentRow = <Row extends Pick<Planned, "former">>(row: Row): Row => ({
  ...row,
  ...storedRow<Partial<Row> | null>(row.former),
})

export const plannedPricesSchema = z
  .object({ begins_at: z.iso.datetime(), ...shownListFields, ...shownSourceFields })
  .nullable()
  .meta({
    id: "PlannedModelPrices",
    description: "Prices of turns that are accepted from `begins_at` on; null: no prices are planned.",
  })

type PricedRow = Planned & Parameters<typeof serializeList>[0] & Parameters<typeof serializeSources>[0]

export function serializePlanned(row: PricedRow): z.infer<typeof plannedPricesSchema> {
  if (row.former === null || row.prices_from === null) return null
  return { begins_at: toInstant(row.prices_from), ...serializeList(row), ...serializeSources(row) }
}
