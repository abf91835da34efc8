-- phase: after-deploy
-- transaction: none
-- Web-chat turns that workers of the former release have run, whole or in part, get one row: the whole turn.
create table if not exists chat_turns_left as
  select a.turn_id from api_turns a
    left join (select c.turn_id, sum(c.calls) as calls from chat_calls c where c.settled_at is not null group by c.turn_id) k on k.turn_id = a.turn_id
  where not a.calls_kept and coalesce(k.calls, 0) <> a.model_calls;

-- batch
with part as (
  delete from chat_turns_left l where l.ctid = any (array(select f.ctid from chat_turns_left f limit 500)) returning l.turn_id
), surplus as (
  delete from chat_calls c using part p where c.turn_id = p.turn_id and (c.step, coalesce(c.call, -1)) <> (0, -1)
)
insert into chat_calls (turn_id, step, user_id, space_id, conversation_id, test, provider, model, role, tokens_input, tokens_cached,
  tokens_cache_written, tokens_output, duration_sec, price_version, cost_credit_micros, billed_credit_micros, created_at, settled_at, calls)
select a.turn_id, 0, a.user_id, a.space_id, t.conversation_id, t.test, a.provider, a.model, 'orchestrator', a.tokens_input, a.tokens_cached,
  a.tokens_cache_written, a.tokens_output, a.duration_sec, coalesce(t.price_version, 1), a.cost_credit_micros, a.billed_credit_micros,
  a.created_at, coalesce(t.finished_at, a.created_at), a.model_calls
from part p join api_turns a on a.turn_id = p.turn_id join turns t on t.turn_id = p.turn_id
on conflict (turn_id, step, coalesce(call, -1)) do update set provider = excluded.provider, model = excluded.model, role = excluded.role,
  subagent = null, tokens_input = excluded.tokens_input, tokens_cached = excluded.tokens_cached,
  tokens_cache_written = excluded.tokens_cache_written, tokens_output = excluded.tokens_output, duration_sec = excluded.duration_sec,
  price_version = excluded.price_version, cost_credit_micros = excluded.cost_credit_micros,
  billed_credit_micros = excluded.billed_credit_micros, created_at = excluded.created_at, settled_at = excluded.settled_at,
  calls = excluded.calls;

drop table if exists chat_turns_left;
