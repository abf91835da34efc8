-- The public facts of a key, with its space's slug and without its hash.
create type turnpike.key_answer as (
  key_id text,
  user_id bigint,
  previous_expires_at timestamptz, -- null
  hint text,
  name text,
  scope text,
  space_id bigint, -- null
  space text, -- null
  test boolean,
  daily_credit_micros bigint, -- null: no cap
  monthly_credit_micros bigint, -- null: no cap
  window_credit_micros bigint, -- null: no cap
  window_seconds integer, -- null: no cap
  end_user_daily_credit_micros bigint, -- null: no limit
  end_user_monthly_credit_micros bigint, -- null: no limit
  rate jsonb, -- null: none
  end_user_rate jsonb, -- null: none
  expires_at timestamptz, -- null
  revoked_at timestamptz, -- null
  ending_turns boolean,
  ending_tried_at timestamptz, -- null
  last_used_at timestamptz, -- null
  created_at timestamptz,
  default_end_user_ref text, -- null: the id of the key
  role text
);

create function turnpike.key_answer_of(k api_keys) returns turnpike.key_answer language plpgsql stable as $$
declare
  slug text;
begin
  if k.space_id is not null then
    select s.slug into slug from spaces s where s.space_id = k.space_id;
  end if;
  return row(k.key_id, k.user_id, k.previous_expires_at, k.hint, k.name, k.scope, k.space_id, slug, k.test,
    k.daily_credit_micros, k.monthly_credit_micros, k.window_credit_micros, k.window_seconds,
    k.end_user_daily_credit_micros, k.end_user_monthly_credit_micros, k.rate, k.end_user_rate, k.expires_at,
    k.revoked_at, k.ending_turns, k.ending_tried_at, k.last_used_at, k.created_at,
    k.default_end_user_ref, k.role)::turnpike.key_answer;
end $$;
