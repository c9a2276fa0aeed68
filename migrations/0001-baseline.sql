-- The schema of the first release. Later migrations only add (docs/decisions/0053-upgrades.md).
--
-- The service makes all ids, and account_id leads every key of account data, so that Citus can distribute the tables by
-- account. There are no sequences, triggers, functions or deferrable constraints. Amounts are minor units.
--
-- Columns that are only stored and shown are json, which is kept as text; jsonb has to be parsed and rebuilt, and is for
-- what SQL reads. Checks have names, because the names that nodes of a cluster choose differ.


-- Accounts ------------------------------------------------------------------------------------------------------------

create table accounts (
  account_id              text         not null,
  name                    text         not null,
  optional_order_details  boolean      not null,
  encrypted_payloads      boolean      not null,
  signature_version       text         not null,
  created_at              timestamptz  not null,
  payment_modes           jsonb        not null,
  provider_apis           jsonb        not null default '{}',
  -- Null: no limit.
  requests_per_second     integer,
  -- The origins that a callback_url set with an order token may have. Empty: an order token may set a callback_url only
  -- where the order has none. Contract 11.10.
  callback_origins        text[]       not null default '{}',
  -- The calls of a suspended account are refused; deliveries of its providers are still applied. Contract 2.8.
  suspended_at            timestamptz,
  -- By provider, then by the name that the provider gives the setting. The schema names no provider.
  provider_settings       jsonb        not null default '{}',
  -- Grows with every change of an account or of its secrets, so that a process can check with one small read whether the
  -- accounts that it has cached are still current.
  revision                bigint       not null default 0,
  -- How the checkout page looks, whom its consumers can ask, and who may show it in a frame. Contract 14.2.
  colour                  text,
  support_email           text,
  support_phone           text,
  support_url             text,
  frame_origins           text[]       not null default '{}',
  upi_collect             boolean      not null default false,
  -- The last exchange rate that each currency had before the latest change, by currency. A rate that is removed and added
  -- again is compared with it. Contract 13.9.
  former_rates            jsonb        not null default '{}',
  primary key (account_id),
  constraint accounts_requests_per_second_check check (requests_per_second > 0),
  constraint accounts_signature_version_check check (signature_version in ('v2', 'v3'))
);

-- Secrets, sealed with the master key. During a rotation an account has several of one kind: the current one does not
-- expire, the previous ones do. Kinds are checked where secrets are sealed.
create table account_secrets (
  account_id  text         not null references accounts (account_id),
  kind        text         not null,
  secret_id   text         not null,
  sealed      bytea        not null,
  created_at  timestamptz  not null,
  expires_at  timestamptz,
  primary key (account_id, kind, secret_id)
);

-- Orders in one currency are processed in another. The rate is decimal text, so that it is never rounded.
create table account_alternate_currencies (
  account_id     text  not null references accounts (account_id),
  from_currency  text  not null,
  to_currency    text  not null,
  rate           text  not null,
  primary key (account_id, from_currency)
);

-- At most one logo for each account. In a table of its own, so that reading an account does not read the image.
create table account_logos (
  account_id  text   not null references accounts (account_id),
  -- SHA-256 of the bytes, in hex. It is part of the URL, which can be cached for ever.
  digest      text   not null,
  media_type  text   not null,
  bytes       bytea  not null,
  primary key (account_id),
  constraint account_logos_bytes_check check (octet_length(bytes) <= 65536)
);
-- The formats are compressed already.
alter table account_logos alter column bytes set storage external;

-- The keys that sign tokens are derived from the master key; only their ids are stored.
create table signing_keys (
  key_id         text         not null,
  master_key_id  text         not null,
  created_at     timestamptz  not null,
  expires_at     timestamptz,
  primary key (key_id)
);


-- Orders --------------------------------------------------------------------------------------------------------------
-- Rows of orders, transactions, history and deliveries refer to each other without foreign keys: referenced rows are never
-- deleted, "verify" checks the references, and a foreign key to accounts would lock the account's row in every created
-- order and every delivery.

