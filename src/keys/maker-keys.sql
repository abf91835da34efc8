-- The keys whose values a person of the account knows: the person made or last rotated the key, or knows an old value
-- that still works after a rotation.

create type turnpike.known_key as (
  key turnpike.key_answer,
  value text -- current, or former: the person knows only old values
);

-- made_by: the names of the people who know the value.
create type turnpike.undecided_key as (
  key turnpike.key_answer,
  value text,
  made_by text -- null: the people have no names
);

-- The working values of a key, and the person who knows each.
create function turnpike.known_values(k api_keys, p_moment timestamptz) returns table (person bigint, value text)
language plpgsql stable as $$
begin
  if k.revoked_at is null and coalesce(k.expires_at > p_moment, true) then
    return query select coalesce(k.made_by, k.user_id), 'current'
      union all select f.known_by, 'former'
      from former_key_values f
        where f.key_id = k.key_id and f.works_until > p_moment;
  end if;
end $$;

-- True if a key has more rights than a role. p_role null: no role.
create function turnpike.is_beyond_role(p_key_role text, p_role text) returns boolean language sql immutable as $$
  select not coalesce(p_role = 'owner' or (p_role = 'developer' and p_key_role = 'developer'), false)
$$;

-- True if a key has more rights than a person has in its account now. A disabled person has none.
create function turnpike.is_beyond_person(k api_keys, p_person bigint) returns boolean language plpgsql stable as $$
begin
  return turnpike.is_beyond_role(k.role, (select turnpike.account_role(k.user_id, u.user_id) from users u
    where u.user_id = p_person and u.disabled_at is null));
end $$;

-- A person's keys that are beyond a role. p_role: the person's next role; null: the person leaves.
create function turnpike.keys_beyond(p_account bigint, p_person bigint, p_role text, p_moment timestamptz)
returns turnpike.known_key[] language plpgsql stable as $$
begin
  -- The minimum is `current` if the person knows the current value too.
  return array(select row(turnpike.key_answer_of(k), min(v.value))::turnpike.known_key
    from api_keys k cross join turnpike.known_values(k, p_moment) v
    where k.user_id = p_account and v.person = p_person and turnpike.is_beyond_role(k.role, p_role)
    group by k.key_id order by k.key_id);
end $$;

-- The keys of an account whose values are known to people who have left, or have fewer rights than the key.
create function turnpike.keys_to_decide(p_account bigint, p_moment timestamptz)
returns turnpike.undecided_key[] language plpgsql stable as $$
begin
  return array(
    select row(turnpike.key_answer_of(k), min(v.value), string_agg(distinct u.name, ', '))::turnpike.undecided_key
    from api_keys k
      cross join turnpike.known_values(k, p_moment) v
      join users u on u.user_id = v.person
    where k.user_id = p_account and turnpike.is_beyond_person(k, v.person)
    group by k.key_id
    order by k.key_id);
end $$;

-- Ends or keeps the values that a person knows who loses rights. p_decision: 'revoke', or 'keep', which makes the
-- caller answer for them. If the person knows only old values, the key stays.
create function turnpike.decide_keys(p_request turnpike.request, caller turnpike.caller, p_keys turnpike.known_key[],
  p_decision text, p_person bigint) returns void language plpgsql as $$
declare
  one turnpike.known_key;
begin
  foreach one in array p_keys loop
    if p_decision = 'keep' then
      perform turnpike.keep_own(p_request, caller, (one.key).key_id, p_person);
    elsif one.value = 'former' then
      perform turnpike.end_former_values(p_request, caller, (one.key).key_id, p_person);
    else
      perform turnpike.revoke_own(p_request, caller, (one.key).key_id);
    end if;
  end loop;
end $$;

-- Ends the old values of a key that a person knows.
create function turnpike.end_former_values(p_request turnpike.request, caller turnpike.caller, p_key_id text,
  p_person bigint) returns void language plpgsql as $$
declare
  changed api_keys;
begin
  delete from former_key_values f where f.key_id = p_key_id and f.known_by = p_person;
  update api_keys k set previous_expires_at = coalesce(
      (select max(f.works_until) from former_key_values f where f.key_id = k.key_id), p_request.moment)
    where k.key_id = p_key_id and k.user_id = caller.user_id
    returning k.* into changed;
  perform turnpike.note_own_change(p_request, caller, 'key.end_former', 'key', p_key_id, null,
    jsonb_build_object('hint', changed.hint, 'known_by', p_person));
end $$;

-- Makes the caller the person who answers for the values of a key that a person knows. p_person null: each person with
-- fewer rights than the key. The values stay.
create function turnpike.keep_own(p_request turnpike.request, caller turnpike.caller, p_key_id text, p_person bigint)
returns turnpike.key_answer language plpgsql as $$
declare
  kept api_keys;
  people bigint[];
begin
  select k.* into kept
    from api_keys k
    where k.key_id = p_key_id and k.user_id = caller.user_id and k.revoked_at is null for no key update;
  if kept.key_id is null then
    return null;
  end if;
  people := array(select v.person from turnpike.known_values(kept, p_request.moment) v
    where v.person = p_person or (p_person is null and turnpike.is_beyond_person(kept, v.person)));
  update former_key_values f set known_by = turnpike.person_of(caller)
    where f.key_id = p_key_id and f.known_by = any (people);
  update api_keys k set made_by = turnpike.person_of(caller)
    where k.key_id = p_key_id and coalesce(k.made_by, k.user_id) = any (people);
  perform turnpike.note_own_change(p_request, caller, 'key.keep', 'key', p_key_id, null,
    jsonb_build_object('hint', kept.hint));
  return turnpike.key_answer_of(kept);
end $$;

-- Keeps the values of a key that a person knows (keep_own). refused: unknown, revoked.
create function turnpike.keep_key(p_request turnpike.request, p_key_id text, p_person bigint,
  out actor turnpike.caller, out key turnpike.key_answer, out refused text) language plpgsql as $$
declare
  caller turnpike.caller;
  own api_keys;
begin
  {{caller.opens}}
  -- The lock makes changes of people wait, so that no decision is lost.
  perform from users u where u.user_id = caller.user_id for no key update;
  select k.* into own from api_keys k where k.key_id = p_key_id and k.user_id = caller.user_id for no key update;
  refused := turnpike.key_refusal(own);
  if refused is null then
    key := turnpike.keep_own(p_request, caller, p_key_id, p_person);
  end if;
  {{caller.closes}}
end $$;
