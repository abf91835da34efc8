-- Replaces p_old with the same secret sealed with a newer key.
-- Returns false, and changes nothing, if a new value was set in the meantime.
create function turnpike.reseal_secret(p_space_id bigint, p_name text, p_old text, p_sealed text) returns boolean
language plpgsql as $$
begin
  update space_secrets o set sealed = p_sealed
    where o.space_id = p_space_id and o.name = p_name and o.sealed = p_old;
  return found;
end $$;
