-- What providers report about disputes. The notices are stored with their order and folded, like those of payments; the
-- state of each dispute is also a row of its own, for lists, metrics and polls. Contract 17.
alter table orders add column dispute_notices json;

create table disputes (
  account_id       text collate "C"  not null,
  order_id         text collate "C"  not null,
  provider         text              not null,
  dispute_id       text collate "C"  not null,
  -- The disputed payment.
  transaction_id   text collate "C"  not null,
  status           text              not null,
  phase            text,
  reason_code      text,
  reason           text,
  amount           bigint,
  currency         text,
  amount_deducted  bigint,
  respond_by       timestamptz,
  action_required  boolean           not null,
  created_at       timestamptz,
  changed_at       timestamptz       not null,
  -- Null for a dispute that is final, and for one of a provider that cannot be polled.
  next_poll_at     timestamptz,
  primary key (account_id, order_id, provider, dispute_id),
  constraint disputes_amount_check check (amount >= 0),
  constraint disputes_amount_deducted_check check (amount_deducted >= 0),
  constraint disputes_status_check check (status in ('open', 'under_review', 'closed', 'won', 'lost'))
);

-- Those that are not final, for what waits for the shop, for metrics and for the page of disputes.
-- In the order of the page of disputes, which reads no more of it than it shows.
create index disputes_unfinished on disputes (account_id, respond_by, order_id desc, dispute_id desc)
  where status in ('open', 'under_review');
create index disputes_to_poll on disputes (next_poll_at) where next_poll_at is not null;
-- The page of disputes shows the final ones behind them, the newest first.
create index disputes_final on disputes (account_id, changed_at, order_id, dispute_id)
  where status in ('closed', 'won', 'lost');
-- People know a dispute by the id that the provider gave it.
create index disputes_by_id on disputes (account_id, dispute_id);
