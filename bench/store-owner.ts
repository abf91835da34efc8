import type { Sql } from "./site.ts"
import { sqlIdTime } from "./store-books.ts"
import { rollQueue } from "./stored-analytics.ts"

/** An account with much of everything. */
interface OwnerSizes {
  userId: number
  spaces: number
  endUsers: number
  /** Ended turns, the same number in each hour of the last year. */
  turns: number
}

const BILL = 500

/** Gives an account spaces and the turns of a year, with all that counts them. */
export async function storeOwner(sql: Sql, { userId, spaces, endUsers, turns }: OwnerSizes): Promise<void> {
  await sql(
    `do $$ begin
      perform set_config('session_replication_role', 'replica', true);
      create temporary table places on commit drop as
        with made as (
          insert into spaces (slug, user_id, title, created_at, updated_at)
            select 'spc_of_owner_' || n, ${userId}, 'Space ' || n, now() - interval '1 year', now()
            from generate_series(0, ${spaces - 1}) n
          returning space_id, slug
        ) select space_id, split_part(slug, '_', 4)::integer as place from made;
      create temporary table made on commit drop as
        select 'turn_' || ${sqlIdTime("m.ms")} || lpad(n::text, 16, 'z') as turn_id, n, p.space_id, 'customer-' || n % ${endUsers} as customer,
          to_timestamp(m.ms / 1000.0) as at, case when n % 20 = 1 then 'failed' else 'done' end as state
        from generate_series(0, ${turns - 1}) n
        join places p on p.place = n % ${spaces},
        lateral (select (extract(epoch from now()) * 1000)::bigint - 3600000::bigint * (1 + n % 8700) - n % 3600 as ms) m;
      insert into turns (turn_id, user_id, key_id, space_id, conversation_id, position, test, end_user_ref, idempotency_key,
          request_hash, text, model, state, result, config_version, hold_credit_micros, held_credit_micros, cost_credit_micros,
          billed_credit_micros, model_calls, tokens_input, tokens_output, epoch, last_event_seq, created_at, started_at, finished_at,
          error_code, error_message, price_version)
        select turn_id, ${userId}, k.key_id, space_id, 'conv_' || n, 1, false, customer, turn_id, md5(n::text),
          repeat('Where is my order? ', 10), 'rehearsal/standard', state, repeat('It will arrive tomorrow. ', 10), 1, 2500000, 0, ${BILL},
          ${BILL}, 1, 10, 10, 1, 3, at, at, at, case when state = 'failed' then 'MODEL_UNAVAILABLE' end,
          case when state = 'failed' then 'The model did not respond.' end, 1
        from made, (select key_id from api_keys where user_id = ${userId} limit 1) k;
      insert into ended_turns (turn_id, user_id, test, finished_at, space_id, key_id, end_user_ref, billed_credit_micros, model_calls,
          tokens_input, tokens_cached, tokens_output, state, status_reason, model, created_at)
        select m.turn_id, user_id, false, at, m.space_id, key_id, customer, ${BILL}, 1, 10, 0, 10, m.state, error_code, model, at
        from made m join turns t on t.turn_id = m.turn_id;
      insert into usage (turn_id, step, user_id, space_id, key_id, end_user_ref, conversation_id, test, provider, model, tokens_input,
          tokens_cached, tokens_output, duration_sec, price_version, cost_credit_micros, billed_credit_micros, created_at, settled_at)
        select m.turn_id, 0, user_id, m.space_id, key_id, customer, conversation_id, false, 'rehearsal', model, 10, 0, 10, 0.1, 1, ${BILL},
          ${BILL}, at, at
        from made m join turns t on t.turn_id = m.turn_id;
      insert into turn_ends (ended_at, user_id, writer_id, space_id, tokens_input, tokens_cached, tokens_output, tokens_input_most,
          cost_credit_micros, billed_credit_micros, duration_us, calls, keyed_calls, pictures, turns, pooled, test, provider_key,
          role, model, state, turn_id, end_user_ref, key_id)
        select at, ${userId}, ${userId}, space_id, 10, 0, 10, 10, ${BILL}, ${BILL}, 100000, 1, 1, 0, 1, false, false, 'rehearsal',
          'orchestrator', 'rehearsal/standard', state, turn_id, customer, k.key_id
        from made, (select key_id from api_keys where user_id = ${userId} limit 1) k order by n;
      insert into ledger (user_id, reason, amount_credit_micros, balance_after_credit_micros, turn_id, actor, created_at)
        select ${userId}, 'usage', -${BILL}, 1e12 - ${BILL} * (n + 1)::bigint, turn_id, 'turn', at from made order by n;
      insert into ledger_queue (ledger_id, user_id, amount_credit_micros, balance_after_credit_micros, created_at, reason)
        select ledger_id, user_id, amount_credit_micros, balance_after_credit_micros, created_at, reason from ledger
        where user_id = ${userId} and reason = 'usage' order by ledger_id;
    end $$`,
  )
  for (const roller of ["roll_turns", "roll_ledger"] as const) await rollQueue(sql, roller)
  await sql("vacuum analyze")
}
