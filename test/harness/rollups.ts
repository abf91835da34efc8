import { numbersOf, ROLLUPS, type Rollup, SUMS_BEFORE } from "../../src/analytics/rollups.ts"
import type { World } from "./world.ts"

const MEASURES = [
  "turns",
  "calls",
  "tokens_input",
  "tokens_cached",
  "tokens_output",
  "cost_credit_micros",
  "billed_credit_micros",
  "refunded_credit_micros",
]

/**
 * The usage of finished live turns by call, from turns and model_calls, and their refunds, from the ledger, with the
 * columns of usage_queue. `price` is the cost for the account, cost_credit_micros the one for us.
 */
export const PLAIN = `(
  select c.*, (row_number() over (partition by c.turn_id order by c.step, c.call is not null, c.role) = 1)::integer as turns, 0::bigint as refunded_credit_micros from (
    select t.turn_id, t.finished_at as ended_at, t.user_id, t.space_id, u.step, u.call, u.role, u.model,
      coalesce(nullif(u.subscription_id, substring(u.subscription_id from '^[0-9]+$')), u.provider) as provider_key,
      u.subscription_id is not null and u.subscription_id !~ '^[0-9]+$' as pooled, 1 as calls, 1 as keyed_calls,
      case when u.call is null then 0 else 1 end as pictures, u.tokens_input,
      u.tokens_cached, u.tokens_output, coalesce(u.tokens_reasoning, 0) as tokens_reasoning,
      u.tokens_input as tokens_input_most, coalesce(u.provider_credit_micros, u.cost_credit_micros) as cost_credit_micros,
      u.billed_credit_micros, (u.duration_sec * 1e6)::bigint as duration_us, u.cost_credit_micros as price, coalesce(t.key_id, '') as key_id
    from turns t join model_calls u on u.turn_id = t.turn_id and not u.chat where t.finished_at is not null and not t.test
    union all
    select t.turn_id, t.finished_at, t.user_id, t.space_id, u.step, u.call, u.role, u.model,
      coalesce(nullif(u.subscription_id, substring(u.subscription_id from '^[0-9]+$')), u.provider),
      u.subscription_id is not null and u.subscription_id !~ '^[0-9]+$', 1, 0, case when u.call is null then 0 else 1 end,
      u.tokens_input, u.tokens_cached, u.tokens_output, coalesce(u.tokens_reasoning, 0),
      u.tokens_input, coalesce(u.provider_credit_micros, u.cost_credit_micros), u.billed_credit_micros, 0, u.cost_credit_micros, coalesce(t.key_id, '')
    from turns t join model_calls u on u.turn_id = t.turn_id and u.chat where t.finished_at is not null and not t.test
    union all
    select t.turn_id, t.finished_at, t.user_id, t.space_id, 0, null, 'orchestrator', t.model, split_part(t.model, '/', 1), false, 0, 0, 0, 0, 0,
      0, 0, 0, 0, 0, 0, 0, coalesce(t.key_id, '')
    from turns t where t.finished_at is not null and not t.test and t.model_calls = 0
  ) c
  union all
  select t.turn_id, l.created_at, t.user_id, t.space_id, u.step, u.call, u.role, u.model,
    coalesce(nullif(u.subscription_id, substring(u.subscription_id from '^[0-9]+$')), u.provider),
    u.subscription_id is not null and u.subscription_id !~ '^[0-9]+$', 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    coalesce(t.key_id, ''), 0, u.billed_credit_micros
  from ledger l join turns t on t.turn_id = l.turn_id join model_calls u on u.turn_id = t.turn_id
  where l.reason = 'admin_action' and u.billed_credit_micros > 0)`

/** True for a row of an account that was created under the brand $1, or for each row if that is `all`. */
export const OF_BRAND = "($1 = 'all' or user_id in (select u.user_id from users u where u.first_brand = $1))"

const MARKS =
  "join (select until from usage_marks union all select 'infinity') m on m.until > (q.ended_at at time zone 'UTC')::date"

