-- A price as its owner sees it.
create type turnpike.price_answer as (
  price prices,
  -- The version that begins later.
  planned prices, -- null: no version does
  -- The newest versions, the current one first.
  versions prices[],
  -- The end users and keys that name the price, and whether the account's default does.
  end_users bigint,
  keys bigint,
  is_default boolean,
  deleted boolean
);

-- p_price: the version that counts. p_version: the only version that is shown; null for the newest ones, up to
-- p_versions.
create function turnpike.price_answer_of(p_price prices, p_version integer, p_versions integer, p_moment timestamptz)
returns turnpike.price_answer language plpgsql stable as $$
declare
  newest prices := turnpike.newest_price(p_price.user_id, p_price.test, p_price.name);
  planned prices;
begin
  if coalesce(newest.begins_at > p_moment, false) then
    planned := newest;
  end if;
  return row(p_price, planned,
    array(select p from prices p where p.user_id = p_price.user_id and p.test = p_price.test and p.name = p_price.name
      and case when p_version is null then p.version <= p_price.version else p.version = p_version end
      order by p.version desc limit p_versions),
    (select count(*) from end_users e where e.user_id = p_price.user_id and e.test = p_price.test
      and e.price_name = p_price.name),
    (select count(*) from api_keys k where k.user_id = p_price.user_id and k.test = p_price.test
      and k.revoked_at is null
      and k.end_user_price = p_price.name),
    coalesce((turnpike.account_defaults(p_price.user_id, p_price.test)).end_user_price = p_price.name, false),
    not exists (select from price_names n where n.user_id = p_price.user_id and n.test = p_price.test
      and n.name = p_price.name))::turnpike.price_answer;
end $$;

-- Makes the next version of a price. p_price: the values of the version. Returns the version.
create function turnpike.add_price_version(p_price prices, p_moment timestamptz) returns prices
language plpgsql as $$
declare
  added prices;
begin
  insert into prices (
      user_id, test, name, version, multiplier_millionths,
      per_model,
      most_millionths,
      per_turn_credit_micros, round_to_credit_micros, round_mode, created_at, begins_at)
    select
      p_price.user_id, p_price.test, p_price.name, coalesce(max(p.version), 0) + 1, p_price.multiplier_millionths,
      p_price.per_model,
      greatest(p_price.multiplier_millionths, (select max(m.value::bigint) from jsonb_each_text(p_price.per_model) m)),
      p_price.per_turn_credit_micros, p_price.round_to_credit_micros, p_price.round_mode, p_moment, p_price.begins_at
    from prices p
    where p.user_id = p_price.user_id and p.test = p_price.test and p.name = p_price.name
    returning * into added;
  insert into price_names (user_id, test, name, price_id)
    values (added.user_id, added.test, added.name, added.price_id)
    on conflict (user_id, test, name) do update set price_id = excluded.price_id;
  return added;
end $$;

-- The values of a version, without its number and times.
create function turnpike.price_values(price prices) returns jsonb language sql immutable as $$
  select to_jsonb(price) - '{price_id,version,most_millionths,created_at,begins_at}'::text[]
$$;

-- Sets a price, now or from p_price.begins_at on: makes a new version, unless the current one has the same values. A
-- plan that exists ends: the current values become a newer version, unless others do.
-- p_price: its row without owner, name and version. p_most, p_most_versions: the most prices of an account, and
-- versions of a price. refused: 'scope', 'model' (unknown: a pin that is not in the catalog), 'too_many',
-- 'too_many_versions', 'no_price' (a plan for a price that does not exist) or 'past'.
create function turnpike.put_price(p_request turnpike.request, p_name text, p_price jsonb, p_most integer,
  p_most_versions integer, p_shown integer, out actor turnpike.caller, out refused text, out unknown text,
  out answer turnpike.price_answer) language plpgsql as $$
declare
  caller turnpike.caller;
  was prices;
  newest prices;
  new_price prices;
  added prices;
  is_planned boolean;
