-- phase: before-deploy
-- transaction: none
-- Counters of whole accounts, for the daily cap of a plan.
alter table spend_counted drop constraint if exists spend_counted_kind_check,
  add constraint spend_counted_kind_check check (kind in ('key', 'end_user', 'account')) not valid;
alter table spend_counted validate constraint spend_counted_kind_check;
alter table spend_counters drop constraint if exists spend_counters_kind_check,
  add constraint spend_counters_kind_check check (kind in ('key', 'end_user', 'account')) not valid;
alter table spend_counters validate constraint spend_counters_kind_check;
