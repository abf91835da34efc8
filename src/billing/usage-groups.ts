import {
  type AliasableExpression,
  type Expression,
  type ExpressionBuilder,
  expressionBuilder,
  type QueryCreator,
  type SelectQueryBuilder,
  type SqlBool,
  sql,
} from "kysely"
import { jsonArrayFrom, jsonObjectFrom } from "kysely/helpers/postgres"
import { type CallerDB, spaceInScope } from "../actor/call-as.ts"
import { sameQuery } from "../base/casts.ts"
import type { DB } from "../platform/db-types.ts"
import { USAGE_KEY_POLICY } from "./policies.ts"
import { isAfter, isDownwards, sumOf } from "./usage-order.ts"
import { type SummedGroup, USAGE_SUMS, withRefunds } from "./usage-refunds.ts"
import {
  type GroupPlace,
  metadataKeyOf,
  type SumsRow,
  type UsageGrouping,
  type UsageGroupKind,
  type UsageQuery,
} from "./usage-schemas.ts"

type RangeQuery = UsageQuery & { from: string; to: string }

/**
 * The columns that ended turns and model calls share, and the
 * model of calls. A query over either names its table `t`.
 */
type Billed = CallerDB & { t: Pick<DB["usage"], (keyof DB["ended_turns"] & keyof DB["usage"]) | "model"> }

/**
 * A query with CTEs: `by_group`, whose groups `g` have no names yet, `by_name`, in which rare groups are one, and
 * `counted`, the number of turns in all groups.
 */
type Grouped = CallerDB & { by_group: SummedGroup; by_name: SummedGroup & { kind: UsageGroupKind }; counted: Counted }
type Counted = Pick<SumsRow, "turns">

const billed: ExpressionBuilder<Billed, "t"> = expressionBuilder()

const grouped: ExpressionBuilder<Grouped, never> = expressionBuilder()

/** Selects one row: `total` over all groups, and up to `limit` `groups` after `after`, in the order of the query. */
export function usageGroups(
  db: QueryCreator<CallerDB>,
  query: RangeQuery,
  { after, limit }: { after: GroupPlace | undefined; limit: number },
) {
  const byCall = query.group_by === "model" || query.model !== undefined
  const named = grouped
    .selectFrom("by_name")
    .select(USAGE_SUMS)
    .select("kind")
    .select(nameOf(query.group_by).as("group"))
  const sum = sumOf(query)
  const page = grouped
    .selectFrom(named.as("named"))
    .selectAll()
    .$if(after !== undefined, (all) => all.where(isAfter(query, after)))
    .$if(sum !== undefined, (all) => all.orderBy(sum ?? "billed", isDownwards(query) ? "desc" : "asc"))
    .orderBy(sql`"group" collate "C"`, sum === undefined && isDownwards(query) ? "desc" : "asc")
    .orderBy("kind", (order) => order.collate("C"))
    .limit(limit)
  const total = grouped.selectFrom("by_name").select((eb) => {
    const sum = <Name extends keyof SumsRow>(name: Name) => eb.fn.coalesce(eb.fn.sum<number>(name), eb.lit(0)).as(name)
    const turns = eb.selectFrom("counted").select("counted.turns").$asScalar().$notNull().as("turns")
    const charges = [
      eb.fn.sum<number | null>("charged").as("charged"),
      eb.fn.sum<number | null>("margin").as("margin"),
      eb.fn.sum<number | null>("charged_billed").as("charged_billed"),
    ] as const
    return [
      sum("billed"),
      sum("refunded"),
      ...charges,
      turns,
      sum("model_calls"),
      sum("tokens_input"),
      sum("tokens_cached"),
      sum("tokens_output"),
    ]
  })
  const answer = [jsonObjectFrom(total).as("total"), jsonArrayFrom(page).as("groups")] as const
  const isBounded = metadataKeyOf(query.group_by) !== null || query.group_by === "config_version"
  const groups = byCall ? fromCalls(db, query) : fromTurns(db, query)
  return groups
    .with("by_name", (db) =>
      isBounded
        ? mostBilled(db)
        : db.selectFrom("by_group").selectAll().select(sql<UsageGroupKind>`'value'`.as("kind")),
    )
    .selectNoFrom(answer)
}

