-- phase: before-deploy
-- Settings that operators edit: which version each is, and who changed it last.
alter table settings
  add column version integer not null default 1,
  add column updated_by bigint references users;
