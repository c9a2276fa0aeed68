-- Rate limits of accounts, and pruning by age.

-- Null: no limit.
alter table accounts add column requests_per_second integer;
alter table accounts add constraint accounts_requests_per_second_check check (requests_per_second > 0);

-- Null once pruned. The row stays with its key, so that a repeat is always recognised.
alter table deliveries alter column headers drop not null;
alter table deliveries alter column body drop not null;

-- Finished deliveries that still have their body, oldest first. New rows are appended at the end of the index. Pruned
-- deliveries leave it, and deliveries that need an operator are never in it.
create index deliveries_to_prune on deliveries (received_at)
  where body is not null and state in ('processed', 'stale', 'ignored');

-- The cursors of sweeps that scan a table step by step. History is pruned this way because it has no index by age: every
-- change would have to write to it, and by default history is never pruned.
create table prune_places (
  name        text    not null,
  account_id  text    not null,
  order_id    text    not null,
  position    integer not null,
  primary key (name)
);
