-- Whether nothing that an erasure covers is left, in the tables or, as far as is noted, in the bucket.
create function turnpike.is_erased(erasure erasures) returns boolean language plpgsql stable as $$
begin
  return not exists (select from turns t
      where t.user_id = erasure.user_id and t.test = erasure.test and t.end_user_ref = erasure.end_user_ref
        and t.created_at <= erasure.until_at and t.erased_at is null)
    and not exists (select from erased_objects o where o.erasure_id = erasure.erasure_id and o.removed_at is null);
end $$;

-- Notes that all is gone, if it is; returns whether.
create function turnpike.note_erased(p_erasure_id text, p_moment timestamptz) returns boolean language plpgsql as $$
begin
  update erasures e set erased_at = p_moment
    where e.erasure_id = p_erasure_id and e.erased_at is null and turnpike.is_erased(e);
  return found;
end $$;

-- Notes that objects are gone from the bucket; returns whether any of them was known.
create function turnpike.note_objects_removed(p_erasure_id text, p_keys text[], p_moment timestamptz) returns boolean language plpgsql as $$
begin
  update erased_objects o set removed_at = p_moment where o.erasure_id = p_erasure_id and o.object_key = any (p_keys);
  return found;
end $$;

-- Opens the objects again that were removed by the time when all was gone; returns whether there are any.
create function turnpike.reopen_objects(p_erasure_id text) returns boolean language plpgsql as $$
begin
  update erased_objects o set removed_at = null from erasures e
    where e.erasure_id = p_erasure_id and o.erasure_id = e.erasure_id and o.removed_at <= e.erased_at;
  return found;
end $$;

-- Closes an erasure that was looked through once more, if nothing was left, and forgets where its objects were. Returns
-- whether it is closed.
create function turnpike.close_erasure(p_erasure_id text, p_moment timestamptz) returns boolean language plpgsql as $$
declare
  erasure erasures;
begin
  select e.* into erasure from erasures e where e.erasure_id = p_erasure_id;
  -- What a dispatcher has noted of a receiver's answer while its turn was redacted.
  update webhook_attempts a set answer = null from turns t, webhook_deliveries d
    where t.user_id = erasure.user_id and t.test = erasure.test and t.end_user_ref = erasure.end_user_ref
      and t.created_at <= erasure.until_at and t.erased_at is not null and d.turn_id = t.turn_id and a.delivery_id = d.delivery_id
      and a.answer is not null;
  if not turnpike.is_erased(erasure) then
    return false;
  end if;
  update erasures e set checked_at = p_moment where e.erasure_id = p_erasure_id and e.checked_at is null;
  delete from erased_objects o where o.erasure_id = p_erasure_id and o.removed_at is not null;
  return true;
end $$;

-- Takes up to p_limit erasures that are not complete, or that were by p_settled and are to be looked through once more, those first that
-- were tried longest ago.
create function turnpike.take_erasures(p_settled timestamptz, p_limit integer, p_moment timestamptz)
returns table (erasure jsonb) language plpgsql rows 10 as $$
begin
  return query
    update erasures e set tried_at = p_moment
    from (select d.erasure_id from erasures d
      where d.checked_at is null and (d.erased_at is null or d.erased_at <= p_settled)
      -- Another run has what is locked.
      order by d.tried_at limit p_limit for no key update skip locked) due
    where e.erasure_id = due.erasure_id
    returning to_jsonb(e);
end $$;
