import { type Expression, type QueryCreator, sql } from "kysely"
import type { SessionCredential } from "../actor/actor.ts"
import { type CallerDB, readAs } from "../actor/call-as.ts"
import type { Context } from "../actor/context.ts"
import { sameQuery } from "../base/casts.ts"
import type { ListHead, ListPage } from "../base/in-parts.ts"
import { LIST_POLICY } from "../base/policies.ts"
import type { Scope } from "./brand.ts"
import type { Spaces } from "./families.ts"
import { procedureRows } from "./procedure-rows.ts"

/** Spaces with the amounts that they were billed in a range. */
type Billed = Expression<{ space_id: number; billed: number }>

/** All spaces of a brand that were used in a range, with their billed amounts. */
export const usedSpaces = (db: QueryCreator<CallerDB>, range: Scope) =>
  db
    .selectFrom(procedureRows("rank_spaces", { ...range, limit: LIST_POLICY.file }).as("r"))
    .$if(range.brand !== null, (query) => query.where("r.space_id", "in", spacesOf(db, range.brand ?? "")))
    .select(["r.space_id", "r.billed"])

const spacesOf = (db: QueryCreator<CallerDB>, brand: string) =>
  db
    .selectFrom("spaces as s")
    .innerJoin("account_brands as o", "o.user_id", "s.user_id")
    .where("o.brand", "=", brand)
    .select("s.space_id")

/**
 * Returns the ids of a page of spaces, the highest billed amount first,
 * and the number of spaces on all pages. One statement reads both.
 */
export async function rankSpaces(
  ctx: Context,
  credential: SessionCredential,
  { limit, offset }: ListPage,
  of: (db: QueryCreator<CallerDB>) => Billed,
): Promise<{ ids: number[]; head: ListHead }> {
  const { rows } = await readAs(
    ctx,
    credential,
    (db) =>
      db
        .with(
          (cte) => cte("used").materialized(),
          (cte) => of(cte),
        )
        .selectFrom("caller")
        .select((eb) => {
          const page = eb
            .selectFrom("used as u")
            .select("u.space_id")
            .orderBy("u.billed", "desc")
            .orderBy("u.space_id")
            .limit(limit)
            .offset(offset)
          return [
            eb
              .selectFrom("used")
              .select((used) => used.fn.countAll<number>().as("total"))
              .as("total"),
            sql<number[]>`array(${page})`.as("ids"),
          ]
        }),
    { role: "admin" },
  )
  return { ids: rows[0]?.ids ?? [], head: { total: rows[0]?.total ?? 0, limit, offset } }
}

/** A query for spaces with these ids, as the functions in families.ts take it. */
export const theseSpaces = (db: QueryCreator<CallerDB>, ids: readonly number[]): Spaces =>
  sameQuery<Spaces>(
    db.selectFrom(sql<{ space_id: number }>`unnest(${ids}::bigint[])`.as<"k">(sql`k(space_id)`)).select("k.space_id"),
  )

/** The number of spaces that one statement reads, for series of this many days each. */
export const spacesOfPart = (days: number) => Math.max(1, Math.floor(LIST_POLICY.partRows / days))
