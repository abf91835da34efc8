-- phase: before-deploy
alter table turns add column claim_message text, add column claim_try integer;
