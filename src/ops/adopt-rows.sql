-- What each version of the whole schema has filled in until there were migrations: rows, and columns of rows that were there before.
-- In a database to which the last of them was applied, none of these changes anything.

insert into model_catalog (pin, engine, model, label, enabled, sort_order, price_input, price_cached, price_output, max_output_tokens)
values ('rehearsal/standard', 'rehearsal', 'standard', 'Rehearsal', true, 1000, 10000000, 1000000, 50000000, 8192)
on conflict (pin) do nothing;

-- batch
insert into space_configs (space_id, version, change, model, manifest, tools, mcp_servers, created_at)
select s.space_id, s.config_version, s.config_change, s.model, s.manifest, s.tools, s.mcp_servers, s.updated_at from spaces s
where not exists (select from space_configs c where c.space_id = s.space_id and c.version = s.config_version) limit 1000
on conflict do nothing;

-- batch
update usage u set settled_at = t.finished_at from turns t
where t.turn_id = u.turn_id and u.usage_id in (
  select w.usage_id from usage w join turns of_it on of_it.turn_id = w.turn_id
  where w.settled_at is null and of_it.finished_at is not null order by w.usage_id limit 1000);

-- batch
update conversations c set user_id = last.user_id, test = last.test, last_turn_at = last.created_at
from (select w.conversation_id from conversations w
    where w.user_id is null and exists (select from turns t where t.conversation_id = w.conversation_id and t.key_id is not null)
    order by w.conversation_id limit 500) page,
  lateral (select t.user_id, t.test, t.created_at from turns t
    where t.conversation_id = page.conversation_id and t.key_id is not null order by t.created_at desc limit 1) last
where c.conversation_id = page.conversation_id;

-- Counters are all there, or none is. What is accepted in this very moment is left to the reconciliation.
insert into spend_counters (user_id, kind, subject, period, starts_at, spent_credit_micros, reserved_credit_micros)
select t.user_id, p.kind, p.subject, p.period, p.starts_at, sum(t.billed_credit_micros), sum(t.held_credit_micros)
from turns t, lateral (values
  ('key', t.key_id, 'day', date_trunc('day', t.created_at, 'UTC')),
  ('end_user', t.end_user_ref, 'day', date_trunc('day', t.created_at, 'UTC')),
  ('end_user', t.end_user_ref, 'month', date_trunc('month', t.created_at, 'UTC'))) as p(kind, subject, period, starts_at)
where t.key_id is not null and not t.test
  and t.created_at >= least(date_trunc('month', now(), 'UTC'), date_trunc('day', now(), 'UTC') - interval '24 hours')
  and (p.period = 'day' or p.starts_at = date_trunc('month', now(), 'UTC'))
  and not exists (select 1 from spend_counters)
group by 1, 2, 3, 4, 5;
