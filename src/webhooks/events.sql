-- An event with its turn and the slug of the turn's space.
create type turnpike.full_event as (
  event events,
  turn turns, -- null: it belongs to no turn
  slug text -- null: it belongs to no turn
);

-- The approximate size of an event in the database's response, where the turn's text and result are JSON within JSON.
create function turnpike.event_bytes(turn turns) returns integer language sql stable as $$
  select coalesce(octet_length(to_json(to_json(turn.text)::text)::text)
    + coalesce(octet_length(to_json(to_json(turn.result)::text)::text), 0), 0)
$$;

-- Returns the key that created the space of an event, or its endpoint.
create function turnpike.maker_of(event events) returns text language plpgsql stable as $$
begin
  if event.turn_id is null then
    return event.created_by_key_id;
  end if;
  return (select s.created_by_key_id from spaces s where s.space_id = event.space_id);
end $$;

-- True if a caller may see the sign-ins and factors of the account's own user.
create function turnpike.sees_own_notices(caller turnpike.caller) returns boolean language plpgsql stable as $$
begin
  if caller.kind = 'session' then
    return caller.person_id is null;
  end if;
  return turnpike.gets_own_notices(caller.user_id, turnpike.recipient_of(caller));
end $$;

-- True if a caller may see an event of its account: any event of its spaces, or of endpoints that it created there.
-- Sign-ins and factors of the account's own user concern only that user: in a session, or with a key of an owner.
create function turnpike.sees(caller turnpike.caller, event events) returns boolean language sql stable as $$
  select coalesce(caller.scope = 'all' and case when turnpike.is_own_notice(event.type)
      then turnpike.sees_own_notices(caller) else true end
    or (caller.scope = 'created' and turnpike.maker_of(event) = caller.key_id)
    or (caller.scope = 'space' and event.space_id = caller.space_id
      and (event.turn_id is not null or event.created_by_key_id = caller.key_id)), false)
$$;
