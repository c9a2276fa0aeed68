-- An order's status changes with every payment. PostgreSQL writes the new version of a row beside the old one and
-- leaves all indexes alone (HOT) where no index names what changed, and where the page has room for it.

-- Every order, by the end of its time: the sweep remembers how far it came, so the closed ones cost it nothing.
create index orders_by_lapse on orders (lapses_at);
-- How far the sweep for overdue orders came by that index; its walk through all orders has the other columns.
alter table prune_places add column reached_at timestamptz;
insert into prune_places (name, account_id, order_id, position, reached_at)
  select 'overdue', '', '', 0, coalesce(min(lapses_at), now()) from orders where status in ('new', 'pending');
drop index orders_open;

-- Who paid, on the payment that succeeded: an index of what only paid orders have, and that no create pays for.
drop index orders_of_user;
alter table transactions add column paid_by text;
update transactions t set paid_by = o.user_id
  from orders o
 where o.account_id = t.account_id and o.order_id = t.order_id
   and o.user_id is not null and t.type = 'payment' and t.status = 'succeeded';
create index transactions_paid_by on transactions (account_id, paid_by, finished_at desc nulls last)
  where paid_by is not null;

-- Room for the new versions of some rows; the next migration writes the whole table anew.
alter table orders set (fillfactor = 70);
