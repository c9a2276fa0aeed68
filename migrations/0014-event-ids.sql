-- The provider's event id is not covered by its signature. A delivery that comes under one is known by the digest of
-- its body (delivery_key); the id stands beside it. Rows from before have the id as delivery_key and no event_id.
alter table deliveries add column event_id text;

-- Ends the race of two bodies under one id: one holds the id, the other finds it held and is flagged.
create unique index deliveries_event_id on deliveries (account_id, provider, event_id)
  where event_id is not null;
