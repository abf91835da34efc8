-- The filters of the explorer of turns. Null: all.
create type turnpike.turn_filter as (
  account bigint, -- null
  space text, -- null
  key text, -- null
  end_user text, -- null
  conversation text, -- null
  state text, -- null
  -- Only turns that wait for a 'limit', an 'approval' or a 'result', or for 'any' of them.
  waiting text, -- null
  -- The code of a failed turn, or the reason of a cancelled one.
  reason text, -- null
  model text, -- null
  -- A kind of failure of the infrastructure, in the time of the other filters. The turn may have recovered from it.
  failure text, -- null
  -- A provider account, or a provider that our own key calls.
  provider text, -- null
  -- Credit micros, and microseconds from acceptance to end.
  min_cost bigint, -- null
  min_took_us bigint, -- null
  -- An id, or a part of a text, a customer or a space's title. Only the newest matching turns are searched.
  q text, -- null
  created_after timestamptz, -- null
  created_before timestamptz -- null
);

-- The order of a list ('newest', 'cost' or 'duration'), and the part of it that is returned.
create type turnpike.turn_page as (
  sort text,
  descending boolean,
  most integer,
  skipped integer
);

-- A turn that matches, without its texts.
create type turnpike.matched_turn as (
  turn_id text,
  user_id bigint,
  space_id bigint,
  state text,
  status_reason text, -- null
  model text,
  billed bigint,
  took_us bigint,
  created_at timestamptz
);

-- A turn in the explorer. A worker shows the texts only to the account itself.
create type turnpike.found_turn as (
  turn turns,
  took_us bigint,
  slug text,
  space_title text,
  key_name text, -- null: a web chat
  account_name text, -- null
  account_email text -- null
);

-- Returns the ended turns that match, from their narrow index, the open ones from open_turns, and waiting ones from
-- waiting_turns. p_all: the turns of all accounts.
create function turnpike.turns_in(caller turnpike.caller, p_all boolean, p_filter turnpike.turn_filter,
  p_moment timestamptz)
returns setof turnpike.matched_turn language plpgsql stable rows 10000
  set enable_seqscan = off set jit = off set max_parallel_workers_per_gather = 0 as $$
declare
  account bigint := case when p_all then (p_filter).account else caller.user_id end;
  of_space bigint := (select s.space_id from spaces s where s.slug = (p_filter).space);
  start timestamptz := coalesce((p_filter).created_after, '-infinity');
  until timestamptz := coalesce((p_filter).created_before, 'infinity');
