-- phase: after-deploy
-- Functions that statements of the former release called.
drop function if exists tell_spend;
drop function if exists follow_balance;
drop function if exists tell_refusal;
drop function if exists tell_balance;
drop function if exists tell_cap;
drop function if exists event_id_at;
drop function if exists take_hold;
drop function if exists room_for;
drop function if exists cap_states;
drop function if exists cap_states_under;
drop function if exists open_window;
drop function if exists repair_held;
drop function if exists repair_counter;
drop function if exists counter_truth;
drop function if exists id_time;
drop function if exists refund_turn;
drop function if exists book_entry;
drop function if exists refuse_twin_turn;
drop function if exists count_turn_spend;
drop function if exists deliver_event;
drop function if exists feed_turn_event;
drop function if exists endpoint_hears;
drop function if exists delivery_id_of;
drop function if exists keep_space_config;
drop function if exists resolve_identity;
