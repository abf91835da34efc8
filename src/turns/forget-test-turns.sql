-- Deletes the content of up to p_limit test turns that ended longer ago than the setting test_data_days: texts,
-- events and steps. States and numbers stay, and the names of files, by which an erasure finds them.
-- Skips turns that another run has locked. Returns how many turns it has changed.
create function turnpike.forget_test_turns(p_limit integer, p_moment timestamptz) returns integer language plpgsql as $$
declare
  ids text[];
  ended_before timestamptz := p_moment - make_interval(days => turnpike.limit_of('test_data_days')::integer);
begin
  -- An id begins with the moment at which its turn was accepted.
  ids := array(select t.turn_id from turns t
    where t.test and t.text <> '' and t.turn_id collate "C" < 'turn_' || turnpike.id_time(ended_before) and t.finished_at < ended_before
    order by t.turn_id collate "C" limit p_limit for no key update skip locked);
  update turns t set text = '', result = null, error_message = null, metadata = '{}', request_hash = '' where t.turn_id = any (ids);
  delete from turn_events e where e.turn_id = any (ids);
  -- An erasure finds the objects of stored images by the steps that called tools.
  delete from turn_steps p where p.turn_id = any (ids) and not p.content @> '[{"type": "tool-call"}]';
  update turn_steps p set text = '', content = '[{"type": "tool-call"}]', results = '{}', events = '[]' where p.turn_id = any (ids);
  return cardinality(ids);
end $$;
