-- An end user in a list, with the time by which the list is sorted.
create type turnpike.listed_end_user as (
  end_user turnpike.end_user_answer,
  active_at timestamptz
);

-- Up to p_limit end users that a caller can see, most recent turn first; active_at is the time of that turn. The
-- page starts after (p_before_at, p_before_ref); null for the first page. Each end user is found once, at the
-- newest conversation, so the cost of a page is proportional to its rows and to the conversations of its last hour.
-- End users with limits but without turns are sorted by the time of their limits. Only callers that can access the
-- whole account get these. p_blocked: only blocked end users, or only the others; null for all. p_q: a part of the
-- reference, case does not matter; null for all.
create function turnpike.list_end_users(p_request turnpike.request,
  p_blocked boolean, p_q text, p_before_at timestamptz, p_before_ref text, p_limit integer, out actor turnpike.caller,
    out end_users turnpike.listed_end_user[])
language plpgsql set enable_sort = off set enable_bitmapscan = off as $$
declare
  caller turnpike.caller;
  before_at timestamptz := coalesce(p_before_at, 'infinity');
  before_hour timestamp := date_trunc('hour', before_at at time zone 'UTC');
  before_ref text := coalesce(p_before_ref, '');
begin
  {{caller.opens}}
  end_users := array(select row(turnpike.end_user_answer_of(caller, page.ref, p_request.moment),
    page.active_at)::turnpike.listed_end_user
  from (
    select found.*
    from (
      -- Sorted first, hour by hour (an incremental sort, because plain sorts are off), so that the other conditions are
      -- evaluated for the rows of one page only.
      (select c.end_user_ref as ref, c.last_turn_at as active_at from (
          select l.end_user_ref, l.last_turn_at, l.active_hour, l.space_id, l.conversation_id
          from conversations l
          where l.user_id = caller.user_id and l.test = caller.test and l.active_hour <= before_hour
            -- The empty reference is the account's own web chat, which has no end user.
            and l.end_user_ref <> ''
            and (l.last_turn_at, l.end_user_ref collate "C") < (before_at, before_ref)
          order by l.active_hour desc, l.last_turn_at desc, l.end_user_ref collate "C" desc offset 0) c
        where (caller.scope = 'all' or c.space_id in (select s.space_id from spaces s
            where s.user_id = caller.user_id
              and turnpike.in_scope(caller, s.user_id, s.test, s.created_by_key_id, s.space_id)))
          and turnpike.is_wanted(caller, c.end_user_ref, p_blocked, p_q)
          and c.conversation_id = (
            select n.conversation_id
            from conversations n
            where n.user_id = caller.user_id and n.test = caller.test and n.end_user_ref = c.end_user_ref
              and n.active_hour is not null
              and (caller.scope = 'all' or n.space_id in (select s.space_id from spaces s
                where s.user_id = caller.user_id
                  and turnpike.in_scope(caller, s.user_id, s.test, s.created_by_key_id, s.space_id)))
            order by n.active_hour desc, n.last_turn_at desc, n.conversation_id desc limit 1)
        order by c.active_hour desc, c.last_turn_at desc, c.end_user_ref collate "C" desc limit p_limit)
      union all
      (select e.end_user_ref, e.updated_at from end_users e
        where e.user_id = caller.user_id and e.test = caller.test and caller.scope = 'all'
          and (e.updated_at, e.end_user_ref collate "C") < (before_at, before_ref)
          and turnpike.is_wanted(caller, e.end_user_ref, p_blocked, p_q)
          and not exists (select from conversations c
            where c.user_id = e.user_id and c.test = e.test and c.end_user_ref = e.end_user_ref
              and c.last_turn_at is not null)
        order by e.updated_at desc, e.end_user_ref collate "C" desc limit p_limit)
    ) found
    order by found.active_at desc, found.ref collate "C" desc limit p_limit
  ) page order by page.active_at desc, page.ref collate "C" desc);
  {{caller.closes}}
end $$;

-- True if an end user matches the filters of a list.
create function turnpike.is_wanted(caller turnpike.caller, p_ref text, p_blocked boolean, p_q text) returns boolean
language plpgsql stable as $$
begin
  if p_q is not null and strpos(folded(p_ref), folded(p_q)) is not distinct from 0 then
    return false;
  end if;
  return p_blocked is null or p_blocked = exists (select from end_users e
    where e.user_id = caller.user_id and e.test = caller.test and e.end_user_ref = p_ref and e.blocked);
end $$;
