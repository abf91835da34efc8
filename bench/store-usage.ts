import { type DAILY, type MEASURES, ROLLUPS } from "../src/analytics/rollups.ts"
import { fillRollup } from "./fill-rollup.ts"
import type { Sql } from "./site.ts"

/** The size of the stored usage. */
export interface StoredUsage {
  /** The number of model calls. 8 of 10 belong to turns of keys, and a turn has 1.6 calls. */
  calls: number
  ledgerRows: number
  users: number
  spaces: number
  /** The number of last turns, and of ledger rows, that are still queued and not rolled up. */
  tail: number
  ledgerTail: number
  /** The end of the last day, a midnight in UTC. */
  ends: Date
}

const DAYS = 400
const DAYS_OF_BATCH = 20
const CALLS_OF_TURN = 1.6
/** The tables that are filled in batches. Their indexes are created afterwards. */
const TABLES = [
  "model_calls",
  "ledger",
  "ledger_user_days",
  "space_sums",
  "user_sums",
  "provider_space_sums",
  ...ROLLUPS.map(({ name }) => name),
]

/**
 * Fills model_calls, the ledger and the rollups over 400 days, with a weekly and a daily rhythm and a Zipf distribution
 * over spaces and users. The newest rows are in the queue instead of the rollups. A hash of the row's number replaces
 * chance, so each run stores the same. There are no rows of turns.
 */
export async function storeUsage(sql: Sql, stored: StoredUsage): Promise<void> {
  await storePlaces(sql, stored)
  const made = await sql<{ name: string; text: string }>(
    `select i.indexrelid::regclass::text as name, pg_get_indexdef(i.indexrelid) as text from pg_index i
     where i.indrelid = any ($1::regclass[]) and not exists (select from pg_constraint c where c.conindid = i.indexrelid)`,
    [TABLES],
  )
  for (const { name } of made) await sql(`drop index ${name}`)
  const days = daysOf(stored)
  const last = days.at(-1) as Day
  const rolledTurns = last.firstTurn + last.turns - 1 - stored.tail
  for (let at = 0; at < days.length; at += DAYS_OF_BATCH)
    await storeDays(sql, stored, days.slice(at, at + DAYS_OF_BATCH), rolledTurns)
  await storeSums(sql)
  await storeLedger(sql, stored)
  for (const { text } of made) await sql(text)
  await sql("vacuum analyze")
}

interface Day {
  day: string
  firstTurn: number
  turns: number
}

/** The days with their turns. Weekend days have 0.4 times the turns of other days. */
function daysOf({ calls, ends }: StoredUsage): Day[] {
  const all = Array.from({ length: DAYS }, (_, at) => new Date(ends.getTime() - (DAYS - at) * 86_400_000))
  const weight = (day: Date) => (day.getUTCDay() % 6 === 0 ? 0.4 : 1)
  const weights = all.reduce((sum, day) => sum + weight(day), 0)
  let firstTurn = 1
  return all.map((day) => {
    const turns = Math.round(((calls / CALLS_OF_TURN) * weight(day)) / weights)
    const made = { day: day.toISOString().slice(0, 10), firstTurn, turns }
    firstTurn += turns
    return made
  })
}

/** SQL for a random number from 0 to 1, by the row's number and the purpose. */
const chance = (n: string, name: number) => `((hashint8extended(${n}, ${name}) & 2147483647) / 2147483648.0)`
/** SQL for a random number from 1 to `most`, in which k has a probability in proportion to 1 / k. */
const zipf = (n: string, name: number, most: number) =>
  `least(${most}, floor(exp(${chance(n, name)} * ln(${most} + 1.0)))::bigint)`

async function storePlaces(sql: Sql, { users, spaces }: StoredUsage): Promise<void> {
  await sql(
    "insert into users (name, brand, created_at) select 'Person ' || n, case when n % 4 = 0 then 'other' else 'turnpike' end, now() from generate_series(1, $1::integer) n",
    [users],
  )
  await sql("insert into wallets (user_id, balance_credit_micros) select user_id, 1e12 from users")
  // Most spaces have different owners. A few users own many of the other spaces.
  await sql(
    `insert into spaces (slug, user_id, title, created_at, updated_at)
     select 'spc_' || lpad(n::text, 26, '0'), case when n % 3 > 0 then n else ${zipf("n", 1, users)} end, 'Space ' || n, now(), now()
     from generate_series(1, $1::integer) n`,
    [spaces],
  )
}

