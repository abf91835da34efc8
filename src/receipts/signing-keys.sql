-- Stores the public halves of keys that are about to sign: [{kid, public_key}]. Returns how many were new.
create function turnpike.note_signing_keys(p_keys jsonb, p_moment timestamptz) returns integer language plpgsql as $$
declare
  stored integer;
begin
  insert into signing_keys (kid, public_key, created_at)
    select k ->> 'kid', k ->> 'public_key', p_moment from jsonb_array_elements(p_keys) k order by 1 on conflict do nothing;
  get diagnostics stored = row_count;
  return stored;
end $$;
