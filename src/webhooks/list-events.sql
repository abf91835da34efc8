create type turnpike.listed_event as (
  full_event turnpike.full_event,
  -- `<transaction>_<event id>`: the event's position in the order of commits.
  feed_key text
);

-- True if a forward reader's position is from before a restore (src/ops/restored.ts): it is older than the restore, and
-- no stored event has it. Restored events have the transaction 0 and are in the order of their ids. So such a reader
-- continues a minute earlier and misses none.
create function turnpike.is_from_before_restore(caller turnpike.caller, p_xact text, p_event_id text) returns boolean
language plpgsql stable set enable_seqscan = off as $$
begin
  return coalesce(p_xact, '0') <> '0'
    and exists (select from restores r where turnpike.time_of_id(p_event_id) < r.restored_at)
    and not exists (select from events e where e.user_id = caller.user_id and e.test = caller.test
      and e.event_id collate "C" = p_event_id and e.xact = p_xact::xid8);
end $$;

-- A page of the events that a caller may see: at most p_limit events and about p_bytes. more: the list continues.
-- p_forward: in the order of commits after (p_after_xact, p_after), and only events older than every open transaction.
-- Otherwise newest first, before the event p_after.
create function turnpike.list_events(p_request turnpike.request,
  p_forward boolean, p_type text, p_turn_id text, p_created_after timestamptz, p_created_before timestamptz,
  p_after_xact text, p_after text, p_limit integer, p_bytes integer, out actor turnpike.caller,
  out events turnpike.listed_event[], out more boolean)
language plpgsql set enable_seqscan = off set enable_sort = off set jit = off as $$
declare
  caller turnpike.caller;
  -- An id starts with the millisecond of created_at, so the index can use bounds on the id.
  first_id text := coalesce('evt_' || turnpike.id_time(p_created_after), '');
  end_id text := coalesce('evt_' || turnpike.id_time(p_created_before), 'evt_~');
  since timestamptz := coalesce(p_created_after, '-infinity');
  until timestamptz := coalesce(p_created_before, 'infinity');
  after_xact xid8 := coalesce(p_after_xact, '0')::xid8;
  after_id text := coalesce(p_after, case when p_forward then '' else 'evt_~' end);
  page refcursor;
  event events;
  full_event turnpike.full_event;
  found_turn record;
  bytes bigint := 0;
  shown turnpike.listed_event[] := '{}';
begin
  {{caller.opens}}
  if turnpike.is_from_before_restore(caller, p_after_xact, p_after) then
    after_xact := '0';
    after_id := 'evt_' || turnpike.id_time(turnpike.time_of_id(p_after) - interval '1 minute');
  end if;
  if p_turn_id is not null and p_forward then
    -- Only the index of turns fits what is within.
    open page for select e.* from (select n.* from events n where n.turn_id = p_turn_id offset 0) e
      where e.user_id = caller.user_id and e.test = caller.test and turnpike.sees(caller, e)
        and e.xact < pg_snapshot_xmin(pg_current_snapshot())
        and (e.xact, e.event_id collate "C") > (after_xact, after_id)
        and e.created_at >= since and e.created_at < until and (p_type is null or e.type = p_type)
      order by e.xact, e.event_id collate "C" limit p_limit + 1;
  elsif p_turn_id is not null then
    open page for select e.* from (select n.* from events n where n.turn_id = p_turn_id offset 0) e
      where e.user_id = caller.user_id and e.test = caller.test and turnpike.sees(caller, e)
        and e.event_id collate "C" < after_id
        and e.created_at >= since and e.created_at < until and (p_type is null or e.type = p_type)
      order by e.event_id collate "C" desc limit p_limit + 1;
  elsif p_forward then
    open page for select e.* from events e
      where e.user_id = caller.user_id and e.test = caller.test and turnpike.sees(caller, e)
        and e.xact < pg_snapshot_xmin(pg_current_snapshot())
        and (e.xact, e.event_id collate "C") > (after_xact, after_id)
        and e.event_id collate "C" >= first_id and e.event_id collate "C" < end_id
        and e.created_at >= since and e.created_at < until and (p_type is null or e.type = p_type)
      order by e.xact, e.event_id collate "C" limit p_limit + 1;
  else
    open page for select e.* from events e
      where e.user_id = caller.user_id and e.test = caller.test and turnpike.sees(caller, e)
        and e.event_id collate "C" < after_id and e.event_id collate "C" >= first_id and e.event_id collate "C" < end_id
        and e.created_at >= since and e.created_at < until and (p_type is null or e.type = p_type)
      order by e.event_id collate "C" desc limit p_limit + 1;
  end if;
  more := false;
  loop
    fetch page into event;
    exit when event.event_id is null;
    select t as turn, s.slug, turnpike.event_bytes(t) as size into found_turn
      from (select) one
        left join turns t on t.turn_id = event.turn_id
        left join spaces s on s.space_id = t.space_id;
    bytes := bytes + found_turn.size;
    more := cardinality(shown) > 0 and (cardinality(shown) = p_limit or bytes > p_bytes);
    exit when more;
    full_event := row(event, found_turn.turn, found_turn.slug);
    shown := shown || row(full_event, event.xact || '_' || event.event_id)::turnpike.listed_event;
  end loop;
  close page;
  events := shown;
  {{caller.closes}}
end $$;

-- One event that the caller may see; null if there is no such event.
create function turnpike.get_event(p_request turnpike.request,
  p_event_id text, out actor turnpike.caller, out full_event turnpike.full_event) language plpgsql as $$
declare
  caller turnpike.caller;
begin
  {{caller.opens}}
  full_event := (select (e, t, s.slug)::turnpike.full_event
    from events e left join turns t on t.turn_id = e.turn_id left join spaces s on s.space_id = t.space_id
    where e.event_id collate "C" = p_event_id and e.user_id = caller.user_id and e.test = caller.test
      and turnpike.sees(caller, e)
    limit 1);
  {{caller.closes}}
end $$;