begin
  if (p_filter).space is not null and of_space is null then
    return;
  end if;
  if (p_filter).waiting is not null then
    return query
      select t.turn_id, t.user_id, t.space_id, t.state, t.status_reason, t.model, 0::bigint,
        (date_part('epoch', p_moment - t.created_at) * 1e6)::bigint, t.created_at
      from waiting_turns w
        join turns t on t.turn_id = w.turn_id
      where (account is null or w.user_id = account) and w.test = caller.test
        and (p_filter).waiting in ('any', w.reason)
        and (num_nonnulls((p_filter).failure, (p_filter).provider) = 0
          or w.turn_id in (select turnpike.touched_turns(p_filter, start, until)))
        and ((p_filter).conversation is null or t.conversation_id = (p_filter).conversation)
        and t.created_at >= start and t.created_at < until
        and turnpike.is_matching(p_filter, of_space, t.space_id, t.key_id,
          t.end_user_ref, t.state, t.status_reason, t.model, 0,
          (date_part('epoch', p_moment - t.created_at) * 1e6)::bigint);
    return;
  end if;
  if num_nonnulls((p_filter).failure, (p_filter).provider) > 0 then
    return query
      select t.turn_id, t.user_id, t.space_id, t.state, t.status_reason, t.model, t.billed_credit_micros,
        (date_part('epoch', coalesce(t.finished_at, p_moment) - t.created_at) * 1e6)::bigint, t.created_at
      from turns t
      where t.turn_id in (select turnpike.touched_turns(p_filter, start, until))
        and (account is null or t.user_id = account) and t.test = caller.test
        and ((p_filter).conversation is null or t.conversation_id = (p_filter).conversation)
        and turnpike.is_matching(p_filter, of_space, t.space_id, t.key_id,
          t.end_user_ref, t.state, t.status_reason, t.model, t.billed_credit_micros,
          (date_part('epoch', coalesce(t.finished_at, p_moment) - t.created_at) * 1e6)::bigint);
    return;
  end if;
  if (p_filter).conversation is not null then
    return query
      select t.turn_id, t.user_id, t.space_id, t.state, t.status_reason, t.model, t.billed_credit_micros,
        (date_part('epoch', coalesce(t.finished_at, p_moment) - t.created_at) * 1e6)::bigint, t.created_at
      from turns t
      where t.conversation_id = (p_filter).conversation and (account is null or t.user_id = account)
        and t.test = caller.test
        and t.created_at >= start and t.created_at < until
        and turnpike.is_matching(p_filter, of_space, t.space_id, t.key_id,
          t.end_user_ref, t.state, t.status_reason, t.model, t.billed_credit_micros,
          (date_part('epoch', coalesce(t.finished_at, p_moment) - t.created_at) * 1e6)::bigint);
    return;
  end if;
  if coalesce((p_filter).state not in ('queued', 'running'), true) then
    if account is null then
      return query
        select e.turn_id, e.user_id, e.space_id, e.state, e.status_reason, e.model, e.billed_credit_micros,
          (date_part('epoch', e.finished_at - e.created_at) * 1e6)::bigint, e.created_at
        from ended_turns e
        where e.finished_at >= start and e.created_at >= start and e.created_at < until and e.test = caller.test
          and turnpike.is_matching(p_filter, of_space, e.space_id, e.key_id, e.end_user_ref, e.state, e.status_reason,
            e.model, e.billed_credit_micros, (date_part('epoch', e.finished_at - e.created_at) * 1e6)::bigint);
    else
      return query
        select e.turn_id, e.user_id, e.space_id, e.state, e.status_reason, e.model, e.billed_credit_micros,
          (date_part('epoch', e.finished_at - e.created_at) * 1e6)::bigint, e.created_at
        from ended_turns e
        where e.user_id = account and e.test = caller.test and e.finished_at >= start and e.created_at >= start
          and e.created_at < until
          and turnpike.is_matching(p_filter, of_space, e.space_id, e.key_id, e.end_user_ref, e.state, e.status_reason,
            e.model, e.billed_credit_micros, (date_part('epoch', e.finished_at - e.created_at) * 1e6)::bigint);
    end if;
  end if;
  if coalesce((p_filter).state in ('queued', 'running'), true) and (p_filter).reason is null
    and (p_filter).min_cost is null then
    return query
      select t.turn_id, t.user_id, t.space_id, t.state, t.status_reason, t.model, 0::bigint,
        (date_part('epoch', p_moment - t.created_at) * 1e6)::bigint, t.created_at
      from open_turns o
        join turns t on t.turn_id = o.turn_id
      where (account is null or o.user_id = account) and o.test = caller.test and o.created_at >= start
        and t.created_at >= start and t.created_at < until
        and turnpike.is_matching(p_filter, of_space, t.space_id, t.key_id, t.end_user_ref, t.state, t.status_reason,
          t.model, 0, (date_part('epoch', p_moment - t.created_at) * 1e6)::bigint);
  end if;
end $$;

-- The turns with a failure of the filter's kind within a time, or with calls of its provider, also failed ones. With
-- both filters: with a failure of this kind at this provider.
create function turnpike.touched_turns(p_filter turnpike.turn_filter, p_start timestamptz, p_until timestamptz)
returns setof text language plpgsql stable set enable_seqscan = off set jit = off as $$
begin
  return query
    select x.turn_id
    from infrastructure_errors x
    where x.created_at >= p_start and x.created_at < p_until and x.turn_id is not null
      and ((p_filter).failure is null or x.kind = (p_filter).failure)
      and ((p_filter).provider is null or x.name = (p_filter).provider)
    union
    select m.turn_id
    from model_calls m
    where (p_filter).failure is null and m.created_at >= p_start and m.created_at < p_until
      and (p_filter).provider in (m.subscription_id, m.provider)
    union
    select o.turn_id
    from open_turns o
    where (p_filter).failure is null and o.provider_id = (p_filter).provider;
