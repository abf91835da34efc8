-- An object that a search has found. kind: 'turn', 'conversation', 'space', 'end_user', 'key', 'webhook', 'delivery',
-- 'file', 'event', 'user' or 'audit'. detail: why it was found, or its parent. For operators, the parent of an end
-- user, a webhook and an event is the account.
create type turnpike.search_hit as (
  kind text,
  id text,
  title text,
  detail text, -- null
  at timestamptz -- null
);

-- Finds objects by an id, or by a part of a title, a name or a customer. p_id_at: the time in the id, null if p_q is
-- another text.
-- p_all: of all accounts, for admins. Otherwise what the caller's account owns. p_limit: the most objects of one kind.
create function turnpike.search_all(p_request turnpike.request, p_all boolean, p_q text, p_id_at timestamptz,
  p_limit integer, out actor turnpike.caller, out refused text, out hits turnpike.search_hit[]) language plpgsql as $$
declare
  caller turnpike.caller;
  scope bigint;
begin
  {{caller.opens}}
  if p_all and caller.role is distinct from 'admin' then
    refused := 'admin';
    return;
  end if;
  scope := case when not p_all then caller.user_id end;
  if p_id_at is not null then
    hits := turnpike.hits_of_id(scope, case when caller.person_id is null then scope end, caller.test, p_q, p_id_at);
  else
    hits := '{}';
  end if;
  if not p_all then
    hits := hits || array(
      select row('turn', t.turn_id, t.state, 'Idempotency-Key ' || p_q, t.created_at)::turnpike.search_hit
      from turns t
      where t.user_id::text || ' ' || t.test::text || ' ' || t.idempotency_key = caller.user_id::text || ' '
        || caller.test::text || ' ' || p_q);
  end if;
  if p_id_at is null then
    hits := hits || turnpike.hits_of_name(scope, case when caller.person_id is null then scope end, caller.test, p_q,
      p_limit);
  end if;
  if p_all and p_id_at is null then
    hits := hits || turnpike.hits_of_accounts(p_q, p_limit);
  end if;
  {{caller.closes}}
end $$;

-- Returns the object with this id, or the turn that belongs to it: of one account (p_scope), or of all.
-- p_sharer: the user with whom spaces may be shared; null: none.
create function turnpike.hits_of_id(p_scope bigint, p_sharer bigint, p_test boolean, p_id text, p_at timestamptz)
returns turnpike.search_hit[]
language plpgsql stable set enable_seqscan = off as $$
begin
  return array(
    select row('turn', t.turn_id, t.state, null, t.created_at)::turnpike.search_hit
    from turns t
    where t.turn_id = p_id and (p_scope is null or (t.user_id = p_scope and t.test = p_test))
    union all
    select row('turn', t.turn_id, t.state, p_id, t.created_at)::turnpike.search_hit
    from turns t
    where p_id like 'req\_%' and t.request_id = p_id and (p_scope is null or (t.user_id = p_scope and t.test = p_test))
      and t.turn_id >= 'turn_' || turnpike.id_time(p_at) and t.turn_id < 'turn_'
      || turnpike.id_time(p_at + interval '1 minute')
    union all
    select row('conversation', c.conversation_id,
      case when c.name = c.conversation_id then c.end_user_ref else c.name end, c.end_user_ref,
      c.created_at)::turnpike.search_hit
    from conversations c
      join spaces s on s.space_id = c.space_id
    where c.conversation_id = p_id and (p_scope is null or (s.user_id = p_scope and s.test = p_test))
    union all
    select row('space', s.slug, s.title, null, s.created_at)::turnpike.search_hit
    from spaces s
    where s.slug = p_id and (p_scope is null or (s.test = p_test and (s.user_id = p_scope
      or exists (select from space_shares h where h.space_id = s.space_id and h.user_id = p_sharer))))
    union all
    select row('key', k.key_id, k.name, k.hint, k.created_at)::turnpike.search_hit
    from api_keys k
    where k.key_id = p_id and (p_scope is null or (k.user_id = p_scope and k.test = p_test))
    union all
    select row('webhook', w.webhook_id, w.url, case when p_scope is null then w.user_id::text else w.description end,
      w.created_at)::turnpike.search_hit
    from webhook_endpoints w
    where w.webhook_id = p_id and w.deleted_at is null
      and (p_scope is null or (w.user_id = p_scope and w.test = p_test))
    union all
    select row('delivery', d.delivery_id, d.state, w.url, d.created_at)::turnpike.search_hit
    from webhook_deliveries d
      join webhook_endpoints w on w.webhook_id = d.webhook_id
    where d.delivery_id = p_id and (p_scope is null or (w.user_id = p_scope and w.test = p_test))
    union all
    select row('file', f.file_id, f.name, s.slug, f.created_at)::turnpike.search_hit
    from files f
      join spaces s on s.space_id = f.space_id
    where f.file_id = p_id and f.state = 'ready' and (p_scope is null or (f.user_id = p_scope and f.test = p_test))
    union all
    select row('end_user', e.end_user_ref, e.end_user_ref, e.erasure_id, e.requested_at)::turnpike.search_hit
    from erasures e
    where p_scope is not null and e.erasure_id = p_id and e.user_id = p_scope and e.test = p_test
    union all
    select row('audit', a.audit_id::text, a.action, a.subject_type || ' ' || a.subject_id,
      a.created_at)::turnpike.search_hit
    from audit_log a
    where p_scope is null and p_id like 'req\_%' and a.request_id = p_id
      and a.created_at >= p_at - interval '1 minute' and a.created_at < p_at + interval '1 minute'
    union all
    select row(case when v.turn_id is null then 'event' else 'turn' end, coalesce(v.turn_id, v.event_id), v.type,
      case when p_scope is null and v.turn_id is null then v.user_id::text else p_id end,
      v.created_at)::turnpike.search_hit
    from turnpike.event_of_id(p_scope, p_test, p_id, p_at) v
    where p_id like 'evt\_%');
