-- Puts a secret that was sealed again under a newer key in place of p_old. Returns false when a value was set meanwhile: that stays.
create function turnpike.reseal_secret(p_space_id bigint, p_name text, p_old text, p_sealed text) returns boolean language plpgsql as $$
begin
  update space_secrets o set sealed = p_sealed where o.space_id = p_space_id and o.name = p_name and o.sealed = p_old;
  return found;
end $$;
