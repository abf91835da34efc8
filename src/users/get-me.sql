-- The admin who acts as another user.
create type turnpike.acting_admin as (
  user_id bigint,
  name text -- null
);

-- Returns the account, its balance, and who acts for it, if it is not the account's own user: a member (person), or an
-- admin.
create function turnpike.get_me(p_request turnpike.request)
returns table (actor turnpike.caller, account turnpike.user_answer, balance bigint, held bigint,
  acting_admin turnpike.acting_admin, person turnpike.user_answer) language plpgsql rows 1 as $$
declare
  caller turnpike.caller;
  own users;
begin
  {{caller.opens row}}
  select u.* into own from users u where u.user_id = caller.user_id;
  account := turnpike.user_answer_of(own);
  person := (select turnpike.user_answer_of(u) from users u where u.user_id = caller.person_id);
  select s.balance, s.held into balance, held from turnpike.wallet_sums(caller.user_id) s;
  acting_admin := (select (u.user_id, u.name)::turnpike.acting_admin from users u
    where u.user_id = caller.acting_user_id);
  {{caller.closes row}}
end $$;
