-- Orders. Amounts are minor units of the order's currency.

create table orders (
  account_id                  text        not null references accounts (account_id),
  order_id                    text        not null,
  invoice_id                  text        not null,
  status                      text        not null check (status in ('new', 'pending', 'completed', 'lapsed')),
  attempts                    integer     not null check (attempts >= 0),
  currency                    text        not null,
  amount_before_tax           bigint      not null check (amount_before_tax >= 0),
  tax                         bigint      not null check (tax >= 0),
  total_amount                bigint      not null check (total_amount > 0),
  exchange_rate               text,
  original_currency           text,
  original_amount_before_tax  bigint,
  original_tax                bigint,
  original_total_amount       bigint,
  user_id                     text,
  details                     jsonb       not null,
  content_digest              bytea       not null,
  created_at                  timestamptz not null,
  lapses_at                   timestamptz not null,
  primary key (account_id, order_id),
  -- Ends the race of two create-order calls for one invoice: one inserts the order, the other finds it.
  unique (account_id, invoice_id),
  check (total_amount = amount_before_tax + tax)
);
