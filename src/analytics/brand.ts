import { type Expression, expressionBuilder, type QueryCreator } from "kysely"
import type { SessionCredential } from "../actor/actor.ts"
import { type CallerDB, readAs } from "../actor/call-as.ts"
import type { Context } from "../actor/context.ts"
import type { Range, RangeAsked } from "../base/report-range.ts"
import { knownBrand, unknownBrand } from "../spaces/known-brand.ts"

/** A request for a report on the accounts of a brand, or of `all`, which is the default. */
export interface ReportAsked extends RangeAsked {
  brand?: string | undefined
}

/** The range of a report, and the first brand of its accounts. Null: all brands. */
export interface Scope extends Range {
  brand: string | null
}

/** The brand of a report. ADMIN_REQUIRED. Throws VALIDATION_FAILED for an unknown brand. */
export async function reportedBrand(
  ctx: Context,
  credential: SessionCredential,
  { brand = "all" }: Pick<ReportAsked, "brand">,
): Promise<Scope["brand"]> {
  if (brand === "all") return null
  if (brand === ctx.brand) return brand
  const known = (db: QueryCreator<CallerDB>) => db.selectFrom("caller").select(knownBrand(brand).as("known"))
  const { rows } = await readAs(ctx, credential, known, { role: "admin" })
  if (!rows[0]?.known) throw unknownBrand(brand)
  return brand
}

/** True if an account counts in a report on a brand: it was created under this brand. */
export function isOfBrand(account: Expression<number>, brand: Scope["brand"]) {
  const eb = expressionBuilder<CallerDB, never>()
  if (brand === null) return eb.lit(true)
  const own = eb.selectFrom("account_brands as o").where("o.user_id", "=", account).where("o.brand", "=", brand)
  return eb.exists(own.select("o.user_id"))
}
