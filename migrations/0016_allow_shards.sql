-- phase: after-deploy
-- From here on accounts may get shards: turnpike.grow_shards looks for the record of this file. No worker is left that changes a wallet
-- without looking for them.
select 1;
