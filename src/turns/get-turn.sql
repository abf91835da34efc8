-- Returns a turn that the caller may see, else null. waits_behind: see waiting_before. waits_behind_until: when the
-- turn is cancelled if that one still waits.
create function turnpike.get_turn(p_request turnpike.request, p_turn_id text,
  out actor turnpike.caller, out turn turns, out slug text, out waits_behind text, out waits_behind_until timestamptz)
language plpgsql as $$
declare
  caller turnpike.caller;
  found_turn turns;
  space spaces;
begin
  {{caller.opens}}
  select t.* into found_turn from turns t where t.turn_id = p_turn_id;
  select s.* into space from spaces s where s.space_id = found_turn.space_id;
  if turnpike.in_scope(caller, space.user_id, space.test, space.created_by_key_id, space.space_id)
    or turnpike.is_sent_by(caller, found_turn.member_id, space)
  then
    turn := found_turn;
    turn.waiting := turnpike.waiting_now(found_turn, p_request.moment);
    slug := space.slug;
    if found_turn.state = 'queued' then
      waits_behind := turnpike.waiting_before(found_turn.conversation_id);
      if waits_behind is not null then
        select o.expires_at into waits_behind_until
          from open_turns o
          where o.user_id = found_turn.user_id and o.test = found_turn.test
            and o.turn_id collate "C" = found_turn.turn_id;
      end if;
    end if;
  end if;
  {{caller.closes}}
end $$;

-- Returns a page of a turn's events after p_after_seq, oldest first.
-- state and last_seq (the number of its last event) are null if the caller may not see the turn.
-- p_reader_until: the caller follows the turn until then, so its text is written while it is produced; null for a
-- page that is read once. The mark is written again only if the old one ends before p_reader_soon.
-- worker: the claim_message of a running turn.
create function turnpike.read_turn_events(p_request turnpike.request,
  p_turn_id text, p_after_seq integer, p_limit integer, p_reader_until timestamptz, p_reader_soon timestamptz,
  out actor turnpike.caller, out state text, out last_seq integer, out waits boolean, out worker text,
  out events turn_log[])
language plpgsql as $$
declare
  caller turnpike.caller;
  found_turn turns;
  space spaces;
begin
  {{caller.opens}}
  events := '{}';
  select t.* into found_turn from turns t where t.turn_id = p_turn_id;
  select s.* into space from spaces s where s.space_id = found_turn.space_id;
  if turnpike.in_scope(caller, space.user_id, space.test, space.created_by_key_id, space.space_id)
    or turnpike.is_sent_by(caller, found_turn.member_id, space)
  then
    if found_turn.state in ('queued', 'running') and p_reader_until is not null
      and coalesce(found_turn.stream_until < p_reader_soon, true)
    then
      update turns t set stream_until = p_reader_until
        where t.turn_id = p_turn_id and t.state in ('queued', 'running');
    end if;
    state := found_turn.state;
    worker := case when state = 'running' then found_turn.claim_message end;
    waits := found_turn.waiting is not null
      or (state = 'queued' and turnpike.waiting_before(found_turn.conversation_id) is not null);
    -- Deleted steps leave no log, so nothing follows.
    last_seq := case when found_turn.steps_deleted_at is null then found_turn.last_event_seq else 0 end;
    events := array(select n from turn_log n where n.turn_id = p_turn_id and n.seq > p_after_seq
      order by n.seq limit p_limit);
  end if;
  {{caller.closes}}
end $$;

-- Returns how far turns have come, for requests that wait for them. It returns no content, so it needs no caller.
-- waits: the turn waits, or an earlier turn of its conversation does.
create function turnpike.get_turn_marks(p_turn_ids text[])
returns table (turn_id text, last_seq integer, ended boolean, waits boolean) language plpgsql stable as $$
begin
  return query select t.turn_id, t.last_event_seq, t.state in ('done', 'failed', 'cancelled'),
    t.waiting is not null or (t.state = 'queued' and turnpike.waiting_before(t.conversation_id) is not null)
    from turns t
    where t.turn_id = any (p_turn_ids);
end $$;
