-- How turns are charged to end users: by a price of the key owner, and from a prepaid wallet
-- (docs/architecture/resale.md). Most turns have neither. They cost no statement, row or lock here.

-- How a turn is charged to its end user.
create type turnpike.sale as (
  -- True if the end user's wallet pays.
  prepaid boolean,
  -- The version of the price.
  price prices, -- null: the charge is the billed amount
  -- The amount that the turn holds in the wallet.
  held bigint -- null: it is new
);

-- Returns the newest version of an account's price, which can be planned; null without such a price.
create function turnpike.newest_price(p_user_id bigint, p_test boolean, p_name text) returns prices
language plpgsql stable as $$
declare
  newest prices;
begin
  select p.* into newest
    from price_names n
      join prices p on p.price_id = n.price_id
    where n.user_id = p_user_id and n.test = p_test and n.name = p_name;
  return newest;
end $$;

-- Returns the newest version that has begun at a moment, also of a deleted price. Null: no version has.
create function turnpike.begun_price(p_user_id bigint, p_test boolean, p_name text, p_moment timestamptz) returns prices
language plpgsql stable as $$
declare
  begun prices;
begin
  select p.* into begun
    from prices p
    where p.user_id = p_user_id and p.test = p_test and p.name = p_name
      and coalesce(p.begins_at <= p_moment, true)
    order by p.version desc limit 1;
  return begun;
end $$;

-- Returns the version of an account's price that counts at a moment; null without such a price.
create function turnpike.current_price(p_user_id bigint, p_test boolean, p_name text, p_moment timestamptz)
returns prices language plpgsql stable as $$
declare
  newest prices := turnpike.newest_price(p_user_id, p_test, p_name);
begin
  -- Most prices have no plan, and a turn must not pay for a query.
  if coalesce(newest.begins_at > p_moment, false) then
    return turnpike.begun_price(p_user_id, p_test, p_name, p_moment);
  end if;
  return newest;
end $$;

-- Returns the price that a new turn gets. A name that was deleted since the caller read it has the price of its last
-- version.
create function turnpike.price_to_bind(p_user_id bigint, p_test boolean, p_name text, p_moment timestamptz)
returns prices language plpgsql stable as $$
declare
  bound prices := turnpike.current_price(p_user_id, p_test, p_name, p_moment);
begin
  if bound.price_id is null then
    return turnpike.begun_price(p_user_id, p_test, p_name, p_moment);
  end if;
  return bound;
end $$;

-- Returns the name and version of a price, as turns show them. Null: no price.
create function turnpike.shown_price(price prices) returns jsonb language sql immutable as $$
  select case when price.price_id is not null then jsonb_build_object('name', price.name, 'version', price.version) end
$$;

-- Returns how a turn is charged that was accepted before.
create function turnpike.sale_of_turn(turn turns) returns turnpike.sale language plpgsql stable as $$
declare
  sale turnpike.sale;
  bound prices;
begin
  sale.prepaid := turn.end_user_hold_credit_micros is not null;
  sale.held := turn.end_user_hold_credit_micros;
  if turn.price_id is not null then
    select p.* into bound from prices p where p.price_id = turn.price_id;
    sale.price := bound;
  end if;
  return sale;
end $$;

-- The only rounding of a charge: the exact amount, in millionths of credit micros, becomes a multiple of round_to.
-- `nearest` rounds halves up.
create function turnpike.rounded_charge(price prices, p_millionths numeric, p_mode text) returns bigint
language sql immutable as $$
  select (div(case p_mode when 'up' then p_millionths + price.round_to_credit_micros * 1000000::numeric - 1
    when 'nearest' then p_millionths + price.round_to_credit_micros * 500000::numeric else p_millionths end,
    price.round_to_credit_micros * 1000000::numeric) * price.round_to_credit_micros)::bigint
$$;

-- Returns the most that an end user can be charged for a turn with this hold: the greatest multiplier, rounded up.
create function turnpike.sale_hold(price prices, p_hold bigint) returns bigint language plpgsql immutable as $$
begin
  if price.price_id is null then
    return p_hold;
  end if;
  return turnpike.rounded_charge(price,
    price.most_millionths::numeric * p_hold + price.per_turn_credit_micros::numeric * 1000000, 'up');
end $$;

-- Returns the greatest hold for which a turn needs at most p_credit of the wallet (sale_hold); -1 if each needs more.
create function turnpike.sale_left(price prices, p_credit bigint) returns bigint language plpgsql immutable as $$
declare
  left_over numeric;
begin
  if price.price_id is null then
    return greatest(-1, p_credit);
  end if;
  left_over := (div(p_credit,
    price.round_to_credit_micros) * price.round_to_credit_micros - price.per_turn_credit_micros)::numeric * 1000000;
  if p_credit < 0 or left_over < 0 then
    return -1;
  end if;
  return case when price.most_millionths = 0 then 9000000000000000
    else least(9000000000000000, div(left_over, price.most_millionths)) end;
end $$;

-- Returns the charge of a turn with a price or a wallet when it ends. p_billed: its bill, or the rehearsed cost of a
-- test turn. p_is_free: we lost the turn, or it made no model call.
create function turnpike.sale_charge(turn turns, p_billed bigint, p_is_free boolean) returns bigint
language plpgsql stable as $$
declare
  price prices;
  exact numeric;
begin
  if p_is_free then
    return 0;
  end if;
  if turn.price_id is null then
    return p_billed;
  end if;
  select p.* into price from prices p where p.price_id = turn.price_id;
  exact := case when price.per_model = '{}' then price.multiplier_millionths::numeric * p_billed else (
    select coalesce(sum(case when turn.test then coalesce(c.rehearsed_credit_micros, 0)
      else c.billed_credit_micros end::numeric
      * coalesce((price.per_model ->> c.model)::bigint, price.multiplier_millionths)), 0)
    from model_calls c
    where c.turn_id = turn.turn_id) end;
  return turnpike.rounded_charge(price, exact + price.per_turn_credit_micros::numeric * 1000000, price.round_mode);
end $$;