const isReasoning = "m.model like 'gpt/%'"
/** SQL for each number of a rollup, from a row `m` of the calls that are made. */
const NUMBERS: Record<(typeof MEASURES)[number] | (typeof DAILY)[number] | "pictures" | "tokens_input_most", string> = {
  turns: "(m.step = 0)::integer",
  calls: "1",
  tokens_input: "m.tokens_input",
  tokens_cached: "m.tokens_cached",
  tokens_output: "m.tokens_output",
  tokens_reasoning: `case when ${isReasoning} then m.tokens_output / 2 else 0 end`,
  tokens_input_most: "m.tokens_input",
  cost_credit_micros: "m.cost_credit_micros",
  billed_credit_micros: "case when m.is_lost then 0 else m.cost_credit_micros end",
  refunded_credit_micros: "0",
  keyed_calls: "m.is_keyed::integer",
  duration_us: "case when m.is_keyed then (m.duration_sec * 1e6)::bigint else 0 end",
  pictures: "0",
}

async function storeDays(sql: Sql, { spaces }: StoredUsage, days: Day[], rolledTurns: number): Promise<void> {
  const list = days.map(({ day, firstTurn, turns }) => `('${day}'::date, ${firstTurn}, ${turns})`).join(", ")
  const columns = `turn_id, step, user_id, space_id, provider, subscription_id, model, role, tokens_input, tokens_cached, tokens_output,
    duration_sec, price_version, cost_credit_micros, billed_credit_micros, created_at, settled_at, conversation_id, test`
  const numbers = Object.keys(NUMBERS)
  const summed = numbers.map((name) => `${name === "tokens_input_most" ? "max" : "sum"}(${name})`)
  await sql(
    `do $$ begin
      perform set_config('session_replication_role', 'replica', true);
      perform set_config('work_mem', '256MB', true);
      create temporary table made on commit drop as
        select 'turn_' || lpad(c.n::text, 26, '0') as turn_id, c.n, c.step, s.user_id, c.space_id, c.ended_at,
          c.is_keyed, c.model_number, c.input as tokens_input, (c.input * ${chance("c.k", 2)} * 0.9)::bigint as tokens_cached,
          20 + (900 * ${chance("c.k", 3)})::bigint as tokens_output, case when c.step = 0 then 'orchestrator' else 'subagent' end as role,
          (array['claude/large', 'claude/medium', 'claude/small', 'gpt/large', 'gpt/small', 'open/free'])[c.model_number] as model,
          (array['anthropic', 'anthropic', 'anthropic', 'openai', 'openai', 'openai-compatible'])[c.model_number] as provider,
          case when c.model_number > 5 then null when ${chance("c.n", 4)} < 0.7
            then 'member-' || c.model_number / 4 || '-' || (1 + (hashint8(c.space_id) & 7)) else c.space_id::text end as subscription_id,
          c.seconds as duration_sec, 200 + (c.input * c.model_number / 3)::bigint as cost_credit_micros, ${chance("c.n", 5)} < 0.01 as is_lost
        from (select t.*, g.step, t.n * 8 + g.step as k, least(6, 1 + floor(-2 * ln(1 - ${chance("t.n * 8 + (g.step > 0)::integer", 6)})))::integer
              as model_number, 300 + (30000 * power(${chance("t.n * 8 + g.step", 7)}, 3))::bigint as input,
              round((0.5 + 20 * ${chance("t.n * 8 + g.step", 8)})::numeric, 3)::double precision as seconds
            from (select d.n, ${zipf("d.n", 9, spaces)} as space_id, ${chance("d.n", 10)} < 0.8 as is_keyed, ${chance("d.n", 11)} as u,
                (d.day + interval '1 day' * (d.f - sin(2 * pi() * d.f) / 9)) at time zone 'UTC' as ended_at
              from (select day, first + g as n, g / turns::double precision as f
                from (values ${list}) v(day, first, turns), generate_series(0, turns - 1) g) d) t,
              generate_series(0, case when t.u < 0.6 then 0 when t.u < 0.85 then 1 when t.u < 0.97 then 2 else 3 end) g(step)) c
          join spaces s on s.space_id = c.space_id
        order by c.k;
      insert into model_calls (${columns}, tokens_reasoning, key_id, end_user_ref)
        select turn_id, step, user_id, space_id, provider, subscription_id, model, role, tokens_input, tokens_cached, tokens_output,
          duration_sec, 1, cost_credit_micros, case when is_lost then 0 else cost_credit_micros end, ended_at, ended_at, 'conv', false,
          case when ${isReasoning} then tokens_output / 2 end,
          case when is_keyed then 'key' end, case when is_keyed then 'customer' else '' end
        from made m;
      create temporary table called on commit drop as
        select m.n, m.turn_id, m.ended_at, m.user_id, m.space_id, m.model, m.role,
          ${Object.entries(NUMBERS).map(([name, made]) => `${made} as ${name}`)},
          coalesce(m.subscription_id !~ '^[0-9]+$', false) as pooled,
          case when m.subscription_id !~ '^[0-9]+$' then m.subscription_id else m.provider end as provider_key,
          case when m.is_keyed then 'key' else '' end as key_id
        from made m;
      insert into turn_ends (ended_at, user_id, writer_id, space_id, ${numbers}, pooled, test, provider_key, role, model, state, turn_id,
          end_user_ref, key_id)
        select ended_at, user_id, user_id, space_id, ${summed}, pooled, false, provider_key, role, model, 'done', turn_id, 'customer', key_id
        from called where n > ${rolledTurns}
        group by n, turn_id, ended_at, user_id, space_id, model, provider_key, pooled, role, key_id order by n;
      delete from called where n > ${rolledTurns};
      ${ROLLUPS.map((rollup) => fillRollup(rollup, "called")).join(";\n      ")};
    end $$`,
  )
}

