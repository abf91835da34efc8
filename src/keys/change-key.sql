-- Changes the name, expiry, default end user, caps and rates of the caller's key. p_changes: the columns to change.
-- refused: unknown, revoked, role (it has rights that the caller lacks), or
-- - proof: the key would get more time or money, and the caller has not proved their identity recently
-- - daily: too many changes of keys within a day (daily: the limit)
create function turnpike.update_key(p_request turnpike.request,
  p_key_id text, p_changes jsonb)
returns table (actor turnpike.caller, key turnpike.key_answer, refused text, daily turnpike.daily_count)
language plpgsql rows 1 as $$
declare
  caller turnpike.caller;
  own api_keys;
  wanted api_keys;
  before jsonb;
begin
  {{caller.opens row}}
  -- The lock makes concurrent changes run one after the other, so that the count is exact.
  perform from users u where u.user_id = caller.user_id for no key update;
  -- Locked before it is read, so that concurrent changes are not overwritten.
  select k.* into own from api_keys k where k.key_id = p_key_id and k.user_id = caller.user_id for no key update;
  refused := turnpike.key_change_refusal(own, caller);
  if refused is null then
    daily := turnpike.over_key_changes(caller.user_id, p_request.moment);
    refused := case when daily.cap is not null then 'daily' end;
  end if;
  if refused is null then
    before := to_jsonb(turnpike.key_answer_of(own));
    wanted := jsonb_populate_record(own, p_changes);
    if turnpike.gives_more(own, wanted) and turnpike.lacks_proof(caller, p_request.moment) then
      refused := 'proof';
    end if;
  end if;
  if refused is null then
    own := wanted;
    update api_keys k set name = own.name, expires_at = own.expires_at,
      default_end_user_ref = own.default_end_user_ref,
      daily_credit_micros = own.daily_credit_micros, monthly_credit_micros = own.monthly_credit_micros,
      end_user_daily_credit_micros = own.end_user_daily_credit_micros,
      end_user_monthly_credit_micros = own.end_user_monthly_credit_micros,
      window_credit_micros = own.window_credit_micros, window_seconds = own.window_seconds,
      rate = own.rate, end_user_rate = own.end_user_rate
      where k.key_id = own.key_id;
    key := turnpike.key_answer_of(own);
    perform turnpike.note_own_change(p_request, caller, 'key.update', 'key', own.key_id, before, to_jsonb(key));
  end if;
  {{caller.closes row}}
end $$;

-- True if a key can do more with its new expiry, caps and rates than before.
create function turnpike.gives_more(was api_keys, wanted api_keys) returns boolean language sql immutable as $$
  select coalesce(wanted.expires_at, 'infinity') > coalesce(was.expires_at, 'infinity')
    or turnpike.has_looser_caps(was, wanted)
    or turnpike.is_looser_rate(was.rate, wanted.rate)
    or turnpike.is_looser_rate(was.end_user_rate, wanted.end_user_rate)
    -- The same amount in a shorter window allows more.
    or (was.window_credit_micros is not null and coalesce(wanted.window_seconds, 0) < coalesce(was.window_seconds, 0))
$$;

-- Gives the caller's key a new value: the live or the test value, by the kind of the key. The old value works until
-- p_former_until, and values of earlier rotations until their own time. If p_former_until is null, all old values
-- end now. For a used Idempotency-Key, nothing changes.
-- refused: unknown, revoked, role, former (p_most_former old values still work), daily (too many changes of keys
-- within a day; daily: the limit).
create function turnpike.rotate_key(p_request turnpike.request,
  p_once_key text, p_fingerprint text, p_key_id text, p_live_hash text, p_live_hint text, p_test_hash text,
  p_test_hint text, p_former_until timestamptz, p_most_former integer)
returns table (actor turnpike.caller, already turnpike.earlier_request, key turnpike.key_answer, refused text,
  daily turnpike.daily_count) language plpgsql rows 1 as $$
declare
  caller turnpike.caller;
  own api_keys;
  former_left integer;
begin
  {{caller.opens row}}
  already := turnpike.used_key(caller, p_once_key);
  if already.resource_id is not null then
    select k.* into own from api_keys k where k.key_id = already.resource_id and k.user_id = caller.user_id;
    refused := turnpike.key_change_refusal(own, caller);
    key := case when refused is distinct from 'role' then turnpike.key_answer_of(own) end;
    return next;
    return;
  end if;
  -- The lock makes concurrent changes run one after the other, so that the count is exact.
  perform from users u where u.user_id = caller.user_id for no key update;
  -- Locked before it is read, so that a later rotation stores the value of an earlier one as an old value.
  select k.* into own from api_keys k where k.key_id = p_key_id and k.user_id = caller.user_id for no key update;
  refused := turnpike.key_change_refusal(own, caller);
  if refused is null then
    daily := turnpike.over_key_changes(caller.user_id, p_request.moment);
    refused := case when daily.cap is not null then 'daily' end;
  end if;
  if refused is null and p_former_until is not null then
    select count(*) into former_left
      from former_key_values f
      where f.key_id = own.key_id and f.works_until > p_request.moment;
    refused := case when (former_left < p_most_former) is not true then 'former' end;
  end if;
  if refused is null then
    delete from former_key_values f
      where f.key_id = own.key_id and (p_former_until is null or f.works_until <= p_request.moment);
    if p_former_until is not null then
      insert into former_key_values (hash, key_id, works_until, known_by)
        values (own.hash, own.key_id, p_former_until, coalesce(own.made_by, own.user_id));
    end if;
    update api_keys k set
      previous_expires_at = (select max(f.works_until) from former_key_values f where f.key_id = own.key_id),
      hash = decode(case when own.test then p_test_hash else p_live_hash end, 'hex'),
      hint = case when own.test then p_test_hint else p_live_hint end,
      made_by = turnpike.person_of(caller)
      where k.key_id = own.key_id
      returning k.* into own;
    key := turnpike.key_answer_of(own);
    perform turnpike.note_own_change(p_request, caller, 'key.rotate', 'key', own.key_id, null,
      jsonb_build_object('hint', own.hint, 'former_until', p_former_until));
    perform turnpike.tell_key(own, true, p_request.moment);
    perform turnpike.note_key(caller, p_once_key, p_fingerprint, own.key_id, p_request.moment);
  end if;
  {{caller.closes row}}
end $$;
