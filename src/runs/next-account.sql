-- Picks another account for a model call of a running turn with pick_account, and renews the lease.
-- p_bound: the account of its conversation; null if that binding has ended.
-- p_tried: accounts to skip. p_preferred: accounts to try first.
-- mine_still: 'yes', 'cancel' (the turn was asked to stop) or 'stale'. cools:
-- accounts are enabled, but none can take this call.
-- cooling_until: when the first of them recovers; null: none recovers by itself.
create function turnpike.next_account(p_turn_id text, p_epoch integer, p_engine text, p_servers jsonb, p_model text,
  p_bound text, p_tried text[], p_preferred text[], p_random double precision, p_probe_until timestamptz,
  p_lease timestamptz, p_moment timestamptz, out mine_still text, out account turnpike.picked_account,
  out cools boolean, out cooling_until timestamptz)
language plpgsql as $$
declare
  mine turns := turnpike.own_turn(p_turn_id, p_epoch);
  picked jsonb;
begin
  if mine.turn_id is null then
    mine_still := 'stale';
    return;
  end if;
  mine_still := case when mine.cancel_requested_at is null then 'yes' else 'cancel' end;
  if mine_still = 'yes' then
    picked := turnpike.pick_account(p_engine, p_servers, p_model, p_bound, p_tried, p_preferred, null, p_random,
      p_probe_until, p_moment);
    cools := coalesce(picked ? 'cooling_until', false);
    if cools then
      cooling_until := picked ->> 'cooling_until';
    elsif picked is not null then
      account := jsonb_populate_record(null::turnpike.picked_account, picked);
    end if;
  end if;
  update turns t set lease_until = p_lease where t.turn_id = p_turn_id;
  update open_turns o set wake_at = p_lease, provider_id = account.provider_id
    where o.user_id = mine.user_id and o.test = mine.test and o.turn_id collate "C" = mine.turn_id;
end $$;