end $$;

-- True if a turn matches all filters except the account, the conversation, the time and the text.
create function turnpike.is_matching(p_filter turnpike.turn_filter, p_of_space bigint, p_space_id bigint, p_key_id text,
  p_end_user text, p_state text, p_reason text, p_model text, p_billed bigint, p_took_us bigint) returns boolean
language sql immutable as $$
  select coalesce((p_of_space is null or p_space_id = p_of_space)
    and ((p_filter).key is null or p_key_id = (p_filter).key)
    and ((p_filter).end_user is null or p_end_user = (p_filter).end_user)
    and ((p_filter).state is null or p_state = (p_filter).state)
    and ((p_filter).reason is null or p_reason = (p_filter).reason)
    and ((p_filter).model is null or p_model = (p_filter).model)
    and ((p_filter).min_cost is null or p_billed >= (p_filter).min_cost)
    and ((p_filter).min_took_us is null or p_took_us >= (p_filter).min_took_us), false)
$$;

-- The turns of turns_in that contain the text `q`. p_texts: texts of turns are searched, too. p_searched: how many
-- turns are searched, newest first.
create function turnpike.turns_with_text(caller turnpike.caller, p_all boolean, p_filter turnpike.turn_filter,
  p_texts boolean, p_searched integer, p_moment timestamptz) returns setof turnpike.matched_turn
language plpgsql stable rows 10000
  set enable_hashjoin = off set enable_mergejoin = off as $$
begin
  return query
    select m.*
    from (
      select n.*
        from turnpike.turns_in(caller, p_all, p_filter, p_moment) n
        order by n.created_at desc, n.turn_id desc limit p_searched) m
    join turns t on t.turn_id = m.turn_id
    join spaces s on s.space_id = m.space_id
    where (p_filter).q in (t.turn_id, t.conversation_id, t.key_id, t.request_id, t.idempotency_key, s.slug)
      or strpos(folded(t.end_user_ref), folded((p_filter).q)) > 0 or strpos(folded(s.title), folded((p_filter).q)) > 0
      or (p_texts and strpos(folded(concat_ws(' ', t.text, t.result, t.error_message)), folded((p_filter).q)) > 0);
end $$;

-- Lists turns for the explorer, sorted and in pages, with the number of all that match.
-- p_all: of all accounts, for admins. Otherwise of the caller's account.
-- p_excerpt: how many characters of a text are returned.
create function turnpike.find_turns(p_request turnpike.request, p_all boolean, p_filter turnpike.turn_filter,
  p_page turnpike.turn_page, p_searched integer, p_excerpt integer,
  out actor turnpike.caller, out refused text, out turns turnpike.found_turn[], out total bigint) language plpgsql as $$
declare
  caller turnpike.caller;
  answer record;
begin
  {{caller.opens}}
  if p_all and caller.role is distinct from 'admin' then
    refused := 'admin';
    return;
  end if;
  with matched as materialized (
    select m.*
    from turnpike.turns_in(caller, p_all, p_filter, p_request.moment) m
    where (p_filter).q is null
    union all
    select m.*
    from turnpike.turns_with_text(caller, p_all, p_filter, not p_all, p_searched, p_request.moment) m
    where (p_filter).q is not null
  ), page as materialized (
    select r.*, row_number() over () as place
      from (
      select m.*
      from matched m
      order by case (p_page).sort when 'cost' then m.billed when 'duration' then m.took_us
        else date_part('epoch', m.created_at) * 1e6 end
          * case when (p_page).descending then -1 else 1 end,
        m.turn_id collate "C" desc
      limit (p_page).most offset (p_page).skipped) r
  )
  select (select count(*) from matched) as total,
    array(select turnpike.found_turn_of(p.turn_id, p.took_us, p_excerpt) from page p
      order by p.place) as turns into answer;
  total := answer.total;
  turns := answer.turns;
  {{caller.closes}}
end $$;

