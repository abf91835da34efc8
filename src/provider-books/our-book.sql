-- The sums of our calls of one model that may be in a provider's day.
create type turnpike.book_sum as (
  pin text,
  -- The name of the model at its provider.
  model text,
  -- The call ended on this day, by our clock.
  ours boolean,
  -- Neither its time nor a difference of the clocks touches an end of the day, so a provider counts it on this day.
  certain boolean,
  model_calls bigint,
  tokens_input bigint,
  tokens_cached bigint,
  tokens_cache_written bigint,
  tokens_output bigint,
  -- Their cost for us.
  credit_micros bigint,
  billed_credit_micros bigint,
  web_searches bigint,
  -- The largest numbers of a single call.
  most_tokens_input bigint,
  most_tokens_cached bigint,
  most_tokens_cache_written bigint,
  most_tokens_output bigint,
  most_credit_micros bigint
);

-- Sums the calls that an account served on a day, and those that its provider may count on that day, in one statement.
-- A call lies between its start and its commit. p_slack: the most seconds by which the clocks and the commit differ.
create function turnpike.our_book(p_provider_id text, p_day date, p_slack integer)
returns setof turnpike.book_sum language sql stable rows 100 as $$
  select c.model, coalesce(m.model, c.model), c.ours, c.certain, count(*),
    sum(c.tokens_input)::bigint, sum(c.tokens_cached)::bigint, sum(c.tokens_cache_written)::bigint,
    sum(c.tokens_output)::bigint, sum(c.credit_micros)::bigint, sum(c.billed_credit_micros)::bigint,
    sum(c.web_searches)::bigint,
    max(c.tokens_input), max(c.tokens_cached), max(c.tokens_cache_written), max(c.tokens_output),
    max(c.credit_micros)
  from (
    select u.model, u.tokens_input, u.tokens_cached, coalesce(u.tokens_cache_written, 0) as tokens_cache_written,
      u.tokens_output, coalesce(u.provider_credit_micros, u.cost_credit_micros) as credit_micros,
      u.billed_credit_micros, coalesce(u.web_searches, 0) as web_searches,
      u.created_at >= d.starts and u.created_at < d.ends as ours,
      u.created_at - make_interval(secs => u.duration_sec + p_slack) >= d.starts
        and u.created_at + make_interval(secs => p_slack) < d.ends as certain
    from (select p_day::timestamp at time zone 'UTC' as starts,
        (p_day + 1)::timestamp at time zone 'UTC' as ends) d, model_calls u
    where u.subscription_id = p_provider_id and not u.test
      -- No call takes an hour.
      and u.created_at >= d.starts - make_interval(secs => p_slack) and u.created_at < d.ends + interval '1 hour'
      and u.created_at - make_interval(secs => u.duration_sec + p_slack) < d.ends
  ) c
    left join model_catalog m on m.pin = c.model
  group by c.model, m.model, c.ours, c.certain
  order by c.model, c.ours, c.certain
$$;

-- Counts the calls of a day without a committed answer that a provider may have billed. These are failed tries without
-- a refusal, and answers that were lost with their worker or its commit.
create function turnpike.lost_calls(p_provider_id text, p_day date, p_slack integer) returns bigint
language sql stable as $$
  select (select count(*) from infrastructure_errors e
      where e.created_at >= d.starts and e.created_at < d.ends and e.kind = 'model_call' and e.name = p_provider_id
        and e.code in ('unavailable', 'silent'))
    + (select count(*) from losses l
        join turns t on t.turn_id = l.turn_id
        join conversations c on c.conversation_id = t.conversation_id
      where l.created_at >= d.starts and l.created_at < d.ends
        and l.cause in ('worker_lost', 'uncommitted', 'stale', 'worker_time') and c.provider_id = p_provider_id)
  from (select p_day::timestamp at time zone 'UTC' - make_interval(secs => p_slack) as starts,
      (p_day + 1)::timestamp at time zone 'UTC' + make_interval(secs => p_slack) as ends) d
$$;