create table orders (
  account_id                  text         not null,
  order_id                    text         not null,
  invoice_id                  text         not null,
  status                      text         not null,
  attempts                    integer      not null,
  currency                    text         not null,
  amount_before_tax           bigint       not null,
  tax                         bigint       not null,
  total_amount                bigint       not null,
  exchange_rate               text,
  original_currency           text,
  original_amount_before_tax  bigint,
  original_tax                bigint,
  original_total_amount       bigint,
  user_id                     text,
  details                     json         not null,
  content_digest              bytea        not null,
  created_at                  timestamptz  not null,
  lapses_at                   timestamptz  not null,
  flags                       text[]       not null default '{}',
  -- Set by resolve-user: from then on the order belongs to the consumer in user_id.
  restricted                  boolean      not null default false,
  -- Notices that belong to no known transaction. Null for nearly every order.
  held_notices                json,
  -- When the personal data of the order was erased. Later deliveries for it are erased before they are stored.
  erased_at                   timestamptz,
  -- How often the order was changed with its tokens. The limit keeps the holder of a token from filling the disk.
  -- Contract 2.9.
  token_changes               integer      not null default 0,
  -- Keyed digests of the e-mail addresses and phone numbers that the order had before update order or resolve user changed
  -- them, so that erasing an earlier consumer finds it. Null if the consumer never changed. Contract 8.7.
  earlier_consumers           json,
  -- Sums over the transactions of a large order, so that a delivery need not load all of them. Null for every other order.
  tally                       json,
  -- The number of its last event.
  event_sequence              integer      not null default 0,
  primary key (account_id, order_id),
  -- Ends the race of two create-order calls for one invoice: one inserts the order, the other finds it.
  unique (account_id, invoice_id),
  constraint orders_amount_before_tax_check check (amount_before_tax >= 0),
  constraint orders_attempts_check check (attempts >= 0),
  constraint orders_check check (total_amount = amount_before_tax + tax),
  constraint orders_status_check check (status in ('new', 'pending', 'completed', 'lapsed')),
  constraint orders_tax_check check (tax >= 0),
  constraint orders_total_amount_check check (total_amount > 0)
)
-- A status changes with every payment. PostgreSQL updates a row without writing to any index (HOT) if no index contains a
-- changed column and the page has room for the new version of the row.
with (fillfactor = 70);

-- All orders by lapses_at: the sweep stores a cursor into this index, so that closed orders cost it nothing.
create index orders_by_lapse on orders (lapses_at);
-- Rare rows only, so most writes do not touch it.
create index orders_flagged on orders (account_id, order_id) where flags <> '{}';
-- Finds the orders of a consumer. It ends with the order id, so that the newest orders of a consumer with very many are
-- found without reading the others.
create index orders_of_consumer on orders (account_id, user_id, order_id) where user_id is not null;

-- Append-only: every change with the old and the new value, its time, and the delivery or call that caused it. One row for
-- all changes that one delivery or call made to an order.
create table history (
  account_id   text         not null,
  order_id     text         not null,
  position     integer      not null,
  cause        text         not null,
  happened_at  timestamptz  not null,
  entries      json         not null,
  -- Positions are assigned under the lock of the order, so they have no gaps and never conflict.
  primary key (account_id, order_id, position)
);
-- Finds what changed lately. History is written in the order of time, so a few bytes describe 16 pages, and a new row
-- costs next to nothing.
create index history_by_time on history using brin (happened_at) with (pages_per_range = 16, autosummarize = on);

-- Each opens the checkout of one order.
create table payment_links (
  account_id  text         not null,
  -- Begins with the account's own id, so that a link is found without a search over all accounts.
  link_id     text         not null,
  order_id    text         not null,
  created_at  timestamptz  not null,
  primary key (account_id, link_id),
  -- Ends the race between requests that add a link to the same order: one inserts, the others find its link.
  unique (account_id, order_id)
);

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
  primary key (account_id, order_id),
  constraint checkouts_outcome_check check (outcome in ('paid', 'failed', 'left'))
);
-- Finds those that have to be ended. It contains only open ones, so it stays small.
create index checkouts_open on checkouts (lapses_at) where outcome is null;


-- Payments and refunds ------------------------------------------------------------------------------------------------

