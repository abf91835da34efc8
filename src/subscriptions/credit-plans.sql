-- Claims subscriptions whose next period has started: the least recently tried first, and each once per p_moment.
-- They are marked as tried before they are credited, so a subscription that fails is retried after all others.
create function turnpike.take_subscriptions_to_credit(p_moment timestamptz, p_limit integer)
returns table (sub_id integer)
language plpgsql as $$
begin
  return query update subscriptions s set credit_tried_at = p_moment
    where s.sub_id = any (array(select d.sub_id from subscriptions d
      where d.crediting
        and (d.starts_at at time zone 'UTC') + make_interval(months => d.credited_periods)
        <= p_moment at time zone 'UTC'
        and (d.credit_tried_at is null or d.credit_tried_at < p_moment)
      order by d.credit_tried_at nulls first, d.sub_id limit p_limit for no key update skip locked))
    returning s.sub_id;
end $$;

-- Adds the credit for the periods of a subscription that have started, at most p_most of them.
-- The reference of the ledger row makes each period count once. The amount comes from the current setting `plans`.
-- A user gets the credit of a plan once for the same time, even with several subscriptions of that plan. The time after
-- the end that a subscription had when its period was credited is free for another one.
-- A period that starts after the subscription ended or was deactivated gets no credit, and crediting stops.
-- is_more: there are further periods, so call again. has_subscriber: an endpoint of the account must be woken.
create function turnpike.credit_subscription(p_sub_id integer, p_most integer, p_moment timestamptz,
  out user_id bigint, out booked integer, out is_more boolean, out has_subscriber boolean) language plpgsql as $$
declare
  sub subscriptions;
  plans jsonb := turnpike.setting_value('plans');
  micros bigint;
  begins timestamptz;
  ends timestamptz;
  booking turnpike.booking;
begin
  -- A concurrent sweeper waits for these locks, and then sees which periods already have their credit.
  perform from users u
    where u.user_id = (select s.user_id from subscriptions s where s.sub_id = p_sub_id) for no key update;
  select s.* into sub from subscriptions s where s.sub_id = p_sub_id for no key update;
  user_id := sub.user_id;
  booked := 0;
  is_more := false;
  has_subscriber := false;
  micros := round(coalesce((plans -> sub.plan ->> 'included_credit_usd')::numeric, 0) * 10000000);
  while sub.crediting loop
    begins := turnpike.period_begin(sub.starts_at, sub.credited_periods);
    exit when begins > p_moment;
    is_more := booked >= p_most;
    exit when is_more;
    if begins >= least(sub.ends_at, sub.deactivated_at) then
      sub.crediting := false;
    else
      -- If the plan is missing in the setting, the period stays due, because an operator may add the plan again.
      exit when not plans ? sub.plan and (p_moment < least(sub.ends_at, sub.deactivated_at)) is not false;
      ends := least(turnpike.period_begin(sub.starts_at, sub.credited_periods + 1), sub.ends_at);
      if micros > 0 and not exists (select from subscription_credits c
        where c.user_id = sub.user_id and c.plan = sub.plan and c.starts_at < ends and c.ends_at > begins)
      then
        insert into subscription_credits (user_id, plan, starts_at, ends_at, sub_id)
        values (sub.user_id, sub.plan, begins, ends, p_sub_id);
        booking := turnpike.book_entry(sub.user_id, 'admin_grant', micros, null,
          'subscription:' || sub.sub_id || ':' || to_char(begins at time zone 'UTC', 'YYYY-MM-DD'), null, null,
          'system', 'Included in the plan "' || (plans -> sub.plan ->> 'label') || '".', p_moment);
        if booking.refused is not null then
          raise exception 'the credit of subscription % was refused: %', p_sub_id, booking.refused;
        end if;
        has_subscriber := has_subscriber or booking.has_subscriber;
      end if;
      booked := booked + 1;
      sub.credited_periods := sub.credited_periods + 1;
    end if;
  end loop;
  update subscriptions s set credited_periods = sub.credited_periods, crediting = sub.crediting
    where s.sub_id = p_sub_id;
end $$;