end $$;

-- Returns an event by its id: of an account's feed, or of the log of a turn that ran at that time. It searches at most
-- 2,000 turns. Without a scope it searches all accounts, for operators.
create function turnpike.event_of_id(p_scope bigint, p_test boolean, p_id text, p_at timestamptz)
returns table (event_id text, user_id bigint, turn_id text, type text, created_at timestamptz)
language plpgsql stable rows 1
  set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
begin
  if p_scope is null then
    return query select e.event_id, e.user_id, e.turn_id, e.type, e.created_at
      from events e
      where e.turn_id is null and e.event_id collate "C" = p_id;
    if not found then
      return query
        select l.event_id, t.user_id, l.turn_id, l.type, l.created_at
          from (
          select n.turn_id, n.user_id
          from turns n
          where n.turn_id < 'turn_' || turnpike.id_time(p_at + interval '1 second')
            and n.turn_id >= 'turn_' || turnpike.id_time(p_at - interval '1 day')
          order by n.turn_id desc limit 2000) t
        cross join lateral (select g.* from turn_log g where g.turn_id = t.turn_id and g.event_id = p_id) l
        limit 1;
    end if;
    return;
  end if;
  return query select e.event_id, e.user_id, e.turn_id, e.type, e.created_at
    from events e
    where e.user_id = p_scope and e.test = p_test and e.event_id collate "C" = p_id;
  if not found then
    return query
      select l.event_id, p_scope, l.turn_id, l.type, l.created_at
        from (
        select t.turn_id
        from turns t
        where t.user_id = p_scope and t.test = p_test and t.turn_id collate "C" < 'turn_'
          || turnpike.id_time(p_at + interval '1 second')
          and t.turn_id collate "C" >= 'turn_' || turnpike.id_time(p_at - interval '1 day')
        order by t.turn_id collate "C" desc limit 2000) t
      cross join lateral (select n.* from turn_log n where n.turn_id = t.turn_id and n.event_id = p_id) l
      limit 1;
  end if;
end $$;

