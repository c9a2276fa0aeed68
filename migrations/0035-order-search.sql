-- Finds the orders of a consumer. It ends with the order id, so that the newest orders of a consumer with very many are
-- found without reading the others.
create index orders_of_consumer on orders (account_id, user_id, order_id)
  where user_id is not null;

-- The consumers that use an e-mail address, in lower case. The sweep learns them from orders: an index of orders by
-- address inside a JSON text made inserts slower by half.
create table consumer_emails (
  account_id  text  not null,
  email       text  not null,
  user_id     text  not null,
  constraint consumer_emails_pkey primary key (account_id, email, user_id)
);

-- For erasing a consumer.
create index consumer_emails_of_consumer on consumer_emails (account_id, user_id);

-- Ids begin with the time, so the primary keys sort orders by time if text is sorted by bytes. A database that sorts
-- text by a language needs indexes of its own for that, and for the beginning of an invoice.
do $$
begin
  if not ('o_B' < 'o_a' and 'o_Z' < 'o_a') then
    create index orders_by_time on orders (account_id, (order_id collate "C"));
    create index transactions_by_time on transactions (account_id, (order_id collate "C"));
    create index orders_by_invoice on orders (account_id, (invoice_id collate "C"));
  end if;
end $$;
