-- Webhooks to merchants. Nothing here costs an account without endpoints anything.

-- Where events of an account are sent. Its secrets are in account_secrets.
create table endpoints (
  account_id       text         not null,
  endpoint_id      text         not null,
  url              text         not null,
  -- Empty for all types.
  events           text[]       not null,
  created_at       timestamptz  not null,
  -- Since when every event that it wants is stored: it was created, enabled, or wants more types since then.
  complete_since   timestamptz  not null,
  disabled_reason  text,
  -- When the first attempt failed after the last one that succeeded.
  failing_since    timestamptz,
  constraint endpoints_pkey primary key (account_id, endpoint_id),
  constraint endpoints_account_id_fkey foreign key (account_id) references accounts (account_id)
);

-- Events of an order, one row for each endpoint that wants it. They are numbered under the lock of the order: the next one
-- continues from orders.event_sequence. The same event has the same number, status and body in all of its rows.
create table events (
  account_id       text         not null,
  order_id         text         not null,
  sequence         integer      not null,
  endpoint_id      text         not null,
  event_type       text         not null,
  transaction_id   text,
  status           text         not null,
  occurred_at      timestamptz  not null,
  -- Dropped when its endpoint was deleted. The row stays, because the numbers must have no gap.
  state            text         not null,
  -- Attempts that were started, and how many have failed since the event was due for the first time or again.
  attempts         integer      not null,
  failures         integer      not null,
  next_attempt_at  timestamptz,
  -- What is sent. Null after it was pruned.
  body             bytea,
  constraint events_pkey primary key (account_id, order_id, sequence, endpoint_id),
  constraint events_state_check check (state in ('pending', 'delivered', 'undelivered', 'dropped'))
);
-- Bodies are a little smaller than a page's share: compressing them costs more than it saves.
alter table events alter column body set storage external;
-- Claims read one endpoint, so that those of others are not in their way.
create index events_due on events (account_id, endpoint_id, next_attempt_at) where state = 'pending';
create index events_undelivered on events (account_id, endpoint_id) where state = 'undelivered';
-- Rows are inserted in the order of time, so this costs inserts nothing. For "resend --since".
create index events_by_time on events using brin (occurred_at) with (pages_per_range = 16, autosummarize = on);

-- The result of each attempt. One that a crash cut off has none.
create table event_attempts (
  account_id    text         not null,
  order_id      text         not null,
  sequence      integer      not null,
  endpoint_id   text         not null,
  attempt       integer      not null,
  attempted_at  timestamptz  not null,
  -- The HTTP status; null without a response.
  status        integer,
  duration_ms   integer      not null,
  -- The first bytes of the response, or why there was none.
  response      text,
  constraint event_attempts_pkey primary key (account_id, order_id, sequence, endpoint_id, attempt)
);

alter table orders add column event_sequence integer not null default 0;
