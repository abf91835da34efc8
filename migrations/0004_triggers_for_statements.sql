-- phase: before-deploy
-- transaction: none
-- Procedures do themselves what these triggers do: they go on for the statements of workers of the former release, until 0008.
create or replace trigger spaces_config_made after insert on spaces for each row
  when (current_query() not like 'select * from turnpike\_%') execute function keep_space_config();
create or replace trigger spaces_config_changed after update of config_version on spaces for each row
  when (new.config_version <> old.config_version and current_query() not like 'select * from turnpike\_%')
  execute function keep_space_config();
create or replace trigger turn_events_feed after insert on turn_events for each row
  when (new.type like 'turn.%' and current_query() not like 'select * from turnpike\_%') execute function feed_turn_event();
create or replace trigger events_deliver after insert on events for each row
  when (current_query() not like 'select * from turnpike\_%') execute function deliver_event();
create or replace trigger turns_count_first after insert on turns for each row
  when (new.key_id is not null and new.held_credit_micros > 0 and current_query() not like 'select * from turnpike\_%')
  execute function count_turn_spend();
create or replace trigger turns_count_change after update of held_credit_micros, billed_credit_micros on turns for each row
  when (new.key_id is not null and (new.held_credit_micros, new.billed_credit_micros)
    is distinct from (old.held_credit_micros, old.billed_credit_micros) and current_query() not like 'select * from turnpike\_%')
  execute function count_turn_spend();
create or replace trigger turns_refuse_twin before insert on turns for each row
  when (current_query() not like 'select * from turnpike\_%') execute function refuse_twin_turn();
create or replace trigger turns_tell_spend after update of billed_credit_micros on turns for each row
  when (new.key_id is not null and new.billed_credit_micros > old.billed_credit_micros
    and current_query() not like 'select * from turnpike\_%') execute function tell_spend();
create or replace trigger wallets_follow_balance after update of balance_credit_micros on wallets for each row
  when (current_query() not like 'select * from turnpike\_%' and case when new.balance_credit_micros < old.balance_credit_micros
      then (new.balance_credit_micros < new.low_balance_credit_micros
          and (not new.low_told or old.balance_credit_micros >= new.low_balance_credit_micros))
        or (new.balance_credit_micros = 0 and not new.depleted_told)
      else new.balance_credit_micros > old.balance_credit_micros and (new.depleted_told
        or (new.low_told and new.balance_credit_micros >= new.low_balance_credit_micros)) end)
  execute function follow_balance();

-- A turn's wake_at is no longer its row's: one that a worker of the former release has accepted may end with it set.
alter table turns drop constraint if exists turns_end_closes_all, add constraint turns_end_closes_all check (
  (state in ('done', 'failed', 'cancelled')) = (finished_at is not null and held_credit_micros = 0)) not valid;
alter table turns validate constraint turns_end_closes_all;
