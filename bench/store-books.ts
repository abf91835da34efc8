import type { Sql } from "./site.ts"
import { rollQueue } from "./stored-analytics.ts"

const TURNS_OF_ACCOUNT = 10_000
const LEAST_ACCOUNTS = 10
const END_USERS = 50
const BATCH = 250_000
const CREDIT = 1e12
const BILL = 500
const DAYS = 365

/** The parameters of a stored history. */
export interface StoredBooks {
  accounts: number
  /** Turn number n belongs to account 1 + n % accounts. It was accepted and ended at `begins` + n * `stepMs`. */
  turns: number
  begins: Date
  stepMs: number
}

/** The default number of accounts for this number of turns. */
const accountsOf = (turns: number) => Math.max(LEAST_ACCOUNTS, Math.ceil(turns / TURNS_OF_ACCOUNT))

/** Stores accounts, each with a key, a space and 50 end users, for turns in the year that ends at `ends`. */
export async function storeAccounts(
  sql: Sql,
  turns: number,
  ends: Date,
  accounts: number = accountsOf(turns),
): Promise<StoredBooks> {
  const begins = new Date(ends.getTime() - DAYS * 86_400_000)
  await sql("insert into users (name, created_at) select 'Account ' || n, $2 from generate_series(1, $1::integer) n", [
    accounts,
    begins,
  ])
  await sql("insert into wallets (user_id, balance_credit_micros) select user_id, $1 from users", [CREDIT])
  await sql(
    `insert into ledger (user_id, reason, amount_credit_micros, balance_after_credit_micros, actor, created_at)
     select user_id, 'operator_topup', $1, $1, 'bench', created_at from users order by user_id`,
    [CREDIT],
  )
  await sql(
    `insert into api_keys (key_id, user_id, hash, hint, name, scope, created_at)
     select 'key_' || user_id, user_id, int4send(user_id::integer), 'hint', 'bench', 'all', created_at from users`,
  )
  return { accounts, turns: 0, begins, stepMs: Math.floor((DAYS * 86_400_000) / turns) }
}

/**
 * Adds done and billed turns with their ledger and usage rows, and moves them into the rollups. For many turns it drops
 * indexes and creates them again afterwards.
 */
