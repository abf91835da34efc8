-- phase: before-deploy
-- The number of a file of another branch.
select 1;