/** Stores the sums before the first day of each month, and the total. Each is the one before plus the days since. */
async function storeSums(sql: Sql): Promise<void> {
  const measures = "turns, calls, tokens_input, tokens_cached, tokens_output, cost_credit_micros, billed_credit_micros"
  const sums = measures.replace(/\w+/g, "sum($&)")
  const marks = await sql<{ until: string }>(
    `select m::date::text as until from (select min(day) as first, max(day) as last from space_days) x,
       generate_series(date_trunc('month', x.first + interval '1 month'), x.last, interval '1 month') m group by 1 order by 1`,
  )
  for (const [subject, keys] of [
    ["space", "space_id"],
    ["user", "user_id"],
    ["provider_space", "provider_key, space_id"],
  ]) {
    let former = "-infinity"
    for (const until of [...marks.map((mark) => mark.until), "infinity"]) {
      await sql(
        `insert into ${subject}_sums (until, ${keys}, ${measures}) select $1::date, ${keys}, ${sums} from (
           select ${keys}, ${measures} from ${subject}_sums where until = $2::date
           union all select ${keys}, ${measures} from ${subject}_days where day >= $2::date and day < $1::date) s group by ${keys} order by ${keys}`,
        [until, former],
      )
      former = until
    }
  }
  await sql("insert into usage_marks select distinct until from space_sums where until < 'infinity'")
}

async function storeLedger(sql: Sql, { ledgerRows, users, ends, ledgerTail }: StoredUsage): Promise<void> {
  await sql(
    `do $$ begin
      perform set_config('session_replication_role', 'replica', true);
      perform set_config('work_mem', '256MB', true);
      insert into ledger (user_id, reason, amount_credit_micros, balance_after_credit_micros, actor, created_at, reference)
        select user_id, reason, amount, 1e9 + sum(amount) over (partition by user_id order by n), 'bench', at,
          case when amount > 0 then 'bench:' || n end
        from (select n, ${zipf("n", 21, users)} as user_id, '${ends.toISOString()}'::timestamptz
            - interval '1 day' * ${DAYS} * (1 - n / ${ledgerRows}::double precision) as at,
          case when ${chance("n", 22)} < 0.95 then 'usage' when ${chance("n", 22)} < 0.96 then 'space_usage'
            else (array['admin_grant', 'manual_topup', 'credit_purchase', 'signup_credit', 'admin_action'])[1 + n % 5] end as reason,
          case when ${chance("n", 22)} < 0.96 then -1 - (1000 * ${chance("n", 23)})::bigint else 1 + (30000 * ${chance("n", 23)})::bigint end as amount
          from generate_series(1, ${ledgerRows - 1}::bigint) n) e order by n;
      insert into ledger_queue select ledger_id, user_id, amount_credit_micros, balance_after_credit_micros, created_at, reason
        from ledger where ledger_id > ${ledgerRows - 1 - ledgerTail} order by ledger_id;
      insert into ledger_days select (created_at at time zone 'UTC')::date, reason, brand, count(*),
          coalesce(sum(amount_credit_micros) filter (where amount_credit_micros > 0), 0),
          coalesce(sum(amount_credit_micros) filter (where amount_credit_micros < 0), 0)
        from ledger join account_brands using (user_id) where ledger_id <= ${ledgerRows - 1 - ledgerTail} group by 1, 2, 3;
      insert into ledger_user_days (user_id, day, ledger_id, balance_after_credit_micros, debits)
        select user_id, (created_at at time zone 'UTC')::date as day, max(ledger_id), (array_agg(balance_after_credit_micros order by ledger_id desc))[1],
          count(*) filter (where reason in ('usage', 'space_usage'))
        from ledger where ledger_id <= ${ledgerRows - 1 - ledgerTail} group by 1, 2 order by 2;
      insert into ledger_users (user_id, ledger_id, balance_after_credit_micros, debited_at)
        select user_id, max(ledger_id), (array_agg(balance_after_credit_micros order by ledger_id desc))[1],
          max(created_at) filter (where reason in ('usage', 'space_usage'))
        from ledger where ledger_id <= ${ledgerRows - 1 - ledgerTail} group by 1;
      update wallets w set balance_credit_micros = l.balance_after_credit_micros from ledger_users l where l.user_id = w.user_id;
    end $$`,
  )
}
