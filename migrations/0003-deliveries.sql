-- The inbox of provider deliveries, the transactions they report, and the history of every change.

-- Every verified delivery as received. It is stored before it is answered, and is never deleted.
create table deliveries (
  account_id         text        not null references accounts (account_id),
  delivery_id        text        not null,
  provider           text        not null,
  delivery_key       text        not null,
  state              text        not null check (state in
    ('received', 'processed', 'stale', 'ignored', 'parked', 'needs_review', 'dead')),
  why                text,
  flags              text[]      not null,
  headers            jsonb       not null,
  body               bytea       not null,
  -- The bank gateway merchant of the account when the delivery arrived: a later change must not change its meaning.
  expected_merchant  text,
  order_id           text,
  tries              integer     not null check (tries >= 0),
  next_try_at        timestamptz,
  received_at        timestamptz not null,
  finished_at        timestamptz,
  primary key (account_id, delivery_id),
  -- Ends the race of copies of one delivery: one is applied, the others wait for it and then find it.
  unique (account_id, provider, delivery_key)
);

create index deliveries_of_order on deliveries (account_id, order_id);
create index deliveries_unfinished on deliveries (next_try_at)
  where state in ('received', 'parked');

-- The references that a parked delivery waits for.
create table delivery_references (
  account_id   text not null,
  reference    text not null,
  delivery_id  text not null,
  primary key (account_id, reference, delivery_id),
  foreign key (account_id, delivery_id) references deliveries (account_id, delivery_id)
);

-- The provider's id of an order, stored from the first delivery that has it. The primary key ends the race of two
-- deliveries that tie one provider order to different orders.
create table provider_orders (
  account_id         text not null,
  provider           text not null,
  provider_order_id  text not null,
  order_id           text not null,
  primary key (account_id, provider, provider_order_id),
  foreign key (account_id, order_id) references orders (account_id, order_id)
);

create table transactions (
  account_id          text        not null,
  transaction_id      text        not null,
  order_id            text        not null,
  type                text        not null check (type in ('payment', 'refund')),
  provider            text        not null,
  psp_transaction_id  text,
  status              text        not null check (status in
    ('new', 'pending', 'failed', 'authorized', 'succeeded', 'reversing', 'reversed')),
  amount              bigint      check (amount >= 0),
  currency            text,
  started_at          timestamptz,
  recorded_at         timestamptz,
  finished_at         timestamptz,
  members             jsonb       not null,
  flags               text[]      not null,
  primary key (account_id, transaction_id),
  foreign key (account_id, order_id) references orders (account_id, order_id),
  -- Ends the race of two deliveries that add the same payment to two orders.
  constraint transactions_psp unique (account_id, provider, type, psp_transaction_id)
);

create index transactions_of_order on transactions (account_id, order_id);

-- What each delivery reported about a transaction. The state of the transaction is the fold over these rows.
create table notices (
  account_id      text  not null,
  transaction_id  text  not null,
  delivery_id     text  not null,
  delivery_key    text  not null,
  notice          jsonb not null,
  primary key (account_id, transaction_id, delivery_id),
  foreign key (account_id, transaction_id) references transactions (account_id, transaction_id),
  foreign key (account_id, delivery_id) references deliveries (account_id, delivery_id)
);

-- Append-only: every change with the old and the new value, its time, and the delivery or call that caused it.
create table history (
  account_id      text        not null,
  order_id        text        not null,
  position        integer     not null,
  transaction_id  text,
  changes         jsonb       not null,
  cause           text        not null,
  happened_at     timestamptz not null,
  -- Positions are assigned under the lock of the order, so they have no gaps and never conflict.
  primary key (account_id, order_id, position),
  foreign key (account_id, order_id) references orders (account_id, order_id)
);

alter table orders add column flags text[] not null default '{}';
create index orders_open on orders (lapses_at) where status in ('new', 'pending');
