-- An end user as a caller sees it. Amounts are credit micros.
create type turnpike.end_user_answer as (
  end_user_ref text,
  turns bigint,
  first_turn_at timestamptz, -- null: no turn yet
  last_turn_at timestamptz, -- null: no turn yet
  billed bigint,
  billed_this_month bigint,
  billed_today bigint,
  refunded bigint,
  limits end_users, -- null: no limits of its own
  caps turnpike.cap_state[],
  -- The rates of its turns from this key.
  rated turnpike.rates_state
);

-- The number of turns comes from the conversations' last positions. Amounts are sums over the small index of billed
-- turns.
create function turnpike.end_user_answer_of(caller turnpike.caller, p_ref text, p_moment timestamptz)
returns turnpike.end_user_answer
language plpgsql stable as $$
declare
  today timestamptz := date_trunc('day', p_moment, 'UTC');
  month timestamptz := date_trunc('month', p_moment, 'UTC');
  sent record;
  spent record;
  refunded bigint;
  own end_users;
  rates jsonb;
begin
  select coalesce(sum(c.last_position), 0) as turns, min(c.created_at) as first_turn_at,
    max(c.last_turn_at) as last_turn_at into sent
    from conversations c
    where c.user_id = caller.user_id and c.test = caller.test and c.end_user_ref = p_ref and c.last_turn_at is not null
      and (caller.scope = 'all' or c.space_id in (select s.space_id from spaces s
        where s.user_id = caller.user_id
          and turnpike.in_scope(caller, s.user_id, s.test, s.created_by_key_id, s.space_id)));
  select coalesce(sum(t.billed_credit_micros), 0) as ever,
      coalesce(sum(t.billed_credit_micros) filter (where t.finished_at >= month), 0) as this_month,
      coalesce(sum(t.billed_credit_micros) filter (where t.finished_at >= today), 0) as today into spent
    from ended_turns t
    where t.user_id = caller.user_id and t.test = caller.test and t.end_user_ref = p_ref
      and t.billed_credit_micros > 0 and t.key_id is not null
      and (caller.scope = 'all' or t.space_id in (select s.space_id from spaces s
        where s.user_id = caller.user_id
          and turnpike.in_scope(caller, s.user_id, s.test, s.created_by_key_id, s.space_id)));
  select coalesce(sum(t.refunded_credit_micros), 0) into refunded
    from refunded_turns t
    where t.user_id = caller.user_id and t.test = caller.test and t.end_user_ref = p_ref and t.key_id is not null
      and (caller.scope = 'all' or t.space_id in (select s.space_id from spaces s
        where s.user_id = caller.user_id
          and turnpike.in_scope(caller, s.user_id, s.test, s.created_by_key_id, s.space_id)));
  select e.* into own
    from end_users e
    where e.user_id = caller.user_id and e.test = caller.test and e.end_user_ref = p_ref;
  rates := turnpike.rates_of(caller, own.rate, (select w.end_user_rate from wallets w
    where w.user_id = caller.user_id));
  return row(p_ref, sent.turns, sent.first_turn_at, sent.last_turn_at, spent.ever, spent.this_month, spent.today,
    refunded, case when own.user_id is not null then own end,
    turnpike.end_user_caps(caller.user_id, caller.key_id, caller.test, p_ref, p_moment),
    turnpike.state_of_rates(rates, p_ref))::turnpike.end_user_answer;
end $$;

-- Reads an end user. Returns an answer even if the end user has no data.
create function turnpike.get_end_user(p_request turnpike.request, p_ref text,
  out actor turnpike.caller, out end_user turnpike.end_user_answer) language plpgsql as $$
declare
  caller turnpike.caller;
begin
  {{caller.opens}}
  end_user := turnpike.end_user_answer_of(caller, p_ref, p_request.moment);
  {{caller.closes}}
end $$;
