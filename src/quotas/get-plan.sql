-- The plan of an account, and what is left of its daily cap. All are null without a plan; cap is null without a cap.
create function turnpike.get_plan(p_request turnpike.request, out actor turnpike.caller, out plan text, out label text,
  out is_trial boolean, out starts_at timestamptz, out ends_at timestamptz, out cap turnpike.cap_state)
language plpgsql as $$
declare
  caller turnpike.caller;
  active record;
  state turnpike.cap_state;
begin
  {{caller.opens}}
  select s.plan, s.trial, s.starts_at,
    s.ends_at into active from turnpike.active_subscription(caller.user_id, p_request.moment) s;
  plan := active.plan;
  label := turnpike.setting_value('plans') -> active.plan ->> 'label';
  is_trial := active.trial;
  starts_at := active.starts_at;
  ends_at := active.ends_at;
  -- A loop, because a row that is not found would become a row of nulls.
  for state in select c.*
    from turnpike.cap_states(caller.user_id, null, null, p_request.moment, null, null) c
    where c.cap = 'account_daily' loop
    cap := state;
  end loop;
  {{caller.closes}}
end $$;