create table transactions (
  account_id          text         not null,
  transaction_id      text         not null,
  order_id            text         not null,
  type                text         not null,
  provider            text         not null,
  psp_transaction_id  text,
  status              text         not null,
  amount              bigint,
  currency            text,
  started_at          timestamptz,
  recorded_at         timestamptz,
  finished_at         timestamptz,
  fields              jsonb        not null,
  flags               text[]       not null,
  -- The request that started it here; null for a transaction that was first reported by the provider.
  start               json,
  -- When the provider is polled next; null when the transaction is final.
  next_poll_at        timestamptz,
  polled_at           timestamptz,
  polls               integer      not null default 0,
  -- What each delivery reported. The state of the transaction is the fold over them. They are always read, written and
  -- moved together, under the lock of the order.
  notices             json         not null,
  -- The consumer who paid, on a payment that succeeded.
  paid_by             text,
  -- What it has moved, in the currency of its order, for figures, lists and exports.
  moved_amount        bigint       not null default 0,
  -- A transaction's id starts with the id of its order, so one index finds it by either.
  primary key (account_id, order_id, transaction_id),
  -- Ends the race of two deliveries that add the same payment to two orders.
  constraint transactions_psp unique (account_id, provider, type, psp_transaction_id),
  constraint transactions_amount_check check (amount >= 0),
  constraint transactions_status_check check (status in
    ('new', 'pending', 'failed', 'authorized', 'succeeded', 'reversing', 'reversed')),
  constraint transactions_type_check check (type in ('payment', 'refund'))
);

-- Rare rows only, so most writes do not touch it.
create index transactions_flagged on transactions (account_id, order_id, transaction_id) where flags <> '{}';
-- Those that are not final, by age, including those that are no longer polled. For /metrics.
create index transactions_open on transactions (type, started_at)
  where status not in ('failed', 'succeeded', 'reversed');
-- The payment modes that a consumer used before. Only paid orders are in it, and creating an order does not write to it.
create index transactions_paid_by on transactions (account_id, paid_by, finished_at desc nulls last)
  where paid_by is not null;
-- Due polls are claimed for one provider at a time, oldest first. With the provider in front, the claim does not read
-- the due rows of another provider.
create index transactions_to_poll on transactions (provider, next_poll_at) where next_poll_at is not null;

-- The primary key ends the race of two refunds with one request id, also of different orders: one inserts the row, the
-- other waits for it and is then refused.
create table refund_requests (
  account_id         text  not null,
  refund_request_id  text  not null,
  transaction_id     text  not null,
  primary key (account_id, refund_request_id)
);

-- Requests with an Idempotency-Key, stored for 24 hours. Contract 11.9.
create table idempotency_keys (
  account_id      text         not null,
  -- SHA-256 of the key, because a key may contain anything, also personal data.
  key_digest      bytea        not null,
  -- The operation, and for an order token its order.
  scope           text         not null,
  -- SHA-256 of the request in its canonical form.
  content_digest  bytea        not null,
  order_id        text         not null,
  transaction_id  text         not null,
  -- The answer; null until the provider has been called, and if the process ended before that.
  answer          json,
  created_at      timestamptz  not null,
  -- Ends the race of two requests with one key, also of different orders: one inserts the row, the other waits for it
  -- and is then refused.
  primary key (account_id, key_digest, scope)
);
-- Expired keys, oldest first. New rows are appended at the end of the index.
create index idempotency_keys_by_age on idempotency_keys (created_at);


-- Inbox ---------------------------------------------------------------------------------------------------------------

-- Every verified delivery as received. It is stored before it is answered, and its row is never deleted.
create table deliveries (
  account_id         text         not null,
  delivery_id        text         not null,
  provider           text         not null,
  -- Usually the digest of the body. The event id of a provider is not covered by its signature, so it does not identify
  -- a delivery.
  delivery_key       text         not null,
  -- The last two are final: an operator closed the delivery, or nobody did for so long that its body was pruned.
  state              text         not null,
  why                text,
  flags              text[]       not null,
  -- Headers and body are null once pruned. The row stays with its key, so that a repeat is always recognised.
  headers            json,
  body               bytea,
  -- The merchant of the account at the provider when the delivery arrived: a later change must not change its meaning.
  expected_merchant  text,
  order_id           text,
  tries              integer      not null,
  next_try_at        timestamptz,
  received_at        timestamptz  not null,
  -- Also the time at which a delivery became dead.
  finished_at        timestamptz,
  event_id           text,
  -- When its personal data was erased. Its body is no longer the one received, so only its keys can recognise a repeat.
  erased_at          timestamptz,
  primary key (account_id, delivery_id),
  -- Ends the race of copies of one delivery: one is applied, the others wait for it and then find it.
  unique (account_id, provider, delivery_key),
  constraint deliveries_state_known check (state in
    ('received', 'processed', 'stale', 'ignored', 'parked', 'needs_review', 'dead', 'resolved', 'expired')),
  constraint deliveries_tries_check check (tries >= 0)
);

