-- phase: before-deploy
-- Endpoints of webhooks are verified by a ping; those from before count as verified, and so does what workers from before make.
alter table webhook_endpoints
  add column verified_at timestamptz default now(),
  add column ping_id text,
  add column target text,
  add column resends_free_at timestamptz;

create table webhook_hosts (
  host text not null,
  test boolean not null,
  free_at timestamptz not null,
  primary key (host, test)
) with (fillfactor = 50);
