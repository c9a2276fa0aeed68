-- Limits of accounts, and what is forgotten by age.

-- Null: no limit.
alter table accounts add column requests_per_second integer check (requests_per_second > 0);

-- Null once pruned. The row stays with its key, so that a repeat is known for ever.
alter table deliveries alter column headers drop not null;
alter table deliveries alter column body drop not null;

-- Finished deliveries whose body is still there, oldest first. They come in the order of time, so a new one
-- goes to the end of the index; what was pruned is no longer in it, and what waits for a hand never was.
create index deliveries_to_prune on deliveries (received_at)
  where body is not null and state in ('processed', 'stale', 'ignored');

-- How far a walk through a table has come. History is kept for ever unless told otherwise, so it has no
-- index by age that every change would pay for.
create table prune_places (
  name        text    not null,
  account_id  text    not null,
  order_id    text    not null,
  position    integer not null,
  primary key (name)
);
