-- A price as its owner sees it.
create type turnpike.price_answer as (
  price prices,
  -- The newest versions, the current one first.
  versions prices[],
  -- The end users and keys that name the price, and whether the account's default does.
  end_users bigint,
  keys bigint,
  is_default boolean,
  deleted boolean
);

-- p_version: the only version that is shown; null for the newest ones, up to p_versions.
create function turnpike.price_answer_of(p_price prices, p_version integer, p_versions integer)
returns turnpike.price_answer language plpgsql stable as $$
begin
  return row(p_price,
    array(select p from prices p where p.user_id = p_price.user_id and p.test = p_price.test and p.name = p_price.name
      and (p_version is null or p.version = p_version) order by p.version desc limit p_versions),
    (select count(*) from end_users e where e.user_id = p_price.user_id and e.test = p_price.test
      and e.price_name = p_price.name),
    (select count(*) from api_keys k where k.user_id = p_price.user_id and k.test = p_price.test
      and k.revoked_at is null
      and k.end_user_price = p_price.name),
    coalesce((turnpike.account_defaults(p_price.user_id, p_price.test)).end_user_price = p_price.name, false),
    not exists (select from price_names n where n.user_id = p_price.user_id and n.test = p_price.test
      and n.name = p_price.name))::turnpike.price_answer;
end $$;

-- Sets a price: makes a new version, unless the current one has the same values. p_price: its row without owner, name
-- and version. p_most, p_most_versions: the most prices of an account, and versions of a price.
-- refused: 'scope', 'model' (unknown: a pin that is not in the catalog), 'too_many' or 'too_many_versions'.
create function turnpike.put_price(p_request turnpike.request, p_name text, p_price jsonb, p_most integer,
  p_most_versions integer, p_shown integer, out actor turnpike.caller, out refused text, out unknown text,
  out answer turnpike.price_answer) language plpgsql as $$
declare
  caller turnpike.caller;
  was prices;
  new_price prices;
begin
  {{caller.opens}}
  -- The lock orders versions, and keeps a price that gets a user from being deleted.
  perform from users u where u.user_id = caller.user_id for no key update;
  was := turnpike.current_price(caller.user_id, caller.test, p_name);
  select m.pin into unknown
    from jsonb_object_keys(p_price -> 'per_model') m(pin)
    where not exists (select from model_catalog c where c.pin = m.pin) limit 1;
  new_price := jsonb_populate_record(was, p_price);
  new_price.version := coalesce((select max(p.version) from prices p where p.user_id = caller.user_id
    and p.test = caller.test
    and p.name = p_name), 0) + 1;
  refused := case when caller.scope is distinct from 'all' then 'scope' when unknown is not null then 'model'
    when was.price_id is null
    and (select count(*) from price_names n where n.user_id = caller.user_id and n.test = caller.test) >= p_most
      then 'too_many'
    when new_price.version > p_most_versions then 'too_many_versions' end;
  if refused is null then
    if was.price_id is not null and to_jsonb(new_price) - 'version' = to_jsonb(was) - 'version' then
      new_price := was;
    else
      insert into prices (
          user_id, test, name, version, multiplier_millionths, per_model,
          most_millionths,
          per_turn_credit_micros, round_to_credit_micros, round_mode, created_at)
      values (
          caller.user_id, caller.test, p_name, new_price.version, new_price.multiplier_millionths, new_price.per_model,
          greatest(new_price.multiplier_millionths,
            (select max(m.value::bigint) from jsonb_each_text(new_price.per_model) m)),
          new_price.per_turn_credit_micros, new_price.round_to_credit_micros, new_price.round_mode, p_request.moment)
      returning * into new_price;
      insert into price_names (user_id, test, name, price_id)
        values (caller.user_id, caller.test, p_name, new_price.price_id)
        on conflict (user_id, test, name) do update set price_id = excluded.price_id;
      perform turnpike.note_own_change(p_request, caller, 'price.put', 'price', p_name,
        case when was.price_id is not null then to_jsonb(was) - 'created_at' end, to_jsonb(new_price) - 'created_at');
    end if;
    answer := turnpike.price_answer_of(new_price, null, p_shown);
  end if;
  {{caller.closes}}
end $$;

-- Returns the prices of the caller's account by name, or one of them, which may be deleted. Each has up to p_shown
-- versions, or only p_version. refused: 'scope'.
create function turnpike.find_prices(p_request turnpike.request, p_name text, p_version integer, p_shown integer,
  out actor turnpike.caller, out refused text, out answers turnpike.price_answer[]) language plpgsql as $$
declare
  caller turnpike.caller;
begin
  {{caller.opens}}
  refused := case when caller.scope is distinct from 'all' then 'scope' end;
  if refused is null then
    if p_name is null then
      answers := array(select turnpike.price_answer_of(p, null, p_shown)
        from price_names n join prices p on p.price_id = n.price_id
        where n.user_id = caller.user_id and n.test = caller.test order by n.name collate "C");
    else
      -- Versions are kept after the deletion of the name, for turns that were accepted with them.
      answers := array(select turnpike.price_answer_of(p, p_version, p_shown) from prices p
        where p.user_id = caller.user_id and p.test = caller.test and p.name = p_name order by p.version desc limit 1);
    end if;
  end if;
  {{caller.closes}}
end $$;

-- Deletes a price that nothing names. Its versions stay, for turns that were accepted with them.
-- refused: 'scope', 'unknown' or 'in_use'. answer: the deleted price.
create function turnpike.delete_price(p_request turnpike.request, p_name text, out actor turnpike.caller,
  out refused text, out answer turnpike.price_answer) language plpgsql as $$
declare
  caller turnpike.caller;
  was prices;
begin
  {{caller.opens}}
  perform from users u where u.user_id = caller.user_id for no key update;
  was := turnpike.current_price(caller.user_id, caller.test, p_name);
  refused := case when caller.scope is distinct from 'all' then 'scope' when was.price_id is null then 'unknown' end;
  if refused is null then
    answer := turnpike.price_answer_of(was, null, 0);
    if (answer.end_users = 0 and answer.keys = 0 and not answer.is_default) is not true then
      refused := 'in_use';
    else
      delete from price_names n where n.user_id = caller.user_id and n.test = caller.test and n.name = p_name;
      perform turnpike.note_own_change(p_request, caller, 'price.delete', 'price', p_name,
        to_jsonb(was) - 'created_at', null);
    end if;
  end if;
  {{caller.closes}}
end $$;
