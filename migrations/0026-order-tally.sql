-- Sums over the transactions of a large order, so that a delivery need not load all of them. Null for every other order.
alter table orders add column tally json;
