import { type Expression, type QueryCreator, type SelectQueryBuilder, sql } from "kysely"
import type { CallerDB } from "../actor/call-as.ts"
import type { SumsRow } from "./usage-schemas.ts"

/** The sums of a group. */
export const USAGE_SUMS = [
  "billed",
  "refunded",
  "charged",
  "margin",
  "charged_billed",
  "turns",
  "model_calls",
  "tokens_input",
  "tokens_cached",
  "tokens_output",
] as const

export type SummedGroup = SumsRow & { g: unknown }

/** Adds refunds to the sums of their groups. A group may have only refunds. */
export function withRefunds(
  db: QueryCreator<CallerDB>,
  ended: SelectQueryBuilder<never, never, Omit<SummedGroup, "refunded">>,
  refunds: SelectQueryBuilder<never, never, Pick<SummedGroup, "g" | "refunded">>,
): Expression<SummedGroup> {
  const parts = sql<SummedGroup>`(select x.*, 0::bigint as refunded from (${ended}) x union all select r.g, 0, 0, null, null, null, 0, 0, 0, 0, r.refunded from (${refunds}) r)`
  return db
    .selectFrom(parts.as<"p">(sql`p`))
    .select("p.g")
    .select(({ fn }) => USAGE_SUMS.map((name) => fn.sum<number>(`p.${name}`).as(name)))
    .groupBy("p.g")
}
