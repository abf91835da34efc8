-- phase: before-deploy
-- What the messaging platform said at the last sign-in, so that a name that changes there is known from one that was changed here.
alter table identities add column name text;
