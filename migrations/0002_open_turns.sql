-- phase: before-deploy
-- Open turns in a table of their own, and the releases of procedures. Workers of the former release go on writing turns alone: a
-- trigger keeps open_turns in step with them until 0008.
create table procedure_releases (
  name text primary key,
  applied_at timestamptz not null
);

create table open_turns (
  turn_id text primary key,
  conversation_id text not null,
  position bigint not null,
  user_id bigint not null,
  test boolean not null,
  state text not null check (state in ('queued', 'running')),
  wake_at timestamptz not null,
  created_at timestamptz not null,
  unique (conversation_id, position)
) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_threshold = 500);
create unique index open_turns_one_running_per_conversation on open_turns (conversation_id) where state = 'running';
create index open_turns_to_wake on open_turns (wake_at, turn_id) where wake_at < 'infinity';
create index open_turns_by_age on open_turns (created_at);
create index open_turns_of_owner on open_turns (user_id, test, turn_id collate "C" desc);

create function keep_open_turn() returns trigger language plpgsql as $$
begin
  if new.state in ('queued', 'running') then
    insert into open_turns as o (turn_id, conversation_id, position, user_id, test, state, wake_at, created_at)
    values (new.turn_id, new.conversation_id, new.position, new.user_id, new.test, new.state,
      coalesce(new.wake_at, new.lease_until, new.created_at), new.created_at)
    on conflict (turn_id) do update set state = excluded.state, wake_at = coalesce(new.wake_at, new.lease_until, o.wake_at);
  else
    delete from open_turns o where o.turn_id = new.turn_id;
    -- The next one of its conversation may have been accepted by a worker of this release, which leaves its time to whoever ends this one.
    update open_turns o set wake_at = new.finished_at where o.wake_at = 'infinity'
      and o.turn_id = (select e.turn_id from open_turns e where e.conversation_id = new.conversation_id order by e.position limit 1);
  end if;
  return null;
end $$;
create trigger turns_keep_open_made after insert on turns for each row
  when (current_query() not like 'select * from turnpike\_%') execute function keep_open_turn();
create trigger turns_keep_open_changed after update on turns for each row
  when ((new.state, new.wake_at) is distinct from (old.state, old.wake_at)
    and current_query() not like 'select * from turnpike\_%') execute function keep_open_turn();
