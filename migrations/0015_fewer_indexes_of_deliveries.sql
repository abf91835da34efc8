-- phase: after-deploy
-- transaction: none
-- The former release counted leases by the second. A delivery's id is made of its event and its endpoint, so the last says nothing that
-- the primary key does not.
drop index concurrently if exists webhook_deliveries_in_order;
drop index concurrently if exists webhook_deliveries_leased;
alter table webhook_deliveries drop constraint if exists webhook_deliveries_webhook_id_event_id_key;
