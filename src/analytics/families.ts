import { type Expression, type QueryCreator, type SelectQueryBuilder, sql } from "kysely"
import type { CallerDB } from "../actor/call-as.ts"
import type { Range } from "../base/report-range.ts"
import { released } from "../platform/db.ts"
import { isOfBrand, type Scope } from "./brand.ts"
import { DAILY, MEASURES } from "./rollups.ts"

/**
 * The functions below read rollups together with queued rows that are not rolled up yet, by whole days or
 * hours. Their rows are to be grouped. Both are read in one snapshot, so a turn is in exactly one of them.
 */
type Reader = QueryCreator<CallerDB>

/** A query for the `space_id` of the spaces to read. */
export type Spaces = SelectQueryBuilder<never, never, { space_id: number }>

/** The day of a moment, in UTC. */
export const dateOf = (moment: Date) => sql<Date>`(${moment}::timestamptz at time zone 'UTC')::date`

/** `offset 0` keeps the planner from reading the usage of all spaces instead of looking up a few. */
const BARRIER = sql.lit(0)

export const usageHours = (db: Reader, range: Scope) =>
  db
    .selectFrom("usage_hours as r")
    .where("r.hour", ">=", range.from)
    .where("r.hour", "<", range.to)
    .$if(range.brand !== null, (query) => query.where("r.brand", "=", range.brand ?? ""))
    .select(["r.hour", ...MEASURES, ...DAILY])
    .unionAll(queued(db, range).select((eb) => [hourOf(eb.ref("q.ended_at")).as("hour"), ...MEASURES, ...DAILY]))

export function modelDays(db: Reader, range: Scope) {
  return db
    .selectFrom("model_days as r")
    .where("r.day", ">=", dateOf(range.from))
    .where("r.day", "<", dateOf(range.to))
    .$if(range.brand !== null, (query) => query.where("r.brand", "=", range.brand ?? ""))
    .select(["r.day", "r.model", ...MEASURES])
    .unionAll(queued(db, range).select((eb) => [dayOf(eb.ref("q.ended_at")).as("day"), "q.model", ...MEASURES]))
}

export function providerDays(db: Reader, range: Scope) {
  return db
    .selectFrom("provider_days as r")
    .where("r.day", ">=", dateOf(range.from))
    .where("r.day", "<", dateOf(range.to))
    .$if(range.brand !== null, (query) => query.where("r.brand", "=", range.brand ?? ""))
    .select(["r.day", "r.provider_key", "r.pooled", "r.role", ...MEASURES, "r.pictures"])
    .unionAll(
      queued(db, range).select((eb) => [
        dayOf(eb.ref("q.ended_at")).as("day"),
        ...(["q.provider_key", "q.pooled", "q.role", ...MEASURES, "q.pictures"] as const),
      ]),
    )
}

/** Reads the same rows for grouping by `provider_key` alone. */
export function providerSums(db: Reader, range: Scope) {
  return db
    .selectFrom("provider_days as r")
    .where("r.day", ">=", dateOf(range.from))
    .where("r.day", "<", dateOf(range.to))
    .$if(range.brand !== null, (query) => query.where("r.brand", "=", range.brand ?? ""))
    .select(["r.provider_key", ...MEASURES])
    .unionAll(
      // The queue is summed separately, which is cheaper for many rows.
      queued(db, range)
        .select((eb) => [
          "q.provider_key",
          ...MEASURES.map((column) => eb.fn<number>(released("added"), [`q.${column}`]).as(column)),
        ])
        .groupBy("q.provider_key"),
    )
}