begin
  {{caller.opens}}
  -- The lock orders versions, and keeps a price that gets a user from being deleted.
  perform from users u where u.user_id = caller.user_id for no key update;
  was := turnpike.current_price(caller.user_id, caller.test, p_name, p_request.moment);
  newest := turnpike.newest_price(caller.user_id, caller.test, p_name);
  is_planned := newest.price_id is distinct from was.price_id;
  select m.pin into unknown
    from jsonb_object_keys(p_price -> 'per_model') m(pin)
    where not exists (select from model_catalog c where c.pin = m.pin) limit 1;
  new_price := jsonb_populate_record(was, p_price);
  new_price.user_id := caller.user_id;
  new_price.test := caller.test;
  new_price.name := p_name;
  -- Replacing a plan makes two versions.
  new_price.version := (select count(*) from prices p where p.user_id = caller.user_id and p.test = caller.test
    and p.name = p_name) + case when is_planned then 2 else 1 end;
  refused := case when caller.scope is distinct from 'all' then 'scope' when unknown is not null then 'model'
    when was.price_id is null and new_price.begins_at is not null then 'no_price'
    when coalesce(new_price.begins_at <= p_request.moment, false) then 'past'
    when was.price_id is null
    and (select count(*) from price_names n where n.user_id = caller.user_id and n.test = caller.test) >= p_most
      then 'too_many'
    when new_price.version > p_most_versions then 'too_many_versions' end;
  if refused is null then
    if not is_planned or new_price.begins_at is distinct from newest.begins_at
      or turnpike.price_values(new_price) is distinct from turnpike.price_values(newest)
    then
      if is_planned
        and (new_price.begins_at is not null or turnpike.price_values(new_price) = turnpike.price_values(was))
      then
        was.begins_at := null;
        perform turnpike.add_price_version(was, p_request.moment);
      end if;
      if was.price_id is null or turnpike.price_values(new_price) is distinct from turnpike.price_values(was) then
        perform turnpike.add_price_version(new_price, p_request.moment);
      end if;
    end if;
    added := turnpike.newest_price(caller.user_id, caller.test, p_name);
    if added.price_id is distinct from newest.price_id then
      perform turnpike.note_own_change(p_request, caller, 'price.put', 'price', p_name,
        case when newest.price_id is not null then to_jsonb(newest) - 'created_at' end, to_jsonb(added) - 'created_at');
    end if;
    answer := turnpike.price_answer_of(
      turnpike.current_price(caller.user_id, caller.test, p_name, p_request.moment), null, p_shown, p_request.moment);
  end if;
  {{caller.closes}}
end $$;

-- Returns the prices of the caller's account by name, or one of them, which may be deleted. Each has up to p_shown
-- versions, or only p_version. refused: 'scope'.
create function turnpike.find_prices(p_request turnpike.request, p_name text, p_version integer, p_shown integer,
  out actor turnpike.caller, out refused text, out answers turnpike.price_answer[]) language plpgsql as $$
declare
  caller turnpike.caller;
  begun prices;
begin
  {{caller.opens}}
  refused := case when caller.scope is distinct from 'all' then 'scope' end;
  if refused is null then
    if p_name is null then
      answers := array(select turnpike.price_answer_of(
          turnpike.current_price(n.user_id, n.test, n.name, p_request.moment), null, p_shown, p_request.moment)
        from price_names n
        where n.user_id = caller.user_id and n.test = caller.test order by n.name collate "C");
    else
      -- Versions are kept after the deletion of the name, for turns that were accepted with them.
      begun := turnpike.begun_price(caller.user_id, caller.test, p_name, p_request.moment);
      answers := case when begun.price_id is null then '{}'
        else array[turnpike.price_answer_of(begun, p_version, p_shown, p_request.moment)] end;
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
  was := turnpike.current_price(caller.user_id, caller.test, p_name, p_request.moment);
  refused := case when caller.scope is distinct from 'all' then 'scope' when was.price_id is null then 'unknown' end;
  if refused is null then
    answer := turnpike.price_answer_of(was, null, 0, p_request.moment);
    if (answer.end_users = 0 and answer.keys = 0 and not answer.is_default) is not true then
      refused := 'in_use';
    else
      -- A plan must not begin after the deletion.
      if answer.planned is distinct from null then
        was.begins_at := null;
        perform turnpike.add_price_version(was, p_request.moment);
      end if;
      delete from price_names n where n.user_id = caller.user_id and n.test = caller.test and n.name = p_name;
      perform turnpike.note_own_change(p_request, caller, 'price.delete', 'price', p_name,
        to_jsonb(was) - 'created_at', null);
    end if;
  end if;
  {{caller.closes}}
end $$;
