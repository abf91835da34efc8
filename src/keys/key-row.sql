-- A key as it may be shown, with its space's slug and without its hash.
create function turnpike.key_json(k api_keys) returns jsonb language plpgsql stable as $$
declare
  slug text;
begin
  if k.space_id is not null then
    select s.slug into slug from spaces s where s.space_id = k.space_id;
  end if;
  return to_jsonb(k) - 'hash' || jsonb_build_object('space', slug);
end $$;
