-- phase: after-deploy
-- transaction: none
-- Only workers of the former release looked for what is ending by them.
drop index concurrently if exists users_ending_turns;
drop index concurrently if exists spaces_ending_turns;
drop index concurrently if exists api_keys_ending;
drop index concurrently if exists webhook_endpoints_stopping;
