-- The signed-in user and their balance, and the admin who acts as them, if one does.
create function turnpike.get_me(p_request turnpike.request)
returns table (actor turnpike.caller, account jsonb, balance bigint, held bigint, acting_admin jsonb) language plpgsql rows 1 as $$
declare
  caller turnpike.caller;
  own users;
begin
  caller := turnpike.find_caller(p_request);
  actor := caller;
  if caller.usable then
    select u.* into own from users u where u.user_id = caller.user_id;
    account := turnpike.user_json(own);
    select s.balance, s.held into balance, held from turnpike.wallet_sums(caller.user_id) s;
    acting_admin := (select jsonb_build_object('user_id', u.user_id, 'name', u.name) from users u where u.user_id = caller.acting_user_id);
    perform turnpike.note_use(caller, p_request.moment);
  end if;
  return next;
end $$;
