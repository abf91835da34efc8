-- Stores that the catalog was compared with a price feed. If there are other findings than before, their alert begins,
-- and the next run of the cron tells it. Returns true then.
-- p_digest: of the findings. p_message: null: there are none, and the alert ends. p_since: the begin of an alert.
create function turnpike.note_price_check(p_feed text, p_digest text, p_message text, p_since timestamptz,
  p_moment timestamptz) returns boolean language plpgsql as $$
declare
  before price_checks;
begin
  insert into price_checks (feed, digest, checked_at) values (p_feed, '', p_moment) on conflict (one) do nothing;
  select p.* into before from price_checks p for no key update;
  update price_checks p set feed = p_feed, digest = p_digest, checked_at = p_moment;
  if before.digest = p_digest then
    return false;
  end if;
  if p_message is null then
    update alerts a set ended_at = p_moment where a.name = 'prices' and a.ended_at is null;
  else
    insert into alerts (name, message, since)
      values ('prices', p_message, p_since)
      on conflict (name) do update set message = excluded.message, since = excluded.since, told_at = null,
        ended_at = null, telling_until = null;
  end if;
  return true;
end $$;
