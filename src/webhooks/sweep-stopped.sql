-- Gives up pending deliveries of a stopped endpoint, and returns their number.
-- Clears `stopping` if the endpoint is enabled again, or if nothing is left and it stopped before p_settled.
-- Until p_settled, an event's transaction may still be open.
create function turnpike.give_up_stopped(p_webhook_id text, p_settled timestamptz, p_stop_batch integer,
  p_moment timestamptz)
returns integer language plpgsql as $$
declare
  target webhook_endpoints;
  is_on boolean;
  given_up integer := 0;
begin
  select w.* into target from webhook_endpoints w where w.webhook_id = p_webhook_id for no key update;
  is_on := target.deleted_at is null and target.disabled_at is null;
  if not is_on then
    given_up := turnpike.give_up(p_webhook_id, case when target.deleted_at is not null then 'endpoint_deleted'
      when target.disabled_reason = 'customer' then 'endpoint_disabled'
      when target.disabled_reason = 'account_disabled' then 'account_disabled'
      else 'endpoint_' || target.disabled_reason end, p_stop_batch, p_moment);
  end if;
  if given_up = 0 and target.stopping and (is_on or target.updated_at <= p_settled) then
    update webhook_endpoints w set stopping = false where w.webhook_id = p_webhook_id;
  end if;
  return given_up;
end $$;

-- Claims the stopping endpoint whose last try is oldest, if it is before p_tried_before, and
-- records this try. So a failing endpoint goes to the end of the order.
-- Returns null if no endpoint is left. Skips endpoints that another run is claiming.
create function turnpike.take_stopping(p_tried_before timestamptz, p_moment timestamptz) returns text
language plpgsql as $$
declare
  taken text;
begin
  update webhook_endpoints w set stop_tried_at = p_moment
    where w.webhook_id = (select e.webhook_id from webhook_endpoints e
      where e.stopping and (e.stop_tried_at is null or e.stop_tried_at < p_tried_before)
      order by e.stop_tried_at nulls first limit 1 for no key update skip locked)
    returning w.webhook_id into taken;
  return taken;
end $$;
