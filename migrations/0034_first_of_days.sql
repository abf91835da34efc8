-- phase: before-deploy
-- transaction: none
-- Lists of a few days with many rows look at the first of each day.
create index concurrently if not exists space_days_by_billed on space_days (day, billed_credit_micros desc);
create index concurrently if not exists user_days_by_billed on user_days (day, billed_credit_micros desc);
