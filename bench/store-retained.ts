import type { Sql } from "./site.ts"
import { sqlIdTime } from "./store-books.ts"

const BATCH = 50_000
/** The rows that `storeRetained` adds for each turn, with the turn itself. */
export const ROWS_OF_TURN = 12

/**
 * Stores ended turns of accounts 1 to `accounts` in the year that ends at `ends`. Each has three events, two steps, two
 * events of its log, two deliveries and two attempts. They are not billed and in no report.
 */
export async function storeRetained(sql: Sql, options: { turns: number; accounts: number; ends: Date }): Promise<void> {
  const { turns, accounts, ends } = options
  const stepMs = Math.floor((365 * 86_400_000) / turns)
  const begins = ends.getTime() - turns * stepMs
  await sql(
    `insert into webhook_endpoints (webhook_id, user_id, test, scope, url, target, secret, slot, disabled_at, disabled_reason,
        made_by, created_at, updated_at)
      select 'whk_' || u.user_id, u.user_id, false, 'all', 'https://a.test', 'https://a.test', 'x', 1, now(), 'customer', u.user_id, now(), now()
      from users u`,
  )
  for (let from = 0; from < turns; from += BATCH) {
    await sql(
      `do $$ begin
        -- The rows are known to be valid.
        perform set_config('session_replication_role', 'replica', true);
        create temporary table made on commit drop as
          select ${sqlIdTime("ms")} || lpad(n::text, 16, '0') as id, 1 + n % ${accounts} as user_id, to_timestamp(ms / 1000.0) as at, n
          from generate_series(${from}, ${Math.min(from + BATCH, turns) - 1}) n, lateral (select ${begins} + n::bigint * ${stepMs} as ms) m;
        insert into turns (turn_id, user_id, key_id, space_id, conversation_id, position, test, end_user_ref, idempotency_key,
            request_hash, text, model, state, result, config_version, hold_credit_micros, held_credit_micros, epoch, last_event_seq,
            created_at, started_at, finished_at, price_version)
          select 'turn_' || id, user_id, 'key_' || user_id, user_id, 'conv_' || user_id, n, false, 'customer', n, md5(n::text),
            'Where is my order?', 'rehearsal/standard', 'done', 'The order left on Monday.', 1, 0, 0, 1, 7, at, at, at, 1
          from made;
        insert into events (event_id, user_id, test, type, turn_id, seq, space_id, created_at, xact)
          select 'evt_' || substr(id, 1, 10) || e.seq || substr(id, 12), user_id, false, e.type, 'turn_' || id, e.seq, user_id, at, '0'
          from made, (values (1, 'turn.queued'), (2, 'turn.running'), (7, 'turn.done')) e (seq, type);
        insert into turn_steps (turn_id, step, epoch, text, content, results, finish, cost_credit_micros, created_at, model, tokens_input)
          select 'turn_' || id, s, 1, 'I look it up.', '[{"type": "tool-call", "toolName": "lookup_order", "input": {"id": "A-1"}}]',
            '{"0": {"type": "text", "value": "The order left on Monday."}}', 'stop', 0, at, 'rehearsal/standard', 10
          from made, generate_series(0, 1) s;
        insert into turn_events (turn_id, seq, event_id, type, data, created_at)
          select 'turn_' || id, 3 + s, 'evt_' || substr(id, 1, 10) || 3 + s || substr(id, 12), 'tool.ended',
            '{"step": 0, "call": 0, "name": "lookup_order", "ok": true, "duration_ms": 12}', at
          from made, generate_series(0, 1) s;
        insert into webhook_deliveries (delivery_id, webhook_id, event_id, turn_id, seq, state, attempts, created_at, finished_at)
          select 'dlv_' || substr(id, 1, 10) || s || substr(id, 12), 'whk_' || user_id, 'evt_' || substr(id, 1, 10) || s || substr(id, 12),
            'turn_' || id, s, 'delivered', 1, at, at
          from made, generate_series(1, 2) s;
        insert into webhook_attempts (delivery_id, attempt, status, answer, duration_ms, created_at)
          select 'dlv_' || substr(id, 1, 10) || s || substr(id, 12), 1, 200, '{"ok":true}', 12, at from made, generate_series(1, 2) s;
      end $$`,
    )
  }
}
