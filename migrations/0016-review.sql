-- Resolved reviews and the audit log. Contract 6.9.

-- Append-only: who did what to which object, when and why.
create table audit (
  account_id  text        not null,
  audit_id    text        not null,
  at          timestamptz not null,
  actor       text        not null,
  action      text        not null,
  object      text        not null,
  note        text,
  details     json        not null,
  primary key (account_id, audit_id)
);
-- Counts resolved reviews for /metrics.
create index audit_resolved on audit (action) where action in ('delivery.resolved', 'flag.resolved');

-- Flags are computed from notices and stay on their order or transaction; this table says which ones are resolved.
create table review_resolutions (
  account_id   text        not null,
  -- The id of the transaction or order with the flag.
  subject      text        not null,
  flag         text        not null,
  resolved_at  timestamptz not null,
  actor        text        not null,
  note         text        not null,
  -- Ends the race of two operators who resolve one flag: one does, the other is refused.
  primary key (account_id, subject, flag)
);

-- These indexes contain rare rows only, so most writes do not touch them.
create index transactions_flagged on transactions (account_id, order_id, transaction_id) where flags <> '{}';
create index orders_flagged on orders (account_id, order_id) where flags <> '{}';
create index deliveries_to_review on deliveries (account_id, delivery_id) where state in ('dead', 'needs_review');