function differencesOf(rollup: Rollup): string {
  const { name, keys, sums, most } = rollup
  const names = Object.keys(keys)
  const read = names.includes("until") ? MARKS : ""
  const columns = numbersOf(rollup)
  const summed = [...sums.map((column) => `sum(${column})`), ...(most ? ["max(tokens_input_most)"] : [])].join(", ")
  const of = (from: string) =>
    `select ${Object.entries(keys).map(([key, made]) => `${made} as ${key}`)}, ${columns.map((column) => `q.${column}`)} from ${from} q ${read}`
  const group = (from: string) =>
    `select ${names}, jsonb_build_array(${summed}) as said from (${from}) x group by ${names}`
  const kept = `select ${[...names, ...columns]} from ${name} union all ${of("usage_queue")}`
  return `select '${name}' as family, jsonb_build_array(${names})::text as key, a.said::text as rolled, b.said::text as plain
    from (${group(kept)}) a full join (${group(of("plain"))}) b using (${names}) where a.said is distinct from b.said`
}

const LEDGER = `
  select 'ledger_days', jsonb_build_array(day, reason, brand)::text, a.said::text, b.said::text from (
    select day, reason, brand, jsonb_build_array(sum(entries), sum(given), sum(taken)) as said from (
      select day, reason, brand, entries, given_credit_micros as given, taken_credit_micros as taken from ledger_days
      union all select (created_at at time zone 'UTC')::date, reason, (select first_brand from users u where u.user_id = q.user_id), 1, greatest(coalesce(amount_credit_micros, 0), 0),
        least(coalesce(amount_credit_micros, 0), 0) from ledger_queue q) x group by 1, 2, 3) a
  full join (
    select (created_at at time zone 'UTC')::date as day,
      case when reason = 'admin_action' and turn_id is not null then 'refund' else reason end as reason,
      (select first_brand from users u where u.user_id = ledger.user_id) as brand, jsonb_build_array(count(*),
      coalesce(sum(amount_credit_micros) filter (where amount_credit_micros > 0), 0),
      coalesce(sum(amount_credit_micros) filter (where amount_credit_micros < 0), 0)) as said from ledger group by 1, 2, 3) b
  using (day, reason, brand) where a.said is distinct from b.said
  union all
  select 'ledger_user_days', jsonb_build_array(user_id, day)::text, a.said::text, b.said::text from (
    select user_id, day, jsonb_build_array(sum(debits), max(ledger_id), (array_agg(balance order by ledger_id desc))[1]) as said from (
      select user_id, day, debits, ledger_id, balance_after_credit_micros as balance from ledger_user_days
      union all select user_id, (created_at at time zone 'UTC')::date, (reason in ('usage', 'space_usage'))::integer, ledger_id,
        balance_after_credit_micros from ledger_queue) x group by 1, 2) a
  full join (
    select user_id, (created_at at time zone 'UTC')::date as day, jsonb_build_array(count(*) filter (where reason in ('usage', 'space_usage')),
      max(ledger_id), (array_agg(balance_after_credit_micros order by ledger_id desc))[1]) as said from ledger group by 1, 2) b
  using (user_id, day) where a.said is distinct from b.said
  union all
  select 'ledger_users', user_id::text, a.said::text, b.said::text from (
    select user_id, jsonb_build_array(max(ledger_id), (array_agg(balance order by ledger_id desc))[1], max(debited_at)) as said from (
      select user_id, ledger_id, balance_after_credit_micros as balance, debited_at from ledger_users
      union all select user_id, ledger_id, balance_after_credit_micros, case when reason in ('usage', 'space_usage') then created_at end
      from ledger_queue) x group by 1) a
  full join (
    select user_id, jsonb_build_array(max(ledger_id), (array_agg(balance_after_credit_micros order by ledger_id desc))[1],
      max(created_at) filter (where reason in ('usage', 'space_usage'))) as said from ledger group by 1) b
  using (user_id) where a.said is distinct from b.said`

