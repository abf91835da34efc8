-- The space with this slug, if the caller owns it within the scope or it is shared with the caller; otherwise null.
-- The scope is checked after the lookup, since only the slug's index fits the query.
create function turnpike.find_space(caller turnpike.caller, p_slug text) returns spaces language plpgsql stable as $$
declare
  space spaces;
begin
  select s.* into space from spaces s where s.slug = p_slug limit 1;
  if turnpike.in_scope(caller, space.user_id, space.test, space.created_by_key_id, space.space_id)
    or turnpike.role_in(caller, space) is not null
  then
    return space;
  end if;
  return null;
end $$;

-- The reason why a space accepts no turn, file or change: not_found or archived; null if it accepts them.
create function turnpike.space_refusal(space spaces) returns text language plpgsql immutable as $$
begin
  return case when space.space_id is null then 'not_found' when space.archived_at is not null then 'archived' end;
end $$;
