-- Writes an event for each change that is queued, at most p_most, oldest first. taken: the changes that left the queue.
-- accounts: those with an endpoint that gets an event. Facts of operators are not their owner's, as in Activity.
-- p_of_account: the actions on users that concern all people of an account. Others are those of its own user, and no
-- event: all people of the account read its events, and the servers of developers receive them.
create function turnpike.tell_activity(p_of_account jsonb, p_most integer, p_moment timestamptz,
  out taken integer, out accounts bigint[])
language plpgsql set enable_seqscan = off set jit = off as $$
declare
  entries turnpike.new_event[];
  heard text[];
begin
  with gone as (
    delete from activity_queue q
      where q.audit_id = any (array(
        select n.audit_id from activity_queue n order by n.audit_id limit p_most for update skip locked))
      returning q.audit_id
  ), made as (
    select a, k.name as key_name, u.name as user_name, turnpike.maker_of_change(a.key_id, a.action, a.actor_role,
        a.actor_user_id, a.account_user_id, a.subject_type, u.role) as maker,
      row_number() over (order by a.audit_id) as place
    from gone g
      join audit_log a on a.audit_id = g.audit_id
      left join users u on u.user_id = a.actor_user_id
      left join api_keys k on k.key_id = a.key_id
    where a.subject_type <> 'user' or p_of_account ? a.action
  )
  select array_agg(row(turnpike.activity_event_id(p_moment, m.place), (m.a).account_user_id, false, 'activity.recorded',
    null, null, null, null, turnpike.activity_data(m.a, m.maker, coalesce(m.key_name, m.user_name)),
    null)::turnpike.new_event
      order by (m.a).audit_id), (select count(*) from gone) into entries, taken
  from made m;
  heard := turnpike.add_events(coalesce(entries, '{}'), p_moment);
  select array_agg(distinct e.user_id) into accounts
    from unnest(entries) e
    where e.event_id = any (heard);
end $$;

-- Ids of one moment sort by their place among its events.
create function turnpike.activity_event_id(p_moment timestamptz, p_place bigint) returns text
language sql volatile as $$
  select overlay(turnpike.event_id_at(p_moment, 5) placing lpad(to_hex(p_place), 4, '0') from 16)
$$;

-- The data of the event of a change.
create function turnpike.activity_data(entry audit_log, p_maker text, p_name text) returns jsonb
language sql immutable as $$
  select jsonb_build_object('audit_id', entry.audit_id, 'action', entry.action, 'subject_type', entry.subject_type,
    'subject_id', entry.subject_id, 'by', p_maker, 'name', case when p_maker <> 'operator' then p_name end,
    'actor_user_id', entry.actor_user_id, 'actor_role', entry.actor_role, 'key_id', entry.key_id,
    'before', case when p_maker <> 'operator' then entry.before end,
    'after', case when p_maker <> 'operator' then entry.after end, 'request_id', entry.request_id,
    'address', null, 'is_self', false,
    'created_at', entry.created_at)
$$;
