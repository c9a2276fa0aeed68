-- Less work for every delivery. Columns that are only stored and shown become json, which is stored as text; jsonb has to
-- be parsed and rebuilt, and remains for columns that SQL queries read.

-- One row for all changes that one delivery or call made to an order.
alter table history add column entries json;
-- Computed before the update, in which Citus allows only immutable functions.
with computed as materialized (
  select account_id, order_id, position, json_build_array(json_build_object(
           'transactionId', transaction_id, 'call', call,
           'changes', (select json_agg(json_build_array(c->'member', c->'from', c->'to'))
                         from jsonb_array_elements(changes) c))) as entries
    from history)
update history h set entries = computed.entries from computed
 where computed.account_id = h.account_id and computed.order_id = h.order_id
   and computed.position = h.position;
alter table history alter column entries set not null;
alter table history drop column transaction_id;
alter table history drop column changes;
alter table history drop column call;

alter table transactions alter column notices drop default;
alter table transactions alter column notices type json using notices::json;
alter table transactions alter column start type json using start::json;
alter table deliveries alter column headers type json using headers::json;

-- A transaction's id starts with the id of its order, so one index finds it by either.
alter table refund_requests drop constraint refund_requests_account_id_transaction_id_fkey;
alter table transactions drop constraint transactions_pkey;
alter table transactions add primary key (account_id, order_id, transaction_id);
drop index transactions_of_order;

-- The index contains only paid orders, so that creating an order does not write to it.
drop index orders_of_user;
create index orders_of_user on orders (account_id, user_id, created_at)
  where status = 'completed' and user_id is not null;