export function providerSpaceDays(db: Reader, range: Range, spaces: Spaces) {
  return db
    .selectFrom(spaces.as("k"))
    .innerJoinLateral(
      (eb) =>
        eb
          .selectFrom("provider_space_days as n")
          .whereRef("n.space_id", "=", "k.space_id")
          .where("n.day", ">=", dateOf(range.from))
          .where("n.day", "<", dateOf(range.to))
          .selectAll("n")
          .offset(BARRIER)
          .as("r"),
      (join) => join.onTrue(),
    )
    .select(["r.provider_key", "r.space_id", ...MEASURES])
    .unionAll(
      queued(db, range)
        .where("q.space_id", "in", spaces)
        .select(["q.provider_key", "q.space_id", ...MEASURES]),
    )
}

export function userDays(db: Reader, range: Scope, userId: number) {
  return db
    .selectFrom("user_days as r")
    .where("r.user_id", "=", userId)
    .where("r.day", ">=", dateOf(range.from))
    .where("r.day", "<", dateOf(range.to))
    .where((eb) => isOfBrand(eb.ref("r.user_id"), range.brand))
    .select(["r.day", ...MEASURES, ...DAILY])
    .unionAll(
      queued(db, range)
        .where("q.user_id", "=", userId)
        .select((eb) => [dayOf(eb.ref("q.ended_at")).as("day"), ...MEASURES, ...DAILY]),
    )
}

/** Rows that are rolled up. */
export function rolledSpaceDays(db: Reader, range: Range, spaces: Spaces) {
  return db
    .selectFrom(spaces.as("k"))
    .innerJoinLateral(
      (eb) =>
        eb
          .selectFrom("space_days as n")
          .whereRef("n.space_id", "=", "k.space_id")
          .where("n.day", ">=", dateOf(range.from))
          .where("n.day", "<", dateOf(range.to))
          .selectAll("n")
          .offset(BARRIER)
          .as("r"),
      (join) => join.onTrue(),
    )
    .select(["r.day", "r.space_id", ...MEASURES, ...DAILY, "r.tokens_input_most", "r.pictures"])
}

/** Rows that are still queued: one for each model, provider and role of a turn's calls. */
export function queuedSpaceDays(db: Reader, range: Range, spaces: Spaces) {
  return queued(db, range)
    .where("q.space_id", "in", spaces)
    .select((eb) => [
      dayOf(eb.ref("q.ended_at")).as("day"),
      ...(["q.space_id", ...MEASURES, ...DAILY, "q.tokens_input_most", "q.pictures"] as const),
    ])
}

export const spaceDays = (db: Reader, range: Range, spaces: Spaces) =>
  rolledSpaceDays(db, range, spaces).unionAll(queuedSpaceDays(db, range, spaces))

export function rolledSpaceHours(db: Reader, range: Range, spaces: Spaces) {
  return db
    .selectFrom(spaces.as("k"))
    .innerJoinLateral(
      (eb) =>
        eb
          .selectFrom("space_hours as n")
          .whereRef("n.space_id", "=", "k.space_id")
          .where("n.hour", ">=", range.from)
          .where("n.hour", "<", range.to)
          .selectAll("n")
          .offset(BARRIER)
          .as("r"),
      (join) => join.onTrue(),
    )
    .select([hourNumber("r.hour").as("hour"), "r.space_id", "r.billed_credit_micros"])
}

/** The rows of the view usage_queue, whose columns are nullable in the generated types. */
const queued = (db: Reader, { from, to, brand = null }: Range & Partial<Scope>) =>
  db
    .selectFrom("turn_ends as q")
    .where("q.test", "=", false)
    .where("q.ended_at", ">=", from)
    .where("q.ended_at", "<", to)
    .where((eb) => isOfBrand(eb.ref("q.user_id"), brand))

/** An hour as its number since 1970. In JSON it takes a third of the space of a timestamp. */
export const hourNumber = (column: string) => sql<number>`(extract(epoch from ${sql.ref(column)}) / 3600)::integer`

/** The hour of a moment. `dayOf`: its day in UTC. */
export const hourOf = (moment: Expression<Date>) => sql<Date>`date_trunc('hour', ${moment}, 'UTC')`
export const dayOf = (moment: Expression<Date>) => sql<Date>`(${moment} at time zone 'UTC')::date`
