-- Returns what an account may spend by its plan at a moment; null without a plan, or if the plan has no such cap.
-- p_field: the field of the plan.
create function turnpike.plan_cap(p_user_id bigint, p_field text, p_moment timestamptz) returns bigint
language plpgsql stable as $$
declare
  active text;
begin
  select s.plan into active from turnpike.active_subscription(p_user_id, p_moment) s;
  if active is null then
    return null;
  end if;
  return round((turnpike.setting_value('plans') -> active ->> p_field)::numeric * 10000000)::bigint;
end $$;
