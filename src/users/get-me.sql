-- The admin who acts as another user.
create type turnpike.acting_admin as (
  user_id bigint,
  name text -- null
);

-- Returns the signed-in user, their balance, and the admin who acts as them, if any.
create function turnpike.get_me(p_request turnpike.request)
returns table (actor turnpike.caller, account turnpike.user_answer, balance bigint, held bigint,
  acting_admin turnpike.acting_admin) language plpgsql rows 1 as $$
declare
  caller turnpike.caller;
  own users;
begin
  {{caller.opens row}}
  select u.* into own from users u where u.user_id = caller.user_id;
  account := turnpike.user_answer_of(own);
  select s.balance, s.held into balance, held from turnpike.wallet_sums(caller.user_id) s;
  acting_admin := (select (u.user_id, u.name)::turnpike.acting_admin from users u
    where u.user_id = caller.acting_user_id);
  {{caller.closes row}}
end $$;
