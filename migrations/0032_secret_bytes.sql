-- phase: before-deploy
-- An account's secrets count as bytes of its configuration. A trigger counts them, since workers of the former release store some as well.
create function count_secret_bytes() returns trigger language plpgsql as $$
declare
  more bigint := 0;
  account bigint;
begin
  if tg_op <> 'DELETE' then
    more := octet_length(new.sealed);
  end if;
  if tg_op <> 'INSERT' then
    more := more - octet_length(old.sealed);
  end if;
  select s.user_id into account from spaces s where s.space_id = case tg_op when 'DELETE' then old.space_id else new.space_id end;
  if more <> 0 then
    insert into account_storage as a (user_id, config_bytes) values (account, greatest(0, more))
      on conflict (user_id) do update set config_bytes = greatest(0, a.config_bytes + more);
  end if;
  return null;
end $$;
create trigger space_secrets_counted after insert or update of sealed or delete on space_secrets
  for each row execute function count_secret_bytes();

-- The trigger's lock keeps others from storing secrets until this is committed.
insert into account_storage as a (user_id, config_bytes)
select s.user_id, sum(octet_length(o.sealed)) from space_secrets o join spaces s on s.space_id = o.space_id group by s.user_id order by s.user_id
on conflict (user_id) do update set config_bytes = a.config_bytes + excluded.config_bytes;
