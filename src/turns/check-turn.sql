-- Decides about a turn whose files are not stored yet, so that a refused request stores none. It changes nothing but
-- the events of a limit that refuses every turn from now on. p_asked has only the files that exist.
-- outcome: 'known' (a turn with this Idempotency-Key exists), 'admitted', or a refusal as of accept_turn.
create function turnpike.check_turn(p_request turnpike.request, p_asked turnpike.asked_turn, p_idempotency_key text,
  out actor turnpike.caller, out outcome text, out hold turnpike.hold_state, out too_many turnpike.test_turn_count,
  out has_subscriber boolean, out most_output integer, out open_calls turnpike.open_calls) language plpgsql as $$
declare
  caller turnpike.caller;
  admission turnpike.admission;
  wallet wallets;
  sale turnpike.sale;
  spender turnpike.spender;
  headroom turnpike.credit_left;
  refusal turnpike.turn_refusal;
begin
  {{caller.opens}}
  has_subscriber := false;
  if exists (select from turns t where t.user_id::text || ' ' || t.test::text || ' ' || t.idempotency_key
    = caller.user_id::text || ' ' || caller.test::text || ' ' || p_idempotency_key)
  then
    outcome := 'known';
  else
    admission := turnpike.admit_turn(caller, p_asked, p_request.moment);
    outcome := coalesce(admission.refused, 'admitted');
    most_output := admission.most_output;
    open_calls := admission.open;
    if outcome = 'max_cost' then
      hold := row(null, admission.needed, 0, 0, '{}', p_asked.max_cost, null);
    end if;
  end if;
  if outcome is not distinct from 'admitted' and caller.test is true then
    too_many := turnpike.test_turns_left(caller.user_id, p_request.moment);
    outcome := case when too_many.cap is not null then 'test_turns' else 'admitted' end;
  end if;
  if outcome is not distinct from 'admitted' and admission.needed is not null then
    select w.* into wallet from wallets w where w.user_id = caller.user_id;
    sale := turnpike.sale_for(caller, admission, wallet, p_request.moment);
    spender := row(caller.user_id, caller.key_id, p_asked.end_user, null, p_request.moment, caller.test);
    headroom := turnpike.headroom(spender, admission.wanted, admission.needed, true, null, sale, 0);
    if headroom.amount is null then
      begin
        refusal := turnpike.refuse_turn(spender, admission, sale, null);
        outcome := 'no_hold';
        hold := refusal.hold;
        has_subscriber := refusal.has_subscriber;
      exception when sqlstate 'TP001' then
        -- Credit was released at this moment, so accept_turn decides.
        outcome := 'admitted';
      end;
    end if;
  end if;
  {{caller.closes}}
end $$;
