-- phase: before-deploy
-- The end of a turn notes which account served its conversation: with room in the row's own page it writes no index.
alter table conversations set (fillfactor = 75);