-- Ends the race of two bodies with one event id: one gets the id, the other is flagged.
create unique index deliveries_event_id on deliveries (account_id, provider, event_id) where event_id is not null;
create index deliveries_of_order on deliveries (account_id, order_id);
create index deliveries_unfinished on deliveries (next_try_at) where state in ('received', 'parked');
-- Walks all deliveries of one state in key order, page by page. This index and the next contain rare rows only:
-- deliveries that are applied immediately never write to them.
create index deliveries_by_state on deliveries (state, account_id, delivery_id)
  where state in ('received', 'parked', 'dead', 'needs_review');
-- Those that may need an operator, by age. For /metrics.
create index deliveries_to_look_at on deliveries (state, received_at)
  where state in ('received', 'parked', 'dead', 'needs_review');
create index deliveries_dead on deliveries (coalesce(finished_at, received_at)) where state = 'dead';
-- Finished deliveries that still have their body, oldest first. New rows are appended at the end of the index. Pruned
-- deliveries leave it, and deliveries that need an operator are never in it.
create index deliveries_to_prune on deliveries (received_at)
  where body is not null and state in ('processed', 'stale', 'ignored');
create index deliveries_resolved_to_prune on deliveries (received_at) where body is not null and state = 'resolved';

-- The references that a parked delivery waits for.
create table delivery_references (
  account_id   text  not null,
  reference    text  not null,
  delivery_id  text  not null,
  primary key (account_id, reference, delivery_id),
  foreign key (account_id, delivery_id) references deliveries (account_id, delivery_id)
);
-- References are deleted by delivery. Without this index that would read all references of the account.
create index delivery_references_of_delivery on delivery_references (account_id, delivery_id);

-- The provider's id of an order, stored from the first delivery that has it. The primary key ends the race of two
-- deliveries that tie one provider order to different orders.
create table provider_orders (
  account_id         text  not null,
  provider           text  not null,
  provider_order_id  text  not null,
  order_id           text  not null,
  primary key (account_id, provider, provider_order_id)
);


-- Webhooks to merchants -----------------------------------------------------------------------------------------------

-- Where events of an account are sent. Its secrets are in account_secrets.
create table endpoints (
  account_id       text         not null references accounts (account_id),
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
  primary key (account_id, endpoint_id)
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
  primary key (account_id, order_id, sequence, endpoint_id),
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
  primary key (account_id, order_id, sequence, endpoint_id, attempt)
);


-- Review and audit ----------------------------------------------------------------------------------------------------

-- Flags are computed from notices and stay on their order or transaction; this table says which ones are resolved.
-- Contract 6.9.
create table review_resolutions (
  account_id   text         not null,
  -- The id of the transaction or order with the flag.
  subject      text         not null,
  flag         text         not null,
  resolved_at  timestamptz  not null,
  actor        text         not null,
  note         text         not null,
  -- Ends the race of two operators who resolve one flag: one does, the other is refused.
  primary key (account_id, subject, flag)
);

-- Append-only: who did what to which object, when, from where and why. Contract 13.3.
create table audit (
  account_id  text         not null,
  audit_id    text         not null,
  at          timestamptz  not null,
  actor       text         not null,
  action      text         not null,
  object      text         not null,
  note        text,
  details     json         not null,
  -- Null for the command line.
  user_id     text,
  address     text,
  primary key (account_id, audit_id)
);
-- Pages of the log, newest first.
create index audit_by_time on audit (account_id, at desc, audit_id desc);
-- Counts resolved reviews for /metrics.
create index audit_resolved on audit (action) where action in ('delivery.resolved', 'flag.resolved');

