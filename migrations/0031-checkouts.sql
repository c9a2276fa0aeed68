-- Every checkout that a consumer has opened, and how it ended: for the operator and the merchant. Contract 14.7.
create table checkouts (
  account_id  text         not null,
  order_id    text         not null,
  opened_at   timestamptz  not null,
  -- When the consumer chose a way to pay for the first time.
  chosen_at   timestamptz,
  -- That of the order, so that ended checkouts are found without reading orders.
  lapses_at   timestamptz  not null,
  -- Null until it has ended.
  outcome     text,
  constraint checkouts_pkey primary key (account_id, order_id),
  constraint checkouts_outcome_check check (outcome in ('paid', 'failed', 'left'))
);

-- Finds those that have to be ended. It contains only open ones, so it stays small.
create index checkouts_open on checkouts (lapses_at) where outcome is null;
