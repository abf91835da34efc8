-- phase: after-deploy
-- transaction: none
-- Web-chat turns that workers of the former release have run, whole or in part, get one call: the whole turn.
create index concurrently if not exists api_turns_without_calls on api_turns (turn_id) where calls_kept is null;

-- batch
with part as (
  select a.* from api_turns a where a.calls_kept is null order by a.turn_id limit 500
), surplus as (
  delete from chat_calls c using part p where c.turn_id = p.turn_id and (c.step, coalesce(c.call, -1)) <> (0, -1)
), made as (
  insert into chat_calls (turn_id, step, user_id, space_id, conversation_id, test, provider, model, role, tokens_input, tokens_cached,
    tokens_cache_written, tokens_output, duration_sec, price_version, cost_credit_micros, billed_credit_micros, created_at, settled_at)
  select p.turn_id, 0, p.user_id, p.space_id, t.conversation_id, t.test, p.provider, p.model, 'orchestrator', p.tokens_input,
    p.tokens_cached, p.tokens_cache_written, p.tokens_output, p.duration_sec, coalesce(t.price_version, 1), p.cost_credit_micros,
    p.billed_credit_micros, p.created_at, coalesce(t.finished_at, p.created_at)
  from part p join turns t on t.turn_id = p.turn_id
  on conflict (turn_id, step, coalesce(call, -1)) do update set provider = excluded.provider, model = excluded.model,
    role = excluded.role, subagent = null, tokens_input = excluded.tokens_input, tokens_cached = excluded.tokens_cached,
    tokens_cache_written = excluded.tokens_cache_written, tokens_output = excluded.tokens_output, duration_sec = excluded.duration_sec,
    price_version = excluded.price_version, cost_credit_micros = excluded.cost_credit_micros,
    billed_credit_micros = excluded.billed_credit_micros, created_at = excluded.created_at, settled_at = excluded.settled_at
)
update api_turns a set calls_kept = 1 from part p where a.turn_id = p.turn_id;

drop index concurrently if exists api_turns_without_calls;
