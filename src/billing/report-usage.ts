import { type RawBuilder, sql } from "kysely"
import type { Context } from "../context.ts"
import { TurnpikeError } from "../errors.ts"
import { inScope, queryAs, spaceInScope } from "../identity/actor.ts"
import type { Credential } from "../identity/credential.ts"
import { decodePosition, encodePosition } from "../pagination.ts"
import { toUsd } from "./money.ts"
import type { UsageGrouping, UsageReport, UsageSums } from "./usage-schemas.ts"

export interface UsageQuery {
  group_by: UsageGrouping
  from?: string | undefined
  to?: string | undefined
  space?: string[] | undefined
  end_user_ref?: string[] | undefined
  model?: string[] | undefined
  key?: string[] | undefined
}

/** Sums as they come from the database: money in credit micros. */
export interface SumsRow {
  billed: number
  turns: number
  model_calls: number
  tokens_input: number
  tokens_cached: number
  tokens_output: number
}

export interface GroupRow extends SumsRow {
  group: string
}

export interface UsagePage {
  from: string
  to: string
  groups: GroupRow[]
  more: boolean
  total: SumsRow
}

const DAY_MS = 86_400_000
const DEFAULT_DAYS = 30

/** The range of a report: the last 30 days in UTC, today included, where nothing else is said. VALIDATION_FAILED for an empty one. */
export function usageRange(now: Date, { from, to }: Pick<UsageQuery, "from" | "to">): { from: string; to: string } {
  const tomorrow = (Math.floor(now.getTime() / DAY_MS) + 1) * DAY_MS
  const end = to === undefined ? tomorrow : Date.parse(to)
  const start = from === undefined ? end - DEFAULT_DAYS * DAY_MS : Date.parse(from)
  if (!(start < end)) throw new TurnpikeError("VALIDATION_FAILED", "from: must be before `to`", { param: "from" })
  return { from: new Date(start).toISOString(), to: new Date(end).toISOString() }
}

/** A page of a report, with the total over all its groups. A cursor keeps the range that it was given for. */
export async function reportUsage(
  ctx: Context,
  credential: Credential,
  { query, limit, cursor }: { query: UsageQuery; limit: number; cursor?: string | undefined },
): Promise<UsageReport> {
  const [after, from = query.from, to = query.to] = decodePosition(cursor, { usage: query }) ?? []
  const range = usageRange(ctx.clock.now(), { from, to })
  const page = await sumUsage(ctx, credential, { ...query, ...range }, { after, limit })
  const last = page.groups.at(-1)
  const goesOn = page.more && last !== undefined
  return {
    from: page.from,
    to: page.to,
    group_by: query.group_by,
    data: page.groups.map(({ group, ...sums }) => ({ group, ...serializeSums(sums) })),
    total: serializeSums(page.total),
    has_more: goesOn,
    next_cursor: goesOn ? encodePosition([last.group, page.from, page.to], { usage: query }) : null,
  }
}

function serializeSums({ billed, ...counts }: SumsRow): UsageSums {
  return { billed_usd: toUsd(billed), ...counts }
}

/**
 * Sums what was billed in a range, by group, in the order of the groups' bytes. Turns count with the moment, the amount and
 * the key of their ledger row, so that every grouping adds up to the ledger's rows of the reason `usage`; where models matter,
 * the calls of those turns are summed instead, whose bills add up to the turn's.
 */
export async function sumUsage(
  ctx: Context,
  credential: Credential,
  query: UsageQuery & { from: string; to: string },
  { after, limit }: { after?: string | undefined; limit: number },
): Promise<UsagePage> {
  const { group_by, from, to, model } = query
  const byCall = group_by === "model" || model !== undefined
  const moment = byCall ? sql`t.settled_at` : sql`t.finished_at`
  const raw: Record<UsageGrouping, RawBuilder<unknown>> = {
    end_user_ref: sql`t.end_user_ref`,
    space: sql`t.space_id`,
    model: sql`t.model`,
    key: sql`t.key_id`,
    day: sql`(${moment} at time zone 'UTC')::date`,
  }
  const among = (column: string, values: string[]) =>
    sql`${sql.ref(column)} in (select jsonb_array_elements_text(${JSON.stringify(values)}::jsonb))`
  const spaces = sql`select s.space_id from spaces s, caller
    where ${inScope} ${query.space ? sql`and ${among("s.slug", query.space)}` : sql``}`
  // Scalar subqueries, so that the planner knows them as constants and starts from the owner's index.
  const where = [
    sql`t.user_id = (select user_id from caller)`,
    sql`${moment} >= ${from}::timestamptz`,
    sql`${moment} < ${to}::timestamptz`,
    sql`t.key_id is not null`,
    byCall || query.space ? sql`(t.space_id in (${spaces})) is true` : spaceInScope("t.space_id"),
  ]
  if (!byCall) where.push(sql`t.test = (select test from caller)`)
  if (query.end_user_ref) where.push(among("t.end_user_ref", query.end_user_ref))
  if (query.key) where.push(among("t.key_id", query.key))
  if (model) where.push(among("t.model", model))

  const of = sql`from ${byCall ? sql`usage` : sql`turns`} t where ${sql.join(where, sql` and `)}`
  const sums = (calls: RawBuilder<unknown>) => sql`sum(billed_credit_micros) as billed, ${calls} as model_calls,
    sum(tokens_input) as tokens_input, sum(tokens_cached) as tokens_cached, sum(tokens_output) as tokens_output`
  const name = { space: sql`(select slug from spaces where space_id = g)`, day: sql`to_char(g, 'YYYY-MM-DD')` }
  const named = group_by === "space" || group_by === "day" ? name[group_by] : sql`g`
  const grouped = byCall
    ? sql`by_turn as materialized (
        select ${raw[group_by]} as g, t.turn_id, ${sums(sql`count(*)`)} ${of} group by 1, 2
      ), by_group as (
        select g, sum(billed) as billed, count(*) as turns, sum(model_calls) as model_calls,
          sum(tokens_input) as tokens_input, sum(tokens_cached) as tokens_cached, sum(tokens_output) as tokens_output
        from by_turn group by 1
      )`
    : sql`by_group as (
        select ${raw[group_by]} as g, count(*) as turns, ${sums(sql`sum(t.model_calls)`)} ${of} group by 1
      )`
  // A turn that used two models counts once in the total.
  const turns = byCall ? sql`(select count(distinct turn_id) from by_turn)` : sql`coalesce(sum(turns), 0)`
  const { row } = await queryAs<{ groups: GroupRow[]; total: SumsRow }>(ctx, credential, {
    ctes: sql`${grouped}, grouped as materialized (
        select ${named} as "group", billed, turns, model_calls, tokens_input, tokens_cached, tokens_output from by_group
      )`,
    select: sql`select (
        select jsonb_build_object('billed', coalesce(sum(billed), 0), 'turns', ${turns},
          'model_calls', coalesce(sum(model_calls), 0), 'tokens_input', coalesce(sum(tokens_input), 0),
          'tokens_cached', coalesce(sum(tokens_cached), 0), 'tokens_output', coalesce(sum(tokens_output), 0))
        from grouped
      ) as total, coalesce((
        select jsonb_agg(to_jsonb(page) order by page."group" collate "C") from (
          select * from grouped ${after === undefined ? sql`` : sql`where "group" collate "C" > ${after}`}
          order by "group" collate "C" limit ${limit + 1}::integer
        ) page), '[]') as groups`,
  })
  return { from, to, groups: row.groups.slice(0, limit), more: row.groups.length > limit, total: row.total }
}
