-- Two final states of a delivery that could not be applied: an operator resolved it (resolved), or nobody did for so long
-- that its body was pruned (expired).
alter table deliveries drop constraint deliveries_state_check;
alter table deliveries add constraint deliveries_state_known check (state in
  ('received', 'processed', 'stale', 'ignored', 'parked', 'needs_review', 'dead', 'resolved', 'expired'));

-- finished_at is now also the time at which a delivery became dead. Existing dead deliveries count from today.
update deliveries set finished_at = now() where state = 'dead' and finished_at is null;

-- Dead deliveries, oldest first.
create index deliveries_dead on deliveries (coalesce(finished_at, received_at)) where state = 'dead';

-- Resolved deliveries that still have their body, oldest first.
create index deliveries_resolved_to_prune on deliveries (received_at)
  where body is not null and state = 'resolved';

-- References are deleted by delivery. Without this index that would read all references of the account.
create index delivery_references_of_delivery on delivery_references (account_id, delivery_id);