const ERRORS = `
  select 'error_days', jsonb_build_array(day, kind, brand)::text, a.failures::text, b.failures::text from (
    select day, kind, brand, failures from error_days where failures <> 0) a
  full join (
    select (e.created_at at time zone 'UTC')::date as day, e.kind, coalesce(u.first_brand, '') as brand, count(*) as failures
    from infrastructure_errors e left join turns t using (turn_id) left join users u using (user_id) group by 1, 2, 3) b
  using (day, kind, brand) where a.failures is distinct from b.failures`

/** The totals of end users, with test turns: by day, by month and over all time. */
const END_USERS = [
  { name: "end_user_days", key: ["day"], of: (at: string) => `(${at} at time zone 'UTC')::date as day` },
  {
    name: "end_user_months",
    key: ["month"],
    of: (at: string) => `date_trunc('month', ${at} at time zone 'UTC')::date as month`,
  },
  { name: "end_user_sums", key: [], of: (at: string) => `${at} as ended_at` },
]
  .map(({ name, key, of }) => {
    const names = ["user_id", "test", ...key, "end_user_ref"].join(", ")
    const kept = key.length > 0 ? key.join(", ") : "last_ended_at as ended_at"
    // A refund is no end of a turn.
    const booked = (at: string, kept: string) => of(key.length > 0 ? at : kept)
    const latest = key.length > 0 ? "" : ", max(ended_at)"
    return `
  select '${name}', jsonb_build_array(${names})::text, a.said::text, b.said::text from (
    select ${names}, jsonb_build_array(sum(turns), sum(done), sum(failed), sum(billed), sum(refunded), sum(took)${latest}) as said from (
      select user_id, test, end_user_ref, ${kept}, turns, done, failed, billed_credit_micros as billed, refunded_credit_micros as refunded,
        took_us as took from ${name}
      union all select user_id, test, end_user_ref, ${booked("ended_at", "case when refunded_credit_micros = 0 then ended_at end")}, turns, case when state = 'done' then turns else 0 end,
        case when state = 'failed' then turns else 0 end, billed_credit_micros, refunded_credit_micros, took_us from turn_ends
        where end_user_ref <> '') x
    group by ${names}) a
  full join (
    select ${names}, jsonb_build_array(sum(turns), sum(done), sum(failed), sum(billed_credit_micros), sum(refunded), sum(took)${latest}) as said from (
      select user_id, test, end_user_ref, ${of("finished_at")}, 1 as turns, (state = 'done')::integer as done, (state = 'failed')::integer as failed, billed_credit_micros, 0 as refunded,
        (extract(epoch from finished_at - created_at) * 1e6)::bigint as took
      from turns where finished_at is not null and end_user_ref <> '' and key_id is not null
      union all
      select t.user_id, t.test, t.end_user_ref, ${booked("l.created_at", "null::timestamptz")}, 0, 0, 0, 0, l.amount_credit_micros, 0
      from ledger l join turns t on t.turn_id = l.turn_id
      where l.reason = 'admin_action' and t.end_user_ref <> '' and t.key_id is not null) x
    group by ${names}) b
  using (${names}) where a.said is distinct from b.said`
  })
  .join(" union all ")

