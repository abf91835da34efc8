-- Owners hear of each person who comes to see their spaces, by whichever way (the view space_shares), in the transaction that opens it.

-- With whom spaces are shared now: [[space_id, user_id], …]. p_user_id: only this user; null: everybody.
create function turnpike.shared_with(p_space_ids bigint[], p_user_id bigint) returns jsonb language sql stable as $$
  select coalesce(jsonb_agg(distinct jsonb_build_array(h.space_id, h.user_id)), '[]') from space_shares h
    where h.space_id = any(p_space_ids) and h.user_id = coalesce(p_user_id, h.user_id)
$$;

-- Tells the owners of these spaces with whom they are shared by now and were not before (p_before, shared_with for the same p_user_id): one event
-- for each owner. Names at most 20 spaces and 20 people; the counts are whole. Answers what it told, for emails: [{user_id, email, brand, data}].
create function turnpike.tell_shared(p_space_ids bigint[], p_user_id bigint, p_before jsonb, p_moment timestamptz) returns jsonb
language plpgsql as $$
declare
  owner record;
  told jsonb := '[]';
begin
  for owner in
    with news as (
      select (a.value ->> 0)::bigint as space_id, (a.value ->> 1)::bigint as user_id
        from jsonb_array_elements(turnpike.shared_with(p_space_ids, p_user_id)) a
      except
      select (b.value ->> 0)::bigint, (b.value ->> 1)::bigint from jsonb_array_elements(p_before) b
    ), opened as (
      select s.user_id as owner_id, s.space_id, s.slug, s.title, n.user_id from news n join spaces s on s.space_id = n.space_id
    )
    select o.user_id, o.email, o.brand, jsonb_build_object(
        'spaces', (select jsonb_agg(jsonb_build_object('space', f.slug, 'title', f.title) order by f.slug)
          from (select distinct d.slug, d.title from opened d where d.owner_id = o.user_id order by d.slug limit 20) f),
        'space_count', (select count(distinct d.space_id) from opened d where d.owner_id = o.user_id),
        'people', (select jsonb_agg(jsonb_build_object('user_id', u.user_id, 'name', u.name) order by u.user_id)
          from (select distinct d.user_id from opened d where d.owner_id = o.user_id order by d.user_id limit 20) f
            join users u on u.user_id = f.user_id),
        'people_count', (select count(distinct d.user_id) from opened d where d.owner_id = o.user_id)) as data
      from users o where o.user_id in (select d.owner_id from opened d) order by o.user_id
  loop
    perform turnpike.tell_notice(owner.user_id, 'space.shared', owner.data, p_moment);
    told := told || jsonb_build_object('email', owner.email, 'brand', owner.brand, 'data', owner.data);
  end loop;
  return told;
end $$;