-- The role of the service loses the right to change or delete entries. It keeps the right to change notes, because a note
-- may mention a consumer whose data has to be erased (contract 8.7).
revoke update, delete, truncate on audit from current_user;
grant update (note) on audit to current_user;


-- Users of the dashboard ----------------------------------------------------------------------------------------------
-- People who may belong to several accounts, so their tables are led by ids of their own. Contract 13.2.

create table users (
  user_id        text         not null,
  -- In lower case. Whoever invites and whoever signs in may spell it differently.
  email          text         not null,
  -- Argon2id with its parameters and salt; null for a user with passkeys only.
  password_hash  text,
  created_at     timestamptz  not null,
  primary key (user_id),
  -- Ends the race of two invitations of one address: one makes the user, the other is refused.
  unique (email)
);

create table passkeys (
  credential_id  text         not null,
  user_id        text         not null,
  public_key     bytea        not null,
  -- How often the authenticator says that it was used. One that goes back is a copy.
  counter        bigint       not null,
  transports     text[]       not null,
  created_at     timestamptz  not null,
  -- So that its owner can tell whether it is still in use. Contract 13.8.
  last_used_at   timestamptz,
  primary key (credential_id)
);
create index passkeys_of_user on passkeys (user_id);

create table memberships (
  account_id  text         not null references accounts (account_id),
  user_id     text         not null,
  role        text         not null,
  created_at  timestamptz  not null,
  primary key (account_id, user_id),
  constraint memberships_role_check check (role in ('owner', 'operator', 'viewer'))
);
create index memberships_of_user on memberships (user_id);

-- One-time links: to join an account, or to set new credentials after a reset.
create table invitations (
  invitation_id  text         not null,
  token_digest   bytea        not null,
  email          text         not null,
  -- Both are null for a reset.
  account_id     text,
  role           text,
  -- The user whose credentials were reset.
  user_id        text,
  created_at     timestamptz  not null,
  expires_at     timestamptz  not null,
  primary key (invitation_id),
  unique (token_digest),
  constraint invitations_role_check check (role in ('owner', 'operator', 'viewer')),
  constraint invitations_purpose_check
    check ((account_id is null) = (role is null) and (account_id is null) = (user_id is not null))
);
create index invitations_of_account on invitations (account_id);
create index invitations_by_end on invitations (expires_at);

create table sessions (
  session_id     text         not null,
  -- Of the cookie, which is stored nowhere.
  secret_digest  bytea        not null,
  user_id        text         not null,
  -- The account that the user chose last.
  account_id     text,
  created_at     timestamptz  not null,
  last_seen_at   timestamptz  not null,
  expires_at     timestamptz  not null,
  -- When the user last proved who they are, beyond having the cookie.
  confirmed_at   timestamptz  not null,
  address        text         not null,
  user_agent     text         not null,
  primary key (session_id),
  unique (secret_digest)
);
create index sessions_of_user on sessions (user_id);
create index sessions_by_last_seen on sessions (last_seen_at);
create index sessions_by_end on sessions (expires_at);

-- What a passkey has to sign. A row is deleted when it is used, so each is used once.
create table passkey_challenges (
  challenge   text         not null,
  purpose     text         not null,
  -- The invitation or the session that it belongs to; null for a sign-in.
  subject     text,
  -- Of the user to be, whose id is part of what is signed.
  user_id     text,
  expires_at  timestamptz  not null,
  primary key (challenge),
  constraint passkey_challenges_purpose_check check (purpose in ('registration', 'sign_in', 'confirmation'))
);
create index passkey_challenges_by_end on passkey_challenges (expires_at);

-- Failed sign-ins of an address on the network, and of an e-mail address whether or not it belongs to a user.
create table sign_in_failures (
  subject         text         not null,
  failures        integer      not null,
  last_failed_at  timestamptz  not null,
  blocked_until   timestamptz  not null,
  primary key (subject)
);
create index sign_in_failures_by_age on sign_in_failures (last_failed_at);


-- Search and figures --------------------------------------------------------------------------------------------------

