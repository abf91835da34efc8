import type { Sql } from "./site.ts"

const BATCH = 100_000
/** The rows that `storeRetained` adds for each turn, with the turn itself. */
export const ROWS_OF_TURN = 12

/** Adds to each stored turn three events, two steps, two events of its log, two deliveries and two attempts. */
export async function storeRetained(sql: Sql): Promise<void> {
  await sql(
    `insert into webhook_endpoints (webhook_id, user_id, test, scope, url, target, secret, slot, disabled_at, disabled_reason,
        created_at, updated_at)
      select 'whk_' || u.user_id, u.user_id, false, 'all', 'https://a.test', 'https://a.test', 'x', 1, now(), 'customer', now(), now()
      from users u where exists (select from turns t where t.user_id = u.user_id)`,
  )
  for (let last = ""; ; ) {
    const [batch] = await sql<{ last: string | null }>(
      `select max(turn_id) as last from (select turn_id from turns where turn_id > $1 order by turn_id limit ${BATCH}) t`,
      [last],
    )
    if (!batch?.last) return
    await sql(
      `do $$ begin
        -- The rows are known to be valid.
        perform set_config('session_replication_role', 'replica', true);
        create temporary table made on commit drop as
          select t.turn_id, substr(t.turn_id, 6) as id, t.user_id, t.space_id, t.finished_at from turns t
          where t.turn_id > '${last}' and t.turn_id <= '${batch.last}';
        insert into events (event_id, user_id, test, type, turn_id, seq, space_id, created_at, xact)
          select 'evt_' || substr(m.id, 1, 10) || e.seq || substr(m.id, 12), m.user_id, false, e.type, m.turn_id, e.seq, m.space_id,
            m.finished_at, '0'
          from made m, (values (1, 'turn.queued'), (2, 'turn.running'), (7, 'turn.done')) e (seq, type);
        insert into turn_steps (turn_id, step, epoch, text, content, results, finish, cost_credit_micros, created_at, model, tokens_input)
          select m.turn_id, s, 1, 'I look it up.', '[{"type": "tool-call", "toolName": "lookup_order", "input": {"id": "A-1"}}]',
            '{"0": {"type": "text", "value": "The order left on Monday."}}', 'stop', 0, m.finished_at, 'rehearsal/standard', 10
          from made m, generate_series(0, 1) s;
        insert into turn_events (turn_id, seq, event_id, type, data, created_at)
          select m.turn_id, 3 + s, 'evt_' || substr(m.id, 1, 10) || 3 + s || substr(m.id, 12), 'tool.ended',
            '{"step": 0, "call": 0, "name": "lookup_order", "ok": true, "duration_ms": 12}', m.finished_at
          from made m, generate_series(0, 1) s;
        insert into webhook_deliveries (delivery_id, webhook_id, event_id, turn_id, seq, state, attempts, created_at, finished_at)
          select 'dlv_' || substr(m.id, 1, 10) || s || substr(m.id, 12), 'whk_' || m.user_id,
            'evt_' || substr(m.id, 1, 10) || s || substr(m.id, 12), m.turn_id, s, 'delivered', 1, m.finished_at, m.finished_at
          from made m, generate_series(1, 2) s;
        insert into webhook_attempts (delivery_id, attempt, status, answer, duration_ms, created_at)
          select 'dlv_' || substr(m.id, 1, 10) || s || substr(m.id, 12), 1, 200, '{"ok":true}', 12, m.finished_at
          from made m, generate_series(1, 2) s;
      end $$`,
    )
    last = batch.last
  }
}
