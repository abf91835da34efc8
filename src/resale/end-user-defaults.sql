-- The defaults for end users of the account (key_id null) or of a key.
create type turnpike.end_user_default as (
  key_id text, -- null: the account
  name text, -- null: the account
  price text, -- null: none
  prepaid boolean -- null: not set
);

-- Returns the defaults of the account and of its keys, in the caller's mode. refused: 'scope'.
create function turnpike.get_end_user_defaults(p_request turnpike.request, out actor turnpike.caller, out refused text,
  out defaults turnpike.end_user_default[]) language plpgsql as $$
declare
  caller turnpike.caller;
begin
  {{caller.opens}}
  refused := case when caller.scope is distinct from 'all' then 'scope' end;
  if refused is null then
    defaults := turnpike.end_user_defaults_of(caller);
  end if;
  {{caller.closes}}
end $$;

-- A test key sees nothing of live data.
create function turnpike.end_user_defaults_of(caller turnpike.caller) returns turnpike.end_user_default[]
language plpgsql stable as $$
declare
  usual test_defaults := turnpike.account_defaults(caller.user_id, caller.test);
begin
  return array[row(null, null, usual.end_user_price, usual.end_user_prepaid)::turnpike.end_user_default]
    || array(select row(k.key_id, k.name, k.end_user_price, k.end_user_prepaid)::turnpike.end_user_default
      from api_keys k
      where k.user_id = caller.user_id and k.test = caller.test and k.revoked_at is null
        and num_nonnulls(k.end_user_price, k.end_user_prepaid) > 0 order by k.key_id);
end $$;

-- Replaces the defaults of the account (p_key_id null) or of a key, in the caller's mode.
-- refused: 'scope', 'price' (unknown) or 'key' (unknown).
create function turnpike.put_end_user_defaults(p_request turnpike.request, p_key_id text, p_price text,
  p_prepaid boolean, out actor turnpike.caller, out refused text, out defaults turnpike.end_user_default[])
language plpgsql as $$
declare
  caller turnpike.caller;
  was turnpike.end_user_default[];
begin
  {{caller.opens}}
  perform from users u where u.user_id = caller.user_id for no key update;
  was := turnpike.end_user_defaults_of(caller);
  refused := case when caller.scope is distinct from 'all' then 'scope'
    when p_price is not null and not turnpike.has_price(caller, p_price) then 'price' end;
  if refused is null and p_key_id is null and caller.test then
    insert into test_defaults (user_id, end_user_price, end_user_prepaid)
    values (caller.user_id, p_price, p_prepaid)
    on conflict (user_id) do update set end_user_price = p_price, end_user_prepaid = p_prepaid;
  elsif refused is null and p_key_id is null then
    perform turnpike.set_wallet_prices(caller.user_id, p_price, p_prepaid);
  elsif refused is null then
    update api_keys k set end_user_price = p_price, end_user_prepaid = p_prepaid
      where k.key_id = p_key_id and k.user_id = caller.user_id and k.test = caller.test and k.revoked_at is null;
    refused := case when not found then 'key' end;
  end if;
  if refused is null then
    defaults := turnpike.end_user_defaults_of(caller);
    perform turnpike.note_own_change(p_request, caller, 'end_user_defaults.put', 'end_user_defaults',
      coalesce(p_key_id, 'account'), jsonb_build_object('defaults', to_jsonb(was), 'test', caller.test),
      jsonb_build_object('defaults', to_jsonb(defaults), 'test', caller.test));
  end if;
  {{caller.closes}}
end $$;