export async function storeTurns(sql: Sql, stored: StoredBooks, count: number): Promise<StoredBooks> {
  const indexes = count > BATCH ? await dropIndexes(sql) : []
  for (let from = stored.turns; from < stored.turns + count; from += BATCH) {
    const upto = Math.min(from + BATCH, stored.turns + count) - 1
    // Disables triggers and foreign keys for this transaction, because the rows are known to be valid.
    await sql(
      `do $$ begin
        perform set_config('session_replication_role', 'replica', true);
        create temporary table made on commit drop as
          select 'turn_' || ${sqlIdTime("ms")} || lpad(n::text, 16, '0') as turn_id, n, 1 + n % ${stored.accounts} as user_id,
            1 + n % ${stored.accounts} || '-' || n / ${stored.accounts} % ${END_USERS} as customer, to_timestamp(ms / 1000.0) as at
          from generate_series(${from}, ${upto}) n, lateral (select ${stored.begins.getTime()} + n::bigint * ${stored.stepMs} as ms) m;
        insert into turns (turn_id, user_id, key_id, space_id, conversation_id, position, test, end_user_ref, idempotency_key,
            request_hash, text, model, state, result, config_version, hold_credit_micros, held_credit_micros, cost_credit_micros,
            billed_credit_micros, model_calls, tokens_input, tokens_output, epoch, last_event_seq, created_at, started_at, finished_at,
            price_version)
          select turn_id, user_id, 'key_' || user_id, user_id, 'conv_' || customer, n / ${stored.accounts} / ${END_USERS} + 1, false,
            customer, n, md5(n::text), 'Where is my order?', 'rehearsal/standard', 'done', 'You said: Where is my order?', 1,
            2500000, 0, ${BILL}, ${BILL}, 1, 10, 10, 1, 3, at, at, at, 1
          from made;
        with booked as (
          insert into ledger (user_id, reason, amount_credit_micros, balance_after_credit_micros, turn_id, actor, created_at)
            select user_id, 'usage', -${BILL}, ${CREDIT} - ${BILL} * (n / ${stored.accounts} + 1)::bigint, turn_id, 'turn', at
            from made order by n
          returning *
        )
        insert into ledger_queue (ledger_id, user_id, amount_credit_micros, balance_after_credit_micros, created_at, reason)
          select ledger_id, user_id, amount_credit_micros, balance_after_credit_micros, created_at, reason from booked order by ledger_id;
        insert into turn_ends (ended_at, user_id, writer_id, space_id, tokens_input, tokens_cached, tokens_output, tokens_input_most,
            cost_credit_micros, billed_credit_micros, duration_us, calls, keyed_calls, pictures, turns, pooled, test, provider_key,
            role, model, state, turn_id, end_user_ref, key_id)
          select at, user_id, user_id, user_id, 10, 0, 10, 10, ${BILL}, ${BILL}, 100000, 1, 1, 0, 1, false, false, 'rehearsal', 'orchestrator',
            'standard', 'done', turn_id, customer, 'key_' || user_id
          from made order by n;
        insert into ended_turns (turn_id, user_id, test, finished_at, space_id, key_id, end_user_ref, billed_credit_micros, model_calls,
            tokens_input, tokens_cached, tokens_output, state, model, created_at)
          select turn_id, user_id, false, at, user_id, 'key_' || user_id, customer, ${BILL}, 1, 10, 0, 10, 'done', 'rehearsal/standard', at
          from made order by n;
        insert into usage (turn_id, step, user_id, space_id, key_id, end_user_ref, conversation_id, test, provider, model, tokens_input, tokens_cached,
            tokens_output, duration_sec, price_version, cost_credit_micros, billed_credit_micros, created_at, settled_at)
          select turn_id, 0, user_id, user_id, 'key_' || user_id, customer, 'conv_' || customer, false, 'rehearsal', 'standard', 10, 0, 10, 0.1, 1, ${BILL},
            ${BILL}, at, at
          from made order by n;
        insert into spend_counters as c (user_id, kind, subject, period, starts_at, spent_credit_micros, reserved_credit_micros)
          select user_id, p.kind, p.subject, p.period, date_trunc(p.period, at, 'UTC'), count(*) * ${BILL}, 0
          from made, lateral (values ('key', 'key_' || user_id, 'day'), ('end_user', customer, 'day'),
            ('end_user', customer, 'month')) p (kind, subject, period)
          -- As long as they are kept.
          where p.period = 'month' or at > now() - interval '40 days' group by 1, 2, 3, 4, 5
          on conflict (user_id, kind, subject, period, starts_at)
            do update set spent_credit_micros = c.spent_credit_micros + excluded.spent_credit_micros;
      end $$`,
    )
    for (const roller of ["roll_turns", "roll_ledger"] as const) await rollQueue(sql, roller)
  }
  await sql(
    `update wallets w set balance_credit_micros = l.total from users u, lateral (select n.balance_after_credit_micros as total
       from ledger n where n.user_id = u.user_id order by n.ledger_id desc limit 1) l where w.user_id = u.user_id`,
  )
  for (const index of indexes) await sql(index)
  return { ...stored, turns: stored.turns + count }
}

/** SQL for the first ten characters of an id, which are its time in milliseconds. */
export function sqlIdTime(ms: string): string {
  const place = (at: number) =>
    `substr('0123456789abcdefghjkmnpqrstvwxyz', 1 + (${ms} >> ${45 - 5 * at} & 31)::integer, 1)`
  return Array.from({ length: 10 }, (_, at) => place(at)).join(" || ")
}

/** Drops the indexes of the large tables, except indexes of constraints and one in use. Returns their definitions. */
async function dropIndexes(sql: Sql): Promise<string[]> {
  const rows = await sql<{ name: string; made: string }>(
    `select i.indexrelid::regclass::text as name, pg_get_indexdef(i.indexrelid) as made from pg_index i
     where i.indrelid in ('turns'::regclass, 'ledger'::regclass, 'model_calls'::regclass) and i.indexrelid <> 'ledger_by_owner'::regclass
       and not exists (select from pg_constraint c where c.conindid = i.indexrelid)`,
  )
  for (const { name } of rows) await sql(`drop index ${name}`)
  return rows.map(({ made }) => made)
}
