-- phase: before-deploy
-- transaction: none
-- When the sweeper tried last to end what is ending. Workers of the former release note nothing, and take the oldest first.
alter table users add column if not exists ending_tried_at timestamptz;
alter table spaces add column if not exists ending_tried_at timestamptz;
alter table api_keys add column if not exists ending_tried_at timestamptz;
alter table webhook_endpoints add column if not exists stop_tried_at timestamptz;

create index concurrently users_ending on users (ending_tried_at nulls first) where ending_turns;
create index concurrently spaces_ending on spaces (ending_tried_at nulls first) where ending_turns;
create index concurrently api_keys_ending_tried on api_keys (ending_tried_at nulls first) where ending_turns;
create index concurrently webhook_endpoints_stop_tried on webhook_endpoints (stop_tried_at nulls first) where stopping;
