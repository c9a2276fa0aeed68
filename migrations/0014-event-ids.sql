-- The provider's event id is not covered by its signature, so a delivery is identified by the digest of its body
-- (delivery_key), and the event id is stored beside it. Older rows have the id as delivery_key and no event_id.
alter table deliveries add column event_id text;

-- Ends the race of two bodies with one event id: one gets the id, the other is flagged.
create unique index deliveries_event_id on deliveries (account_id, provider, event_id)
  where event_id is not null;
