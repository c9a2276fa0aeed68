-- Payments and refunds that are started here: the providers' APIs an account uses, what was asked for,
-- when a provider is asked what became of it, and every call in the history.

alter table accounts add column payment_modes jsonb not null default
  '{"net_banking": "partner", "wallet": "partner", "upi": "partner",
    "credit_card": "partner", "debit_card": "partner", "prepaid_card": "partner"}';
alter table accounts add column provider_apis jsonb not null default '{}';

alter table account_secrets drop constraint account_secrets_kind_check;
alter table account_secrets add constraint account_secrets_kind_check check (kind in
  ('access-secret', 'partner-webhook-secret', 'bank-gateway-secret', 'consumer-id-key',
   'partner-key-secret', 'bank-gateway-password'));

-- What was asked for here; null for what a provider reported of its own accord.
alter table transactions add column start jsonb;
-- A transaction that is not final is asked for at its provider; null when nobody needs to.
alter table transactions add column next_ask_at timestamptz;
alter table transactions add column asked_at timestamptz;
alter table transactions add column asks integer not null default 0;
create index transactions_to_ask on transactions (next_ask_at) where next_ask_at is not null;

-- Ends the race of two refunds under one request id, also of two different orders: one takes the row,
-- the other waits for it and is told.
create table refund_requests (
  account_id         text not null,
  refund_request_id  text not null,
  transaction_id     text not null,
  primary key (account_id, refund_request_id),
  foreign key (account_id, transaction_id) references transactions (account_id, transaction_id)
);

-- The call to a provider that an entry is about: which, how long it took, what came of it.
alter table history add column call jsonb;

-- The modes a consumer paid with before.
create index orders_of_user on orders (account_id, user_id, created_at) where user_id is not null;
