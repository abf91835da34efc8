-- The public facts of a secret. Its value is never returned.
create type turnpike.secret_answer as (
  name text,
  created_at timestamptz,
  updated_at timestamptz
);

-- Stores a sealed secret, or replaces the one of that name, as a new version of the configuration. The version does not
-- contain the secret.
-- refused: not_found, role, archived, or
-- - too_many: the space already has p_max secrets
-- - proof: it replaces a secret, and the caller has not proved their identity recently
-- - limit: the account is at its limit, and the new value is longer than the old one (reached: the limit)
create function turnpike.put_secret(p_request turnpike.request,
  p_slug text, p_name text, p_sealed text, p_max integer,
  out actor turnpike.caller, out refused text, out reached turnpike.count_state, out secret turnpike.secret_answer)
language plpgsql as $$
declare
  caller turnpike.caller;
  space spaces;
  kept space_secrets;
  replaced integer;
begin
  {{caller.opens}}
  space := turnpike.lock_space(caller, p_slug);
  refused := turnpike.change_refusal(p_request, caller, space);
  if refused is null then
    -- Locks the secret before account_storage, in the same order as the job that re-encrypts secrets
    -- (count_secret_bytes).
    select octet_length(o.sealed) into replaced
      from space_secrets o
      where o.space_id = space.space_id and o.name = p_name for no key update;
    -- The space's row is locked, so no concurrent call adds a secret and the count is exact.
    if replaced is not null and turnpike.lacks_proof(caller, p_request.moment) then
      refused := 'proof';
    elsif (select count(*) from space_secrets o where o.space_id = space.space_id and o.name <> p_name) >= p_max then
      refused := 'too_many';
    elsif octet_length(p_sealed) > coalesce(replaced, 0) then
      reached := turnpike.config_limit(space);
      refused := case when reached.cap is not null then 'limit' end;
    end if;
    if refused is null then
      insert into space_secrets (space_id, name, sealed, created_at, updated_at)
        values (space.space_id, p_name, p_sealed, p_request.moment, p_request.moment)
        on conflict (space_id, name) do update set sealed = excluded.sealed, updated_at = excluded.updated_at
        returning * into kept;
      secret := row(kept.name, kept.created_at, kept.updated_at)::turnpike.secret_answer;
      perform turnpike.change_config(p_request, caller, space, 'secrets/' || p_name);
    end if;
  end if;
  {{caller.closes}}
end $$;

-- Removes a secret, as a new version of the configuration. refused: not_found, role, archived, no_entry.
create function turnpike.remove_secret(p_request turnpike.request,
  p_slug text, p_name text,
  out actor turnpike.caller, out refused text) language plpgsql as $$
declare
  caller turnpike.caller;
  space spaces;
begin
  {{caller.opens}}
  space := turnpike.lock_space(caller, p_slug);
  refused := turnpike.change_refusal(p_request, caller, space);
  if refused is null then
    delete from space_secrets o where o.space_id = space.space_id and o.name = p_name;
    if found then
      perform turnpike.change_config(p_request, caller, space, 'secrets/' || p_name);
    else
      refused := 'no_entry';
    end if;
  end if;
  {{caller.closes}}
end $$;
