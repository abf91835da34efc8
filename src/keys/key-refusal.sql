-- True if a key has rights that the caller's role lacks. Then the caller must not learn its value or change it.
create function turnpike.is_beyond(k api_keys, caller turnpike.caller) returns boolean language sql immutable as $$
  select coalesce(k.role = 'owner' and caller.account_role is distinct from 'owner', false)
$$;

-- Why a key cannot be kept: unknown or revoked; null if it can.
create function turnpike.key_refusal(k api_keys) returns text language sql immutable as $$
  select case when k.key_id is null then 'unknown' when k.revoked_at is not null then 'revoked' end
$$;

-- True if the caller's role in the account has changed since it was looked up. A change of people locks the account's
-- row, so this is exact under that lock.
create function turnpike.has_other_role(caller turnpike.caller) returns boolean language plpgsql stable as $$
begin
  return turnpike.account_role(caller.user_id, turnpike.person_of(caller)) is distinct
    from caller.account_role;
end $$;

-- The same for a caller who changes the key, or learns its new value: also role. The account's row must be locked.
create function turnpike.key_change_refusal(k api_keys, caller turnpike.caller) returns text
language plpgsql stable as $$
begin
  return coalesce(turnpike.key_refusal(k),
    case when turnpike.is_beyond(k, caller) or turnpike.has_other_role(caller) then 'role' end);
end $$;
