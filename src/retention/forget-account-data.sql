-- Deletes data that belongs to no turn: events of accounts, their deliveries and attempts, and the audit log. At most
-- p_limit rows of each. Returns the largest of these numbers. p_next: when to look again if nothing further is due.
create function turnpike.forget_account_data(p_limit integer, p_next timestamptz, p_moment timestamptz) returns integer
language plpgsql set retention.deletes = 'on' set enable_seqscan = off set jit = off as $$
declare
  mark retention_marks;
  ids text[];
  deleted integer;
  most integer := 0;
  delivered_before timestamptz := p_moment - make_interval(days => turnpike.retention_days(0, 'delivery'));
  attempted_before timestamptz := p_moment - make_interval(days => turnpike.retention_days(0, 'attempt'));
  happened_before timestamptz := p_moment - make_interval(days => turnpike.retention_days(0, 'event'));
begin
  select m.* into mark
    from retention_marks m
    where m.space_id = 0 and m.data = 'account' for no key update skip locked;
  if mark.space_id is null then
    return 0;
  end if;
  -- No delivery outlives its event.
  ids := array(select d.delivery_id from webhook_deliveries d
    where d.turn_id is null and d.finished_at < greatest(delivered_before, happened_before)
    order by d.finished_at limit p_limit for update skip locked);
  most := cardinality(ids);
  delete from webhook_attempts a where a.delivery_id = any (ids);
  delete from webhook_deliveries d where d.delivery_id = any (ids);

  -- A delivery that is sent again ends later, so no delivery ends before the mark any more.
  with passed as (
    select d.delivery_id, d.finished_at
      from webhook_deliveries d
      where d.turn_id is null and d.finished_at > coalesce(nullif(mark.position, '')::timestamptz, '-infinity')
        and d.finished_at < attempted_before
      order by d.finished_at fetch first p_limit rows with ties
  ), gone as (
    delete from webhook_attempts a using passed p where a.delivery_id = p.delivery_id
  )
    select count(*), coalesce(max(p.finished_at)::text, mark.position) into deleted, mark.position
    from passed p;
  most := greatest(most, deleted);

  delete from events e
    where e.turn_id is null and e.event_id collate "C" = any (array(
    select o.event_id
      from events o
      where o.turn_id is null and o.event_id collate "C" < 'evt_' || turnpike.id_time(happened_before)
        and not exists (select from webhook_endpoints w join webhook_deliveries d
          on d.delivery_id = turnpike.delivery_id(o.event_id, w.webhook_id) where w.user_id = o.user_id
            and w.test = o.test)
      order by o.event_id collate "C" limit p_limit));
  get diagnostics deleted = row_count;
  most := greatest(most, deleted);

  delete from audit_log a
    where a.audit_id = any (array(
    select o.audit_id
      from audit_log o
      where o.created_at < p_moment - make_interval(days => turnpike.setting_number('audit_days')::integer)
      order by o.created_at limit p_limit));
  get diagnostics deleted = row_count;
  most := greatest(most, deleted);
  update retention_marks m set position = mark.position,
    look_at = case when most < p_limit then p_next else m.look_at end
    where m.space_id = 0 and m.data = 'account';
  return most;
end $$;
