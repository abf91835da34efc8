-- phase: after-deploy
-- transaction: none
-- What only workers of the former release used.
drop trigger if exists turns_keep_open_made on turns;
drop trigger if exists turns_keep_open_changed on turns;
drop function if exists keep_open_turn();
drop trigger if exists turns_count_first on turns;
drop trigger if exists turns_count_change on turns;
drop trigger if exists turns_refuse_twin on turns;
drop trigger if exists turns_tell_spend on turns;
drop trigger if exists wallets_follow_balance on wallets;
drop trigger if exists turn_events_feed on turn_events;
drop trigger if exists events_deliver on events;
drop trigger if exists spaces_config_made on spaces;
drop trigger if exists spaces_config_changed on spaces;

drop index concurrently if exists turns_one_running_per_conversation;
drop index concurrently if exists turns_open_in_conversation;
drop index concurrently if exists turns_to_wake;
drop index concurrently if exists turns_queued;
drop index concurrently if exists turns_open_of_owner;
drop index concurrently if exists turns_without_result;
alter table turns drop column if exists wake_at;

alter table turns drop constraint if exists turns_user_id_test_idempotency_key_key;
alter table turn_events drop constraint if exists turn_events_event_id_key;

-- What each turn writes refers to nothing by constraint: twenty look-ups for each turn.
alter table turns drop constraint if exists turns_user_id_fkey;
alter table turns drop constraint if exists turns_key_id_fkey;
alter table turns drop constraint if exists turns_space_id_fkey;
alter table turns drop constraint if exists turns_conversation_id_fkey;
alter table conversations drop constraint if exists conversations_space_id_fkey;
alter table conversations drop constraint if exists conversations_user_id_fkey;
alter table turn_events drop constraint if exists turn_events_turn_id_fkey;
alter table turn_steps drop constraint if exists turn_steps_turn_id_fkey;
alter table usage drop constraint if exists usage_turn_id_fkey;
alter table usage drop constraint if exists usage_user_id_fkey;
alter table usage drop constraint if exists usage_space_id_fkey;
alter table usage drop constraint if exists usage_key_id_fkey;
alter table ledger drop constraint if exists ledger_user_id_fkey;
alter table ledger drop constraint if exists ledger_turn_id_fkey;
alter table spend_counters drop constraint if exists spend_counters_user_id_fkey;
alter table api_turns drop constraint if exists api_turns_turn_id_fkey;
alter table api_turns drop constraint if exists api_turns_user_id_fkey;
alter table api_turns drop constraint if exists api_turns_space_id_fkey;
create or replace trigger users_kept before delete on users for each statement execute function guard_append_only();
create or replace trigger spaces_kept before delete on spaces for each statement execute function guard_append_only();
create or replace trigger api_keys_kept before delete on api_keys for each statement execute function guard_append_only();
create or replace trigger turns_kept before delete on turns for each statement execute function guard_append_only();
