-- Owners are notified of every new viewer of their spaces, in the transaction that gives access. The view space_shares
-- contains every kind of access.

-- The users with whom spaces are shared now: [[space_id, user_id], …]. p_user_id: only this user; null: all users.
create function turnpike.shared_with(p_space_ids bigint[], p_user_id bigint) returns jsonb language sql stable as $$
  select coalesce(jsonb_agg(distinct jsonb_build_array(h.space_id, h.user_id)), '[]')
    from space_shares h
    where h.space_id = any(p_space_ids) and h.user_id = coalesce(p_user_id, h.user_id)
$$;

create type turnpike.opened_space as (
  space text,
  title text
);

create type turnpike.opened_person as (
  user_id bigint,
  name text -- null
);

-- The data of the event space.shared.
create type turnpike.space_sharing as (
  spaces turnpike.opened_space[],
  space_count bigint,
  people turnpike.opened_person[],
  people_count bigint
);

-- The email with the same data for an owner.
create type turnpike.shared_notice as (
  email text, -- null
  brand text,
  data turnpike.space_sharing
);

-- Writes one event space.shared for each owner of these spaces that more users can see now.
-- p_before: the result of shared_with for the same arguments before the change.
-- The event names at most 20 spaces and 20 people; its counts are complete. Returns the notices for emails.
create function turnpike.tell_shared(p_space_ids bigint[], p_user_id bigint, p_before jsonb, p_moment timestamptz)
returns turnpike.shared_notice[] language plpgsql as $$
declare
  owner record;
  notices turnpike.shared_notice[] := '{}';
begin
  for owner in
    with news as (
      select (a.value ->> 0)::bigint as space_id, (a.value ->> 1)::bigint as user_id
        from jsonb_array_elements(turnpike.shared_with(p_space_ids, p_user_id)) a
      except
      select (b.value ->> 0)::bigint, (b.value ->> 1)::bigint
        from jsonb_array_elements(p_before) b
    ), opened as (
      select s.user_id as owner_id, s.space_id, s.slug, s.title, n.user_id
        from news n
          join spaces s on s.space_id = n.space_id
    )
    select o.user_id, turnpike.owner_email(o.user_id) as email, o.brand, (
        array(select (f.slug, f.title)::turnpike.opened_space
          from (select distinct d.slug, d.title from opened d where d.owner_id = o.user_id order by d.slug limit 20) f
            order by f.slug),
        (select count(distinct d.space_id) from opened d where d.owner_id = o.user_id),
        array(select (u.user_id, u.name)::turnpike.opened_person
          from (select distinct d.user_id from opened d where d.owner_id = o.user_id order by d.user_id limit 20) f
            join users u on u.user_id = f.user_id order by u.user_id),
        (select count(distinct d.user_id) from opened d where d.owner_id = o.user_id))::turnpike.space_sharing as data
      from users o
    where o.user_id in (select d.owner_id from opened d)
    order by o.user_id
  loop
    perform turnpike.tell_notice(owner.user_id, 'space.shared', to_jsonb(owner.data), p_moment);
    notices := notices || row(owner.email, owner.brand, owner.data)::turnpike.shared_notice;
  end loop;
  return notices;
end $$;
