-- True if all data that an erasure covers is gone from the tables, and all recorded objects are gone from the bucket.
create function turnpike.is_erased(erasure erasures) returns boolean language plpgsql stable as $$
begin
  return not exists (select from turns t
      where t.user_id = erasure.user_id and t.test = erasure.test and t.end_user_ref = erasure.end_user_ref
        and t.created_at <= erasure.until_at and t.erased_at is null)
    and not exists (select from erased_objects o where o.erasure_id = erasure.erasure_id and o.removed_at is null);
end $$;

-- Records that all data is gone, if it is. Returns true if this call recorded it.
create function turnpike.note_erased(p_erasure_id text, p_moment timestamptz) returns boolean language plpgsql as $$
begin
  update erasures e set erased_at = p_moment
    where e.erasure_id = p_erasure_id and e.erased_at is null and turnpike.is_erased(e);
  return found;
end $$;

-- Records that objects were removed from the bucket. Returns true if any of them was recorded for this erasure.
create function turnpike.note_objects_removed(p_erasure_id text, p_keys text[], p_moment timestamptz) returns boolean
language plpgsql as $$
begin
  update erased_objects o set removed_at = p_moment
    where o.erasure_id = p_erasure_id and o.object_key = any (p_keys);
  return found;
end $$;

-- Marks objects that were removed before the erasure was complete as not removed, so that they are removed again.
-- Returns true if there are such objects.
create function turnpike.reopen_objects(p_erasure_id text) returns boolean language plpgsql as $$
begin
  update erased_objects o set removed_at = null
    from erasures e
    where e.erasure_id = p_erasure_id and o.erasure_id = e.erasure_id and o.removed_at <= e.erased_at;
  return found;
end $$;

-- Closes an erasure after its second search, if all data is gone, and deletes its object keys. Returns true if it
-- is closed.
create function turnpike.close_erasure(p_erasure_id text, p_moment timestamptz) returns boolean language plpgsql as $$
declare
  erasure erasures;
begin
  select e.* into erasure from erasures e where e.erasure_id = p_erasure_id;
  -- A dispatcher may have stored a receiver's answer while the turn was being redacted.
  update webhook_attempts a set answer = null, location = null
    from turns t, webhook_deliveries d
    where t.user_id = erasure.user_id and t.test = erasure.test and t.end_user_ref = erasure.end_user_ref
      and t.created_at <= erasure.until_at and t.erased_at is not null and d.turn_id = t.turn_id
      and a.delivery_id = d.delivery_id
      and (a.answer is not null or a.location is not null);
  if not turnpike.is_erased(erasure) then
    return false;
  end if;
  -- A credit may have been booked at the moment of the request.
  update end_user_ledger l set note = null
    where l.user_id = erasure.user_id and l.test = erasure.test and l.end_user_ref = erasure.end_user_ref
      and l.note is not null
      and l.created_at <= erasure.until_at;
  update erasures e set checked_at = p_moment where e.erasure_id = p_erasure_id and e.checked_at is null;
  delete from erased_objects o where o.erasure_id = p_erasure_id and o.removed_at is not null;
  return true;
end $$;

-- Claims up to p_limit erasures, least recently tried first: those that are not complete, and those that were
-- completed by p_settled and need their second search.
create function turnpike.take_erasures(p_settled timestamptz, p_limit integer, p_moment timestamptz)
returns table (erasure erasures) language plpgsql rows 10 as $$
begin
  return query
    update erasures e set tried_at = p_moment
    where e.erasure_id = any (array(select d.erasure_id from erasures d
      where d.checked_at is null and (d.erased_at is null or d.erased_at <= p_settled)
      -- Another run is working on locked rows.
      order by d.tried_at limit p_limit for no key update skip locked))
    returning e.*;
end $$;
