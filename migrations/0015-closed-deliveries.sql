-- Two ends of a delivery that could not be applied by itself: a person closed it (resolved), or nobody did for so long
-- that its body was forgotten (expired).
alter table deliveries drop constraint deliveries_state_check;
alter table deliveries add constraint deliveries_state_known check (state in
  ('received', 'processed', 'stale', 'ignored', 'parked', 'needs_review', 'dead', 'resolved', 'expired'));

-- From now on a dead delivery has the time at which it was given up. Those from before count from today.
update deliveries set finished_at = now() where state = 'dead' and finished_at is null;

-- Dead deliveries, the longest dead first.
create index deliveries_dead on deliveries (coalesce(finished_at, received_at)) where state = 'dead';

-- Deliveries that a person closed and whose body is still there, oldest first.
create index deliveries_resolved_to_prune on deliveries (received_at)
  where body is not null and state = 'resolved';

-- What a delivery waits for is removed by the delivery; without this index by reading what all of the account wait for.
create index delivery_references_of_delivery on delivery_references (account_id, delivery_id);
