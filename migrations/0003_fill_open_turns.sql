-- phase: before-deploy
-- transaction: none
-- Under the lock of each turn, so that one which ends at this moment is not left behind as open.

-- batch
insert into open_turns (turn_id, conversation_id, position, user_id, test, state, wake_at, created_at)
select t.turn_id, t.conversation_id, t.position, t.user_id, t.test, t.state, coalesce(t.wake_at, t.lease_until, t.created_at), t.created_at
from turns t
where t.state in ('queued', 'running') and t.turn_id in (
  select w.turn_id from turns w where w.state in ('queued', 'running')
    and not exists (select from open_turns o where o.turn_id = w.turn_id)
  order by w.turn_id limit 200)
for no key update of t
on conflict do nothing;

create index concurrently turns_not_done on turns (user_id, test, turn_id collate "C" desc) where status_reason is not null;

-- An Idempotency-Key is looked up by an index of its own: of those that begin with the account, a plan from when the table was empty
-- may take any, and then reads all turns of the account.
create unique index concurrently turns_once on turns ((user_id::text || ' ' || test::text || ' ' || idempotency_key));
