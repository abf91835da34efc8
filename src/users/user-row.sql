-- The public columns of a user. Answers must not contain any other column of users.
create type turnpike.user_answer as (
  user_id bigint,
  name text, -- null
  email text, -- null
  email_verified boolean,
  role text,
  brand text,
  created_at timestamptz
);

create function turnpike.user_answer_of(u users) returns turnpike.user_answer language sql stable as $$
  select (u.user_id, u.name, u.email, u.email_verified, u.role, u.brand, u.created_at)::turnpike.user_answer
$$;
