-- Requests with an Idempotency-Key, stored for 24 hours. Contract 11.9.

create table idempotency_keys (
  account_id      text        not null,
  -- SHA-256 of the key, because a key may contain anything, also personal data.
  key_digest      bytea       not null,
  -- The operation, and for an order token its order.
  scope           text        not null,
  -- SHA-256 of the request in its canonical form.
  content_digest  bytea       not null,
  order_id        text        not null,
  transaction_id  text        not null,
  -- The answer; null until the provider has been called, and if the process ended before that.
  answer          json,
  created_at      timestamptz not null,
  -- Ends the race of two requests with one key, also of different orders: one inserts the row, the other waits for it
  -- and is then refused.
  primary key (account_id, key_digest, scope)
);

-- Expired keys, oldest first. New rows are appended at the end of the index.
create index idempotency_keys_by_age on idempotency_keys (created_at);
