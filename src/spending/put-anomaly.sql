-- Dismisses an anomaly of the caller's account, or opens it again. refused: unknown.
create function turnpike.put_anomaly(p_request turnpike.request, p_anomaly_id text, p_dismissed boolean,
  out actor turnpike.caller, out refused text)
language plpgsql as $$
declare
  caller turnpike.caller;
  was anomalies;
begin
  {{caller.opens}}
  select a.* into was
    from anomalies a
    where a.anomaly_id = p_anomaly_id and a.user_id = caller.user_id for no key update;
  if was.anomaly_id is null then
    refused := 'unknown';
  elsif p_dismissed <> (was.dismissed_at is not null) then
    update anomalies a set dismissed_at = case when p_dismissed then p_request.moment end
      where a.anomaly_id = p_anomaly_id;
    perform turnpike.note_own_change(p_request, caller, 'anomaly.put', 'anomaly', p_anomaly_id,
      jsonb_build_object('dismissed', not p_dismissed), jsonb_build_object('dismissed', p_dismissed));
  end if;
  {{caller.closes}}
end $$;
