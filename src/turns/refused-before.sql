-- The next turns of a caller that are refused, too.
create type turnpike.also_refused as (
  -- Either 'account' (turns of this key, for any end user) or 'end_user' (turns for this one).
  whose text,
  -- The refusal of such a turn that needs the least.
  hold turnpike.hold_state
);

-- Returns the next turns that are refused for the same reason, if their texts are not shorter than a short text.
-- p_least_needed: what a turn with a short text and without values of variables needs.
-- Null: a shorter one may fit, or nothing tells when open test turns release their holds.
create function turnpike.refuses_also(p_hold turnpike.hold_state, p_sale turnpike.sale, p_least_needed bigint,
  p_test boolean) returns turnpike.also_refused
language plpgsql stable as $$
declare
  also turnpike.also_refused;
  credit turnpike.end_user_credit := p_hold.credit;
begin
  if p_test and (coalesce(credit.held, 0) > 0
    or exists (select from unnest(p_hold.caps) c where c.reserved_credit_micros > 0))
  then
    return null;
  end if;
  if p_hold.available < p_hold.needed then
    also.whose := case when p_hold.available < p_least_needed then 'account' end;
  elsif p_sale.prepaid and credit.balance - credit.held < credit.needed then
    credit.needed := turnpike.sale_hold(p_sale.price, p_least_needed);
    also.whose := case when credit.balance - credit.held < credit.needed then 'end_user' end;
  else
    also.whose := (select case when bool_or(c.kind in ('end_user', 'test_end_user')) then 'end_user' else 'account' end
      from unnest(p_hold.caps) c
      where c.limit_credit_micros - c.spent_credit_micros - c.reserved_credit_micros < p_least_needed
      having count(*) > 0);
  end if;
  if also.whose is null then
    return null;
  end if;
  also.hold := p_hold;
  also.hold.needed := p_least_needed;
  also.hold.credit := credit;
  return also;
end $$;

-- Returns which of these Idempotency-Keys belong to turns of the caller. It locks nothing, because it serves many
-- requests that would be refused. Some of them may repeat an accepted one.
create function turnpike.known_keys(p_request turnpike.request, p_keys jsonb, out actor turnpike.caller,
  out known text[])
language plpgsql as $$
declare
  caller turnpike.caller;
begin
  {{caller.opens}}
  known := array(select k
    from jsonb_array_elements_text(p_keys) k
    where exists (select from turns t where t.user_id::text || ' ' || t.test::text || ' ' || t.idempotency_key
      = caller.user_id::text || ' ' || caller.test::text || ' ' || k));
  {{caller.closes}}
end $$;