-- Returns objects with a part of a text in their name: the best first, at most p_limit of each kind.
create function turnpike.hits_of_name(p_scope bigint, p_sharer bigint, p_test boolean, p_q text, p_limit integer)
returns turnpike.search_hit[]
language plpgsql stable as $$
declare
  part text := folded(p_q);
  like_part text := '%' || replace(replace(replace(folded(p_q), '\', '\\'), '%', '\%'), '_', '\_') || '%';
begin
  return array(
    select row('user', u.user_id::text, coalesce(u.name, u.email, u.user_id::text), u.email,
      u.created_at)::turnpike.search_hit
    from (select w.* from users w where p_scope is null and w.search like like_part
      order by w.user_id::text = part desc, w.user_id desc limit p_limit) u)
    || array(
    select row('space', s.slug, s.title, case when s.archived_at is not null then 'archived' end,
      s.created_at)::turnpike.search_hit
    from (select w.* from spaces w
      where strpos(folded(w.title), part) > 0 and (p_scope is null or (w.test = p_test and (w.user_id = p_scope
        or exists (select from space_shares h where h.space_id = w.space_id and h.user_id = p_sharer))))
      order by w.archived_at is not null, folded(w.title) = part desc, starts_with(folded(w.title), part) desc,
        w.space_id desc
      limit p_limit) s)
    || array(
    select row('end_user', e.end_user_ref, e.end_user_ref, null, e.last_at)::turnpike.search_hit
    from (select n.end_user_ref, max(n.last_at) as last_at from (
        select r.end_user_ref, r.last_ended_at as last_at
        from end_user_sums r
        where r.user_id = p_scope and r.test = p_test
        union all
        select q.end_user_ref, q.ended_at
        from turn_ends q
        where q.user_id = p_scope and q.test = p_test and q.end_user_ref <> '' and q.refunded_credit_micros = 0
        union all
        select l.end_user_ref, l.updated_at
        from end_users l
        where l.user_id = p_scope and l.test = p_test) n
      where strpos(folded(n.end_user_ref), part) > 0 group by 1
      order by folded(n.end_user_ref) = part desc, starts_with(folded(n.end_user_ref), part) desc, 2 desc,
        1 limit p_limit) e)
    || array(
    select row('key', k.key_id, k.name, k.hint, k.created_at)::turnpike.search_hit
    from (select w.* from api_keys w where w.user_id = p_scope and w.test = p_test and strpos(folded(w.name), part) > 0
      order by w.revoked_at is not null, w.key_id desc limit p_limit) k)
    || array(
    select row('webhook', h.webhook_id, h.url, h.description, h.created_at)::turnpike.search_hit
    from (select w.* from webhook_endpoints w where w.user_id = p_scope and w.test = p_test and w.deleted_at is null
        and strpos(folded(concat_ws(' ', w.url, w.description)), part) > 0
      order by w.webhook_id collate "C" desc limit p_limit) h);
end $$;

-- Returns end users and webhooks of all accounts whose name or URL begins with a text, for operators: at most p_limit
-- of each kind. A URL is also found without its scheme.
create function turnpike.hits_of_accounts(p_q text, p_limit integer)
returns turnpike.search_hit[]
language plpgsql stable as $$
declare
  part text := folded(p_q);
begin
  return array(
    select row('end_user', m.end_user_ref, m.end_user_ref || ' · ' || coalesce(u.name, u.email, u.user_id::text),
      u.user_id::text, m.last_at)::turnpike.search_hit
    from (select n.user_id, n.end_user_ref, max(n.last_at) as last_at from (
        (select r.user_id, r.end_user_ref, r.last_ended_at as last_at
          from end_user_sums r
          where not r.test and folded(r.end_user_ref) collate "C" >= part
            and folded(r.end_user_ref) collate "C" < part || chr(1114111)
          order by folded(r.end_user_ref) collate "C" limit p_limit)
        union all
        (select l.user_id, l.end_user_ref, l.updated_at
          from end_users l
          where not l.test and folded(l.end_user_ref) collate "C" >= part
            and folded(l.end_user_ref) collate "C" < part || chr(1114111)
          order by folded(l.end_user_ref) collate "C" limit p_limit)) n
      group by 1, 2
      order by folded(n.end_user_ref) collate "C", 1 limit p_limit) m
      join users u on u.user_id = m.user_id
    order by folded(m.end_user_ref) collate "C", m.user_id)
    || array(
    select row('webhook', w.webhook_id, w.url || ' · ' || coalesce(u.name, u.email, u.user_id::text), u.user_id::text,
      w.created_at)::turnpike.search_hit
    from unnest(array[part, 'https://' || part, 'http://' || part]) s(start)
      cross join lateral (select h.* from webhook_endpoints h
        where h.deleted_at is null and folded(h.url) collate "C" >= s.start
          and folded(h.url) collate "C" < s.start || chr(1114111)
        order by folded(h.url) collate "C", h.webhook_id limit p_limit) w
      join users u on u.user_id = w.user_id
    order by folded(w.url) collate "C", w.webhook_id limit p_limit);
end $$;
