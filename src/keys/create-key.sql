-- Creates a key of the caller. p_key: its row of api_keys without its owner and its space; p_space: that space's slug, with the scope
-- `space`. key is null when the caller has no such space in the key's mode (live or test).
create function turnpike.create_key(p_caller_kind text, p_caller_token text, p_caller_test boolean, p_moment timestamptz,
  p_key jsonb, p_space text)
returns table (actor jsonb, key jsonb) language plpgsql rows 1 as $$
declare
  caller turnpike.caller;
  made api_keys;
begin
  caller := turnpike.find_caller(p_caller_kind, p_caller_token, p_caller_test, p_moment);
  actor := to_jsonb(caller);
  if caller.usable then
    made := jsonb_populate_record(null::api_keys, p_key);
    made.user_id := caller.user_id;
    if made.scope = 'space' then
      select s.space_id into made.space_id from spaces s
        where s.slug = p_space and s.user_id = caller.user_id and s.test = made.test;
    end if;
    if made.scope <> 'space' or made.space_id is not null then
      insert into api_keys select made.*;
      key := turnpike.key_json(made);
    end if;
    perform turnpike.note_use(caller, p_moment);
  end if;
  return next;
end $$;