/** The sum over a turn's calls must equal its row, its web-chat record and its charge. */
const AGREEING = `
  select 'turns', t.turn_id, jsonb_build_array(t.model_calls, t.tokens_input, t.tokens_cached, t.tokens_output, t.cost_credit_micros,
    t.billed_credit_micros)::text, p.said::text
  from turns t left join (select turn_id, jsonb_build_array(sum(calls), sum(tokens_input), sum(tokens_cached), sum(tokens_output),
    sum(price), sum(billed_credit_micros)) as said from plain group by 1) p on p.turn_id = t.turn_id
  where t.finished_at is not null and not t.test and p.said is distinct from jsonb_build_array(t.model_calls, t.tokens_input,
    t.tokens_cached, t.tokens_output, t.cost_credit_micros, t.billed_credit_micros)
  union all
  select 'charges', jsonb_build_array(user_id, day)::text, a.micros::text, b.micros::text from (
    select user_id, (ended_at at time zone 'UTC')::date as day, sum(billed_credit_micros) as micros from plain group by 1, 2
    having sum(billed_credit_micros) > 0) a
  full join (
    select user_id, (created_at at time zone 'UTC')::date as day, -sum(amount_credit_micros) as micros from (
      select user_id, created_at, amount_credit_micros from ledger where reason in ('usage', 'space_usage') and turn_id is not null
      union all select user_id, created_at, amount_credit_micros from postings) l group by 1, 2) b
  using (user_id, day) where a.micros is distinct from b.micros`

const FAMILIES = [...ROLLUPS, ...SUMS_BEFORE].map(differencesOf).join(" union all ")
const ALL = `with plain as materialized (select * from ${PLAIN} q) ${FAMILIES} union all ${LEDGER} union all ${ERRORS} union all ${END_USERS}
  union all ${AGREEING}`

export interface RollupDifference {
  family: string
  key: string
  rolled: string | null
  plain: string | null
}

/** The families whose rollup and queue, read in one snapshot, differ from the raw records. */
export const differences = (world: Pick<World, "sql">) => world.sql<RollupDifference>(ALL)

/**
 * Like `differences`, for many comparisons in one database. It prepares the query once, since
 * planning takes ten times as long as a comparison.
 */
export async function plannedDifferences(world: Pick<World, "sql">) {
  await world.sql(
    `create function rollup_differences() returns table (family text, key text, rolled text, plain text) language plpgsql as $$
     #variable_conflict use_column
     begin return query ${ALL}; end $$`,
  )
  return () => world.sql<RollupDifference>("select * from rollup_differences()")
}

/** Like `differences`, but against raw_usage instead of the rows of turns. */
export const differencesFromRaw = (world: Pick<World, "sql">, schema: string) =>
  world.sql<RollupDifference>(
    `with plain as materialized (select * from ${schema}.raw_usage('-infinity', 'infinity') q) ${FAMILIES} union all ${LEDGER} union all ${ERRORS}`,
  )

/**
 * Like `differences`, for ranges: the top spaces, accounts, pairs, models and providers between two
 * moments.
 */
export function rangeDifferences(world: Pick<World, "sql">, schema: string, [from, to, most]: [Date, Date, number]) {
  const sums = MEASURES.map((column) => `sum(${column})::bigint as ${column}`).join(", ")
  const billed = "sum(billed_credit_micros)::bigint as billed"
  const compare = (call: string, keys: string, columns = sums, where = "", first = "") => `
    select '${call.split("(")[0]}' as family, '' as key, a.said::text as rolled, b.said::text as plain from
      (select coalesce(jsonb_agg(to_jsonb(r)), '[]') as said from (select o.* from ${schema}.${call} o ${first}) r) a,
      (select coalesce(jsonb_agg(to_jsonb(x)), '[]') as said from (
        select ${keys}, ${columns} from plain where ended_at >= $1 and ended_at < $2 ${where} group by ${keys}
        order by sum(billed_credit_micros) desc, ${keys.replace(/provider_key|model/, '$& collate "C"')} limit $3) x) b
    where a.said is distinct from b.said`
  const ofOther = "and user_id in (select user_id from users where first_brand = 'other')"
  const range = "$1::timestamptz, $2::timestamptz"
  const limit = "$3::integer"
  return world.sql<RollupDifference>(
    `with plain as materialized (select * from ${PLAIN} q)
    ${[
      compare(`range_spaces(${range}, ${limit})`, "space_id"),
      compare(`rank_spaces(${range}, ${limit})`, "space_id", billed),
      compare(`range_users(${range}, ${limit})`, "user_id"),
      compare(`rank_users(${range}, ${limit})`, "user_id", billed),
      compare(
        `pairs_of_spaces(${range}, array(select distinct p.space_id from plain p))`,
        "provider_key, space_id",
        sums,
        "",
        `order by o.billed_credit_micros desc, o.provider_key collate "C", o.space_id limit $3`,
      ),
      compare(`range_models(${range}, ${limit}, null)`, "model"),
      compare(`range_providers(${range}, ${limit}, null)`, "provider_key"),
      compare(`range_spaces_of(${range}, ${limit}, 'other')`, "space_id", sums, ofOther),
      compare(`range_users_of(${range}, ${limit}, 'other')`, "user_id", sums, ofOther),
      compare(`top_spaces(${range}, ${limit}, 'other')`, "space_id", billed, ofOther),
      compare(`range_models(${range}, ${limit}, 'other')`, "model", sums, ofOther),
      compare(`range_providers(${range}, ${limit}, 'other')`, "provider_key", sums, ofOther),
    ].join(" union all ")}`,
    [from, to, most],
  )
}