/** The groups that were billed most, and all others as one. */
function mostBilled(db: QueryCreator<CallerDB & { by_group: SummedGroup }>) {
  const ranked = db
    .selectFrom("by_group")
    .selectAll()
    .select(({ fn, ref }) =>
      fn
        .agg<number>("row_number")
        .over((over) => over.orderBy("billed", "desc").orderBy(ref("g")))
        .as("rank"),
    )
  const grouped = db
    .selectFrom(ranked.as("r"))
    .select((eb) => {
      const isShown = eb("r.rank", "<=", eb.lit(USAGE_KEY_POLICY.mostValues))
      return [
        sql<unknown>`case when ${isShown} then coalesce(${eb.ref("r.g")}::text, '') else '(other)' end`.as("g"),
        sql<UsageGroupKind>`case when not ${isShown} then 'other' when ${eb.ref("r.g")} is null then 'none' else 'value' end`.as(
          "kind",
        ),
        ...USAGE_SUMS.map((name) => eb.fn.sum<number>(`r.${name}`).as(name)),
      ]
    })
    .groupBy(sql`1, 2`)
  return sameQuery<SelectQueryBuilder<CallerDB, never, SummedGroup & { kind: UsageGroupKind }>>(grouped)
}

/** A turn counts when it ends, and its refund when it was booked. */
function fromTurns(db: QueryCreator<CallerDB>, query: RangeQuery): QueryCreator<Grouped> {
  return db
    .with("by_group", (db): Expression<SummedGroup> => {
      const ended = db
        .selectFrom("ended_turns as t")
        .where(isBilled(query))
        .where((eb) => eb.and([inRange(eb.ref("t.finished_at"), query), visible(query)]))
        .where((eb) => eb("t.test", "=", eb.selectFrom("caller").select("caller.test")))
        .select((eb) => [
          groupOf(query.group_by, eb.ref("t.finished_at")).as("g"),
          eb.fn.countAll<number>().as("turns"),
          eb.fn.sum<number>("t.model_calls").as("model_calls"),
          eb.fn.sum<number | null>("t.end_user_charge_credit_micros").as("charged"),
          eb.fn
            .sum<number | null>(eb("t.end_user_charge_credit_micros", "-", eb.ref("t.billed_credit_micros")))
            .as("margin"),
          eb.fn
            .sum<number | null>("t.billed_credit_micros")
            .filterWhere("t.end_user_charge_credit_micros", "is not", null)
            .as("charged_billed"),
        ])
        .select(sums)
        .groupBy("g")
      const refunds = db
        .selectFrom("refunded_turns as t")
        .where(isBilled(query))
        .where((eb) => eb.and([inRange(eb.ref("t.refunded_at"), query), visible(query)]))
        .where((eb) => eb("t.test", "=", eb.selectFrom("caller").select("caller.test")))
        .select((eb) => [
          groupOf(query.group_by, eb.ref("t.refunded_at")).as("g"),
          eb.fn.sum<number>("t.refunded_credit_micros").as("refunded"),
        ])
        .groupBy("g")
      return withRefunds(db, ended, refunds)
    })
    .with(
      "counted",
      (db): Expression<Counted> =>
        db.selectFrom("by_group").select((eb) => eb.fn.coalesce(eb.fn.sum<number>("turns"), eb.lit(0)).as("turns")),
    )
}

/** A call counts when its turn ends. A turn that used two models counts once in the total. */
function fromCalls(db: QueryCreator<CallerDB>, query: RangeQuery): QueryCreator<Grouped> {
  return db
    .with(
      (cte) => cte("by_turn").materialized(),
      (db) =>
        db
          .selectFrom("usage as t")
          .where(isBilled(query))
          .where((eb) => eb.and([inRange(eb.ref("t.settled_at"), query), within(query)]))
          .select((eb) => [
            groupOf(query.group_by, eb.ref("t.settled_at")).as("g"),
            "t.turn_id",
            eb.fn.countAll<number>().as("model_calls"),
          ])
          .select(sums)
          .groupBy(["g", "t.turn_id"]),
    )
    .with("by_group", (db): Expression<SummedGroup> => {
      const ended = db
        .selectFrom("by_turn")
        .select((eb) => [
          "g",
          eb.fn.countAll<number>().as("turns"),
          eb.fn.sum<number>("model_calls").as("model_calls"),
          sql<number | null>`null::bigint`.as("charged"),
          sql<number | null>`null::bigint`.as("margin"),
          sql<number | null>`null::bigint`.as("charged_billed"),
          eb.fn.sum<number>("billed").as("billed"),
          eb.fn.sum<number>("tokens_input").as("tokens_input"),
          eb.fn.sum<number>("tokens_cached").as("tokens_cached"),
          eb.fn.sum<number>("tokens_output").as("tokens_output"),
        ])
        .groupBy("g")
      const refunds = db
        .selectFrom("refunded_turns as e")
        .innerJoin("usage as t", "t.turn_id", "e.turn_id")
        .where((eb) => eb("e.user_id", "=", eb.selectFrom("caller").select("caller.user_id")))
        .where((eb) => eb("e.test", "=", eb.selectFrom("caller").select("caller.test")))
        .where((eb) => eb.and([inRange(eb.ref("e.refunded_at"), query), isBilled(query), within(query)]))
        .select((eb) => [
          groupOf(query.group_by, eb.ref("e.refunded_at")).as("g"),
          eb.fn.sum<number>("t.billed_credit_micros").as("refunded"),
        ])
        .groupBy("g")
      return withRefunds(db, ended, refunds)
    })
    .with(
      "counted",
      (db): Expression<Counted> =>
        db.selectFrom("by_turn").select((eb) => eb.fn.count<number>("turn_id").distinct().as("turns")),
    )
}

