-- Marks each endpoint of an account as woken that has a due delivery and no wake in progress.
-- Returns the endpoints whose dispatchers must be called.
create function turnpike.wake_endpoints(p_user_id bigint, p_test boolean, p_moment timestamptz)
returns table (webhook_id text)
language plpgsql as $$
declare
  endpoint webhook_endpoints;
begin
  -- The order by id lets two concurrent wakes lock the endpoints in the same order.
  for endpoint in select w.*
    from webhook_endpoints w
    where w.user_id = p_user_id and w.test = p_test and w.deleted_at is null and w.disabled_at is null
      and w.woken_at is null and (w.verified_at is not null or w.ping_id is not null)
    order by w.webhook_id
  loop
    if turnpike.has_due(endpoint.webhook_id, case when endpoint.verified_at is null then endpoint.ping_id end,
      p_moment) then
      update webhook_endpoints w set woken_at = p_moment
        where w.webhook_id = endpoint.webhook_id and w.woken_at is null
        returning w.webhook_id into webhook_id;
      if found then
        return next;
      end if;
    end if;
  end loop;
end $$;

-- Does the same for all accounts: at most p_most endpoints that were not woken since
-- p_before, the longest waiting first.
create function turnpike.sweep_endpoints(p_before timestamptz, p_most integer, p_moment timestamptz)
returns table (webhook_id text, user_id bigint, test boolean) language plpgsql as $$
begin
  for webhook_id, user_id, test in select w.webhook_id, w.user_id, w.test
    from webhook_endpoints w
    where w.deleted_at is null and w.disabled_at is null and (w.woken_at is null or w.woken_at <= p_before)
      and (w.verified_at is not null or w.ping_id is not null)
      and turnpike.has_due(w.webhook_id, case when w.verified_at is null then w.ping_id end, p_moment)
    order by w.woken_at nulls first limit p_most
    -- A transaction that holds the row is already working on it.
    for no key update skip locked
  loop
    update webhook_endpoints w set woken_at = p_moment where w.webhook_id = sweep_endpoints.webhook_id;
    return next;
  end loop;
end $$;