-- A turn with the names of its space, key and account. Texts are cut to an excerpt.
create function turnpike.found_turn_of(p_turn_id text, p_took_us bigint, p_excerpt integer) returns turnpike.found_turn
language plpgsql stable as $$
declare
  turn turns;
  space spaces;
  owner users;
begin
  select t.* into turn from turns t where t.turn_id = p_turn_id;
  select s.* into space from spaces s where s.space_id = turn.space_id;
  select u.* into owner from users u where u.user_id = turn.user_id;
  turn.text := left(turn.text, p_excerpt);
  turn.result := left(turn.result, p_excerpt);
  turn.outputs := '[]';
  return row(turn, p_took_us, space.slug, space.title, (select k.name from api_keys k where k.key_id = turn.key_id),
    owner.name, owner.email)::turnpike.found_turn;
end $$;

-- The turns of one bucket of time, by state. Amounts are credit micros.
create type turnpike.turn_bucket as (
  starts_at timestamptz,
  turns bigint,
  failed bigint,
  cancelled bigint,
  billed bigint
);

-- The number of turns that have a value, such as a reason or a model.
create type turnpike.turn_count as (
  value text,
  turns bigint,
  billed bigint
);

-- Figures of all turns that match. Times are in microseconds, from acceptance to end.
create type turnpike.turn_stats as (
  turns bigint,
  done bigint,
  failed bigint,
  cancelled bigint,
  open bigint,
  billed bigint,
  took_us_half double precision, -- null: no turn has ended
  took_us_most double precision, -- null: no turn has ended
  buckets turnpike.turn_bucket[],
  reasons turnpike.turn_count[],
  models turnpike.turn_count[]
);

-- Counts the turns that match, in buckets of p_bucket seconds, and by their most frequent reasons and models.
create function turnpike.count_turns(p_request turnpike.request, p_all boolean, p_filter turnpike.turn_filter,
  p_bucket integer, p_most integer, p_searched integer, out actor turnpike.caller, out refused text,
  out stats turnpike.turn_stats) language plpgsql as $$
declare
  caller turnpike.caller;
begin
  {{caller.opens}}
  if p_all and caller.role is distinct from 'admin' then
    refused := 'admin';
    return;
  end if;
  with matched as materialized (
    select m.*, m.state in ('done', 'failed', 'cancelled') as ended
    from turnpike.turns_in(caller, p_all, p_filter, p_request.moment) m
    where (p_filter).q is null
    union all
    select m.*, m.state in ('done', 'failed', 'cancelled')
    from turnpike.turns_with_text(caller, p_all, p_filter, not p_all, p_searched, p_request.moment) m
    where (p_filter).q is not null
  ), buckets as (
    select date_bin(make_interval(secs => p_bucket), m.created_at, '2000-01-01Z') as starts_at, count(*) as turns,
      count(*) filter (where m.state = 'failed') as failed, count(*) filter (where m.state = 'cancelled') as cancelled,
      sum(m.billed)::bigint as billed
    from matched m
    group by 1
  ), reasons as (
    select m.status_reason as value, count(*) as turns, sum(m.billed)::bigint as billed
    from matched m
    where m.status_reason is not null
    group by 1
    order by 2 desc, 1 limit p_most
  ), models as (
    select m.model as value, count(*) as turns, sum(m.billed)::bigint as billed
      from matched m
      group by 1
      order by 2 desc, 1 limit p_most
  )
  select count(*), count(*) filter (where m.state = 'done'), count(*) filter (where m.state = 'failed'),
      count(*) filter (where m.state = 'cancelled'), count(*) filter (where not m.ended), coalesce(sum(m.billed), 0),
      percentile_cont(0.5) within group (order by m.took_us) filter (where m.ended),
      percentile_cont(0.95) within group (order by m.took_us) filter (where m.ended),
      array(select row(b.starts_at, b.turns, b.failed, b.cancelled, b.billed)::turnpike.turn_bucket from buckets b
        order by b.starts_at),
      array(select row(r.value, r.turns, r.billed)::turnpike.turn_count from reasons r order by r.turns desc, r.value),
      array(select row(o.value, o.turns, o.billed)::turnpike.turn_count from models o order by o.turns desc, o.value)
    into stats
  from matched m;
  {{caller.closes}}
end $$;
