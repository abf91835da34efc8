-- The caller's key, the state of its caps and of its rate, the account's counted limits, and its balance.
create function turnpike.get_own_key(p_request turnpike.request)
returns table (actor turnpike.caller, key turnpike.key_answer, caps turnpike.cap_state[], limits turnpike.count_state[],
  balance bigint, held bigint, rated turnpike.rates_state) language plpgsql rows 1 as $$
declare
  caller turnpike.caller;
  own api_keys;
begin
  {{caller.opens row}}
  select k.* into own from api_keys k where k.key_id = caller.key_id;
  key := turnpike.key_answer_of(own);
  caps := turnpike.key_caps(own.key_id, own.user_id, own.test, p_request.moment);
  limits := turnpike.count_states(own.user_id);
  rated := turnpike.key_rates(caller.key_id);
  select s.balance, s.held into balance, held from turnpike.wallet_sums(caller.user_id) s;
  {{caller.closes row}}
end $$;
