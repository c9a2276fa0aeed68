-- An order's status changes with every payment. PostgreSQL updates a row without writing to any index (HOT) if no index
-- contains a changed column and the page has room for the new version of the row.

-- All orders by lapses_at: the sweep stores a cursor into this index, so that closed orders cost it nothing.
create index orders_by_lapse on orders (lapses_at);
-- The cursor of the overdue sweep into that index. The other columns are the cursor of its scan of all orders.
alter table prune_places add column reached_at timestamptz;
insert into prune_places (name, account_id, order_id, position, reached_at)
  select 'overdue', '', '', 0, coalesce(min(lapses_at), now()) from orders where status in ('new', 'pending');
drop index orders_open;

-- The consumer who paid, on the payment that succeeded: only paid orders are in the index, and creating an order does not
-- write to it.
drop index orders_of_user;
alter table transactions add column paid_by text;
update transactions t set paid_by = o.user_id
  from orders o
 where o.account_id = t.account_id and o.order_id = t.order_id
   and o.user_id is not null and t.type = 'payment' and t.status = 'succeeded';
create index transactions_paid_by on transactions (account_id, paid_by, finished_at desc nulls last)
  where paid_by is not null;

-- Leaves room for new versions of rows in every page. The next migration rewrites the table and applies it.
alter table orders set (fillfactor = 70);
