-- What a person closed, and who did what. Contract 6.9.

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
-- What was closed, counted for /metrics.
create index audit_resolved on audit (action) where action in ('delivery.resolved', 'flag.resolved');

-- Flags follow from the notices and stay where they are; this tells which of them a person has closed.
create table review_resolutions (
  account_id   text        not null,
  -- The transaction that has the flag, or the order.
  subject      text        not null,
  flag         text        not null,
  resolved_at  timestamptz not null,
  actor        text        not null,
  note         text        not null,
  -- Ends the race of two people who close one flag: one does, the other is refused.
  primary key (account_id, subject, flag)
);

-- Rare rows only: what is neither flagged, dead nor to be reviewed is in none of these.
create index transactions_flagged on transactions (account_id, order_id, transaction_id) where flags <> '{}';
create index orders_flagged on orders (account_id, order_id) where flags <> '{}';
create index deliveries_to_review on deliveries (account_id, delivery_id) where state in ('dead', 'needs_review');