const sums = [
  billed.fn.sum<number>("t.billed_credit_micros").as("billed"),
  billed.fn.sum<number>("t.tokens_input").as("tokens_input"),
  billed.fn.sum<number>("t.tokens_cached").as("tokens_cached"),
  billed.fn.sum<number>("t.tokens_output").as("tokens_output"),
]

function groupOf(grouping: UsageGrouping, moment: Expression<Date | null>): AliasableExpression<unknown> {
  if (grouping === "day") return sql`(${moment} at time zone 'UTC')::date`
  if (grouping === "hour") return sql`to_char(${moment} at time zone 'UTC', 'HH24')`
  const key = metadataKeyOf(grouping)
  const turn = sql`from turns w where w.turn_id = ${billed.ref("t.turn_id")}`
  if (key !== null) return sql`(select w.metadata ->> ${key} ${turn})`
  if (grouping === "config_version") {
    return sql`(select (select s.slug from spaces s where s.space_id = w.space_id) || coalesce('@' || w.config_version, '') ${turn})`
  }
  const columns = { end_user_ref: "t.end_user_ref", space: "t.space_id", model: "t.model", key: "t.key_id" } as const
  return billed.ref(columns[grouping as keyof typeof columns])
}

function nameOf(grouping: UsageGrouping): AliasableExpression<string> {
  const eb: ExpressionBuilder<Grouped, "by_name"> = expressionBuilder()
  const group = eb.ref("by_name.g")
  if (grouping === "day") return sql<string>`to_char(${group}, 'YYYY-MM-DD')`
  if (grouping !== "space") return group.$castTo<string>()
  return eb
    .selectFrom("spaces as s")
    .select("s.slug")
    .where("s.space_id", "=", group.$castTo<number>())
    .$asScalar()
    .$notNull()
}

/** Filters by the caller's account, a key and the query's filters, except spaces and the range. */
function isBilled({ end_user_ref, key, model }: RangeQuery): Expression<SqlBool> {
  // A scalar subquery: the planner treats it as a constant and starts from the owner's index.
  const owner = billed.selectFrom("caller").select("caller.user_id")
  const all = [billed("t.user_id", "=", owner), billed("t.key_id", "is not", null)]
  if (end_user_ref) all.push(billed("t.end_user_ref", "in", end_user_ref))
  if (key) all.push(billed("t.key_id", "in", key))
  if (model) all.push(billed("t.model", "in", model))
  return billed.and(all)
}

function inRange(moment: Expression<Date | null>, { from, to }: RangeQuery): Expression<SqlBool> {
  return billed.and([billed(moment, ">=", new Date(from)), billed(moment, "<", new Date(to))])
}

/** Filters by the spaces that the caller sees and that the query names. */
function within({ space }: RangeQuery): Expression<SqlBool> {
  const spaces = billed.selectFrom(["spaces as s", "caller"]).select("s.space_id").where(spaceInScope)
  const named = space ? spaces.where("s.slug", "in", space) : spaces
  // Not a join, because the planner would then expect a scope with few rows.
  return billed(billed.parens("t.space_id", "in", named), "is", true)
}

/**
 * The same filter for turns, which have an owner and a mode
 * of their own. A key with the scope `all` sees all of them.
 */
function visible(query: RangeQuery): Expression<SqlBool> {
  if (query.space) return within(query)
  return billed.or([billed(billed.selectFrom("caller").select("caller.scope"), "=", "all"), within(query)])
}
