-- The answer of the rates and of the limits of test turns to a new turn.
create type turnpike.counted_turn as (
  -- 'rates': the worker has counted the turn by other rates, so it counts again and repeats the request.
  -- 'open_turns': as many turns as the rates allow are open. 'test_turns': too_many has the limit.
  refused text, -- null: the turn may be sent
  rated turnpike.rates_state,
  too_many turnpike.test_turn_count -- null: a live turn, or it was refused before
);

-- Counts a new turn. A web chat has no rate.
-- p_own: the end user's rate. p_usual: the account's default. p_rated: the rates by which the worker has counted the
-- turn; null: none.
create function turnpike.count_turn(caller turnpike.caller, p_end_user text, p_own jsonb, p_usual jsonb, p_rated jsonb,
  p_moment timestamptz) returns turnpike.counted_turn language plpgsql as $$
declare
  counted turnpike.counted_turn;
  rates jsonb := case when caller.key_id is not null then turnpike.rates_of(caller, p_own, p_usual) end;
begin
  if rates is not null then
    counted.rated := row(rates, null)::turnpike.rates_state;
    if p_rated -> 'rates' is distinct from rates then
      counted.refused := 'rates';
      return counted;
    end if;
    -- Turns of an end user and of a key are counted one after the other, in this order in every transaction.
    if rates -> 'end_user' ? 'concurrent_turns' then
      perform pg_advisory_xact_lock(hashtext('open turns of an end user'),
        hashtext(concat_ws(' ', caller.user_id, caller.test, p_end_user)));
    end if;
    if rates -> 'key' ? 'concurrent_turns' then
      perform pg_advisory_xact_lock(hashtext('open turns of a key'), hashtext(caller.key_id));
    end if;
    counted.rated := turnpike.state_of_rates(rates, p_end_user);
    if turnpike.is_full(counted.rated, 'key') or turnpike.is_full(counted.rated, 'end_user') then
      counted.refused := 'open_turns';
      return counted;
    end if;
  end if;
  if caller.test is true then
    counted.too_many := turnpike.test_turns_left(caller.user_id, p_moment);
    counted.refused := case when (counted.too_many).cap is not null then 'test_turns' end;
  end if;
  return counted;
end $$;

-- True if as many turns of a key, or of an end user, are open as its rate allows.
create function turnpike.is_full(p_state turnpike.rates_state, p_whose text) returns boolean
language sql immutable as $$
  select coalesce((p_state.open_turns -> p_whose)::integer
    >= (p_state.rates -> p_whose -> 'concurrent_turns')::integer, false)
$$;
