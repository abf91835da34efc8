-- phase: before-deploy
-- transaction: none
-- Who is registered in a space also while its owner is disabled, when it is shared with nobody. What lists of operators read by.
create or replace view registered_members as
  select s.space_id, s.user_id as owner_id, m.user_id, 'member'::text as role
    from space_members m join spaces s on s.space_id = m.space_id
    where m.user_id <> s.user_id
  union all
  select s.space_id, s.user_id, m.user_id, case when m.role in ('owner', 'admin') then 'admin' else 'member' end
    from workspace_members m join workspaces w on w.workspace_id = m.workspace_id join spaces s on s.workspace_id = w.workspace_id
    where w.archived_at is null and m.user_id <> s.user_id
  union all
  select s.space_id, s.user_id, m.user_id, 'member'::text
    from team_members m join teams t on t.team_id = m.team_id join workspaces w on w.team_id = t.team_id
      join spaces s on s.workspace_id = w.workspace_id
    where t.archived_at is null and w.archived_at is null and m.user_id <> s.user_id;

create or replace view space_shares as
  select r.space_id, r.user_id, r.role from registered_members r join users o on o.user_id = r.owner_id where o.disabled_at is null;

create index concurrently spaces_active on spaces (space_id) include (brand, origin) where archived_at is null;
create index concurrently subscription_days_of on subscription_days (subscription_id, day)
  include (model_calls, tokens_input, tokens_cached, tokens_output, billed_credit_micros);