-- The consumers that use an e-mail address, in lower case. The sweep learns them from orders: an index of orders by
-- address inside a JSON text made inserts slower by half.
create table consumer_emails (
  account_id  text  not null,
  email       text  not null,
  user_id     text  not null,
  primary key (account_id, email, user_id)
);
-- For erasing a consumer.
create index consumer_emails_of_consumer on consumer_emails (account_id, user_id);

-- For the overview of the dashboard: how many orders of each half hour were created, paid, refunded.
create table figures (
  account_id  text         not null,
  -- What is counted: created, completed, paid, mode, provider, failed, failure, refunded. The kinds mode_day,
  -- provider_day and failure_day are sums of the half hours of a day of UTC.
  kind        text         not null,
  -- The half hour or the day in which the orders were created.
  starts_at   timestamptz  not null,
  -- The payment mode, provider or failure code; empty for the other kinds.
  name        text         not null,
  -- That of the orders.
  currency    text         not null,
  orders      bigint       not null,
  -- Payments or refunds of these orders; 0 where orders are counted.
  payments    bigint       not null,
  amount      bigint       not null,
  primary key (account_id, kind, starts_at, name, currency)
);


-- Upkeep --------------------------------------------------------------------------------------------------------------

-- Which process sweeps, and until when. The lock of its only row ends the race of the processes that want to.
create table sweep_lease (
  id          integer      not null,
  owner       text         not null,
  expires_at  timestamptz  not null,
  primary key (id),
  constraint sweep_lease_has_one_row check (id = 1)
);
insert into sweep_lease (id, owner, expires_at) values (1, 'nobody', '-infinity');

-- One row per step of the sweep, written by whichever process ran it, so that every process reports the same.
create table background_steps (
  step              text         not null,
  last_success_at   timestamptz,
  last_failure_at   timestamptz,
  last_duration_ms  integer      not null,
  -- Over the lifetime of the database.
  failures          bigint       not null,
  -- What the step left for the next sweep. Counting stops at a limit.
  backlog           bigint,
  primary key (step)
);

-- The cursors of steps that scan a table piece by piece. History is pruned this way because it has no index by age: every
-- change would have to write to it, and by default history is never pruned.
create table sweep_cursors (
  name        text         not null,
  account_id  text         not null,
  order_id    text         not null,
  position    integer      not null,
  -- For scans along a time.
  reached_at  timestamptz,
  primary key (name)
);
-- Overdue orders are found along orders_by_lapse from here on.
insert into sweep_cursors (name, account_id, order_id, position, reached_at) values ('overdue', '', '', 0, now());

-- Counts of many rows. The sweep takes them; /metrics reads them where counting at each scrape would be slow.
create table stored_counts (
  name        text         not null,
  count       bigint       not null,
  counted_at  timestamptz  not null,
  primary key (name)
);

-- Ids begin with the time, so the primary keys sort orders by time if text is sorted by bytes. A database that sorts
-- text by a language needs indexes of its own for that, and for the beginning of an invoice.
-- Stops writes: nothing is stored yet.
do $$
begin
  if not ('o_B' < 'o_a' and 'o_Z' < 'o_a') then
    create index orders_by_time on orders (account_id, (order_id collate "C"));
    create index transactions_by_time on transactions (account_id, (order_id collate "C"));
    create index orders_by_invoice on orders (account_id, (invoice_id collate "C"));
  end if;
end $$;

-- A query plan made while a table is empty stays in use until the first analyze, often a minute after the first start.
-- Without statistics the planner assumes that account_id, the first column of every index, matches one or two rows,
-- so any index seems good enough; every request then reads all rows of the account. This sets the statistics that the
-- first analyze will find: nearly all rows have the same account_id. PostgreSQL before 18 has no function for it.
-- Stops writes: nothing is stored yet.
do $$
declare
  told text;
begin
  if to_regproc('pg_catalog.pg_restore_attribute_stats') is null then
    return;
  end if;
  foreach told in array array['orders', 'transactions', 'deliveries', 'delivery_references', 'history',
    'provider_orders', 'events', 'endpoints']
  loop
    perform pg_restore_attribute_stats('schemaname', current_schema()::text, 'relname', told,
      'attname', 'account_id', 'inherited', false,
      'null_frac', 0::real, 'avg_width', 21, 'n_distinct', 1::real);
  end loop;
end $$;
