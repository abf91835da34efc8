-- phase: before-deploy
-- transaction: none
-- Users that operators edit: which version each is, and who changed it last. What an account was given, without reading its charges.
alter table users add column if not exists version integer not null default 1;
alter table users add column if not exists updated_at timestamptz;
alter table users add column if not exists updated_by bigint references users;
create index concurrently if not exists ledger_without_charges on ledger (user_id, created_at)
  include (reason, amount_credit_micros) where reason not in ('usage', 'space_usage') or turn_id is null;
