-- Accounts, their secrets and the signing keys.
-- The service generates all ids, and account_id is the first column of every key, so that Citus can distribute the
-- tables by account.

create table accounts (
  account_id              text        not null,
  name                    text        not null,
  optional_order_details  boolean     not null,
  encrypted_payloads      boolean     not null,
  signature_version       text        not null check (signature_version in ('v2', 'v3')),
  bank_gateway_merchant   text,
  created_at              timestamptz not null,
  primary key (account_id)
);

-- Secrets, sealed with the master key. During a rotation an account has several of one kind: the current one does not
-- expire, the previous ones do.
create table account_secrets (
  account_id  text        not null references accounts (account_id),
  kind        text        not null check (kind in
    ('access-secret', 'partner-webhook-secret', 'bank-gateway-secret', 'consumer-id-key')),
  secret_id   text        not null,
  sealed      bytea       not null,
  created_at  timestamptz not null,
  expires_at  timestamptz,
  primary key (account_id, kind, secret_id)
);

-- Orders in one currency are processed in another. The rate is decimal text, so that it is never rounded.
create table account_alternate_currencies (
  account_id     text not null references accounts (account_id),
  from_currency  text not null,
  to_currency    text not null,
  rate           text not null,
  primary key (account_id, from_currency)
);

-- The keys that sign tokens are derived from the master key; only their ids are stored.
create table signing_keys (
  key_id         text        not null,
  master_key_id  text        not null,
  created_at     timestamptz not null,
  expires_at     timestamptz,
  primary key (key_id)
);
