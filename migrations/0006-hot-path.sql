-- Less work for every created order and every delivery.

-- Notices are stored in the row of their transaction: they are always read, written and moved together, under the lock
-- of the order.
alter table transactions add column notices jsonb not null default '[]';
update transactions t set notices = n.notices
  from (select account_id, transaction_id,
               jsonb_agg(notice || jsonb_build_object('deliveryKey', delivery_key)) as notices
          from notices group by account_id, transaction_id) n
 where n.account_id = t.account_id and n.transaction_id = t.transaction_id;
drop table notices;

-- Referenced rows are never deleted, and "verify" checks the references. A foreign key to accounts would lock the
-- account's row in every created order and every delivery.
alter table orders drop constraint orders_account_id_fkey;
alter table deliveries drop constraint deliveries_account_id_fkey;
alter table transactions drop constraint transactions_account_id_order_id_fkey;
alter table history drop constraint history_account_id_order_id_fkey;
alter table provider_orders drop constraint provider_orders_account_id_order_id_fkey;
