-- The credit that is left for a turn: of the balance, of each cap, and of the wallet of its end user.

-- The account, key and end user of a turn, and the moment in whose periods it counts.
create type turnpike.spender as (
  user_id bigint,
  key_id text, -- null: a web chat
  end_user text,
  -- The space of a turn that a member sent into another user's space.
  shared bigint, -- null: the owner or a key sent it
  moment timestamptz,
  -- True for a test turn: only the wallet and the limits of its end user bind it.
  test boolean
);

create function turnpike.spender_of(turn turns, p_moment timestamptz) returns turnpike.spender
language sql immutable as $$
  select row(turn.user_id, turn.key_id, turn.end_user_ref, turnpike.shared_space(turn), p_moment,
    turn.test)::turnpike.spender
$$;

-- The hold that a turn would get, or the limits that refuse it. Credit micros.
create type turnpike.hold_state as (
  amount bigint, -- null: refused
  -- The smallest hold that the turn needs.
  needed bigint,
  available bigint,
  held bigint,
  caps turnpike.cap_state[],
  -- The turn's own limit, if that does not pay for its first model call.
  max_cost bigint, -- null: it does
  -- The credit of the end user, with the charge for the smallest hold.
  credit turnpike.end_user_credit -- null: no wallet pays for the turn
);

-- The answer of headroom.
create type turnpike.credit_left as (
  amount bigint, -- null: less than the turn needs
  -- The window of its key in which the turn counts.
  window_started_at timestamptz, -- null: none
  available bigint,
  held bigint,
  caps turnpike.cap_state[],
  credit turnpike.end_user_credit -- null: no wallet pays for the turn
);

-- Returns the hold that a turn would get now: up to p_wanted, as far as the balance and every cap allow. amount is
-- null if one of them has less left than p_needed.
-- Takes nothing and locks nothing. All amounts come from one snapshot.
-- The balance of the account does not bind a test turn, so it is taken as unlimited.
-- p_is_new: the turn counts in the open window of its key, or opens one. Otherwise it stays in p_window.
-- p_sale: how the turn is charged to its end user. p_hold: the hold that the turn has, which bounds that charge too.
create function turnpike.headroom(p_spender turnpike.spender, p_wanted bigint, p_needed bigint, p_is_new boolean,
  p_window timestamptz, p_sale turnpike.sale, p_hold bigint) returns turnpike.credit_left language plpgsql stable as $$
declare
  answer turnpike.credit_left;
  amount_left bigint;
  -- A web chat belongs to the owner, so limits of end users do not bind it.
  bound_user text := case when p_spender.key_id is not null then p_spender.end_user end;
begin
  if p_spender.test then
    answer.available := 9000000000000000;
    answer.held := 0;
  else
    select s.balance - s.held, s.held into answer.available, answer.held
      from turnpike.wallet_sums(p_spender.user_id) s;
  end if;
  amount_left := answer.available;
  answer.caps := '{}';
  -- If its key has no cap of a window, a new turn is in no window.
  answer.window_started_at := case when p_spender.key_id is null or not p_is_new then p_window end;
  if p_spender.test then
    select least(amount_left, min(s.limit_credit_micros - s.spent_credit_micros - s.reserved_credit_micros)),
        coalesce(array_agg(s order by s.cap), '{}') into amount_left, answer.caps
      from turnpike.test_cap_states(p_spender.user_id, p_spender.key_id, bound_user, p_spender.moment) s;
  elsif turnpike.has_caps(p_spender.user_id, p_spender.key_id, bound_user, p_spender.moment, p_spender.shared) then
    if p_is_new and p_spender.key_id is not null then
      answer.window_started_at := turnpike.window_of(p_spender.key_id, p_spender.moment);
    end if;
    select least(amount_left, min(s.limit_credit_micros - s.spent_credit_micros - s.reserved_credit_micros)),
        coalesce(array_agg(s order by s.cap), '{}') into amount_left, answer.caps
      from turnpike.cap_states(p_spender.user_id, p_spender.key_id, bound_user, p_spender.moment,
        answer.window_started_at, p_spender.shared) s
      where s.starts_at is not null;
  end if;
  if p_sale.prepaid then
    answer.credit := turnpike.end_user_credit_for(p_spender, p_needed, p_sale, p_hold);
    amount_left := least(amount_left, turnpike.end_user_left(p_sale, answer.credit, p_hold));
  end if;
  if greatest(0, amount_left) >= p_needed then
    answer.amount := greatest(0, least(p_wanted, amount_left));
  end if;
  return answer;
end $$;

-- Returns the credit of a turn's end user, with the charge for the smallest hold that the turn needs.
create function turnpike.end_user_credit_for(p_spender turnpike.spender, p_needed bigint, p_sale turnpike.sale,
  p_hold bigint)
returns turnpike.end_user_credit language plpgsql stable as $$
declare
  credit turnpike.end_user_credit;
begin
  select s.balance, s.held into credit.balance, credit.held
    from turnpike.end_user_sums(p_spender.user_id, p_spender.test, p_spender.end_user) s;
  credit.needed := turnpike.sale_hold(p_sale.price, p_hold + p_needed) - coalesce(p_sale.held, 0);
  return credit;
end $$;

-- Returns by how much a hold can grow that an end user's wallet pays for. p_hold: the hold so far; 0: a new turn.
create function turnpike.end_user_left(sale turnpike.sale, credit turnpike.end_user_credit, p_hold bigint)
returns bigint
language plpgsql immutable as $$
begin
  return turnpike.sale_left(sale.price, credit.balance - credit.held + coalesce(sale.held, 0)) - p_hold;
end $$;
