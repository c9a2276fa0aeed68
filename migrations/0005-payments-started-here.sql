-- Payments and refunds that are started here: the provider APIs of an account, the start request, when the provider is
-- polled for the outcome, and provider calls in the history.

alter table accounts add column payment_modes jsonb not null default
  '{"net_banking": "partner", "wallet": "partner", "upi": "partner",
    "credit_card": "partner", "debit_card": "partner", "prepaid_card": "partner"}';
alter table accounts add column provider_apis jsonb not null default '{}';

alter table account_secrets drop constraint account_secrets_kind_check;
alter table account_secrets add constraint account_secrets_kind_check check (kind in
  ('access-secret', 'partner-webhook-secret', 'bank-gateway-secret', 'consumer-id-key',
   'partner-key-secret', 'bank-gateway-password'));

-- The request that started it here; null for a transaction that was first reported by the provider.
alter table transactions add column start jsonb;
-- When the provider is polled next; null when the transaction is final.
alter table transactions add column next_ask_at timestamptz;
alter table transactions add column asked_at timestamptz;
alter table transactions add column asks integer not null default 0;
create index transactions_to_ask on transactions (next_ask_at) where next_ask_at is not null;

-- The primary key ends the race of two refunds with one request id, also of different orders: one inserts the row, the
-- other waits for it and is then refused.
create table refund_requests (
  account_id         text not null,
  refund_request_id  text not null,
  transaction_id     text not null,
  primary key (account_id, refund_request_id),
  foreign key (account_id, transaction_id) references transactions (account_id, transaction_id)
);

-- The provider call of an entry: operation, duration and outcome.
alter table history add column call jsonb;

-- Finds the payment modes that a consumer used before.
create index orders_of_user on orders (account_id, user_id, created_at) where user_id is not null;
