-- Requests that came with an Idempotency-Key, for 24 hours. Contract 11.9.

create table idempotency_keys (
  account_id      text        not null,
  -- SHA-256 of the key: it may be anything, and is not for us to know.
  key_digest      bytea       not null,
  -- The operation, and for an order token its order.
  scope           text        not null,
  -- SHA-256 of the request in its canonical form.
  content_digest  bytea       not null,
  order_id        text        not null,
  transaction_id  text        not null,
  -- What was answered; null until the provider was called, and when the process ended before that.
  answer          json,
  created_at      timestamptz not null,
  -- Ends the race of two requests under one key, also of two different orders: one takes the row, the other waits for
  -- it and is refused.
  primary key (account_id, key_digest, scope)
);

-- What is to be forgotten, the oldest first. Rows come in the order of time, so a new one goes to its end.
create index idempotency_keys_by_age on idempotency_keys (created_at);
