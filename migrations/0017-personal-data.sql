-- Personal data: what was stored in clear is sealed or masked, and consumers can be erased. Contract 8.7.

-- Orders from before may hold a bank account in clear, and their history a consumer. The sweep walks through all of them
-- once from this place, and removes it at the end. A database without orders has nothing to walk through.
insert into prune_places (name, account_id, order_id, position)
  select 'personal-data', '', '', 0 where exists (select from orders);

-- Since when the personal data of an order is erased. Deliveries that come for it later are erased before they are stored.
alter table orders add column erased_at timestamptz;
-- The same of a delivery. Its body is no longer the one that came, so that only its keys can recognise a repeat.
alter table deliveries add column erased_at timestamptz;