/** Like `differences`, for balances at the end of a day and the stored ones. */
export function balanceDifferences(world: Pick<World, "sql">, schema: string, day: string, window: number) {
  return world.sql<RollupDifference>(
    `with active as (
      select distinct user_id from ledger where reason in ('usage', 'space_usage')
        and (created_at at time zone 'UTC')::date between $1::date - $2::integer + 1 and $1::date
    ), held as (
      select (select l.balance_after_credit_micros from ledger l where l.user_id = a.user_id and (l.created_at at time zone 'UTC')::date <= $1::date
        order by l.ledger_id desc limit 1) as balance from active a
    ), plain as (
      select jsonb_build_array(count(*), coalesce(sum(balance), 0),
        coalesce((2 * percentile_cont(0.5) within group (order by balance))::bigint, 0))::text as said from held
    ), kept as (
      select 'balances_at' as family, jsonb_build_array(accounts, balance_credit_micros, median_twice)::text as said
        from ${schema}.balances_at($1::date, $2::integer, $2::integer, null)
      union all select 'balances_now', jsonb_build_array(accounts, balance_credit_micros, median_twice)::text
        from ${schema}.balances_now(array(select n.day at time zone 'UTC' from unnest(array[$1::date + 1, $1::date + 2]::timestamp[]) n(day)), $2::integer, null)
        where ends_at = ($1::date + 1)::timestamp at time zone 'UTC' and not exists (select from ledger_days d where d.day > $1::date)
      union all select 'balances_before', jsonb_build_array(accounts, balance_credit_micros, median_twice)::text
        from ${schema}.balances_before(($1::date + 1)::timestamp at time zone 'UTC', $2::integer, null)
      union all select 'balance_days', jsonb_build_array(accounts, balance_credit_micros, median_twice)::text from balance_days
        where day = $1::date and window_days = $2::integer and brand = ''
          and day < coalesce((select min(created_at at time zone 'UTC') from ledger_queue)::date, 'infinity')
    )
    select k.family, $1::text as key, k.said as rolled, p.said as plain from kept k, plain p where k.said <> p.said
    union all
    -- A time within the next day, after another time, if no row of that day is rolled up.
    select 'balances_now of an instant', $1::text, n.said, b.said from (
      select jsonb_build_array(accounts, balance_credit_micros, median_twice)::text as said
      from ${schema}.balances_now(array(select ($1::date + 1 + hours) at time zone 'UTC' from unnest(array['0 hours', '11 hours']::interval[]) i(hours)), $2::integer, null)
      order by ends_at desc limit 1
    ) n, (
      select jsonb_build_array(accounts, balance_credit_micros, median_twice)::text as said
      from ${schema}.balances_before(($1::date + 1 + interval '11 hours') at time zone 'UTC', $2::integer, null)
    ) b where n.said <> b.said and not exists (select from ledger_days d where d.day > $1::date)`,
    [day, window],
  )
}
