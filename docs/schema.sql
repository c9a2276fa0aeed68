-- Today's schema, for reading. The migrations make it; "npm run schema" writes this file, and a test compares the two.

-- A merchant: settings, limits, payment modes and the provider APIs it uses.
create table accounts (
  account_id              text collate "C"  not null,
  name                    text              not null,
  optional_order_details  boolean           not null,
  encrypted_payloads      boolean           not null,
  signature_version       text              not null,
  created_at              timestamptz       not null,
  payment_modes           jsonb             not null,
  provider_apis           jsonb             not null default '{}'::jsonb,
  requests_per_second     integer,
  callback_origins        text[]            not null default '{}'::text[],
  suspended_at            timestamptz,
  provider_settings       jsonb             not null default '{}'::jsonb,
  revision                bigint            not null default 0,
  colour                  text,
  support_email           text,
  support_phone           text,
  support_url             text,
  frame_origins           text[]            not null default '{}'::text[],
  upi_collect             boolean           not null default false,
  former_rates            jsonb             not null default '{}'::jsonb,
  late_payments           text              not null default 'keep'::text,
  capture_mode            text              not null default 'automatic'::text,
  constraint accounts_pkey primary key (account_id),
  constraint accounts_late_payments_check check (late_payments in ('keep', 'refund')),
  constraint accounts_requests_per_second_check check (requests_per_second > 0),
  constraint accounts_signature_version_check check (signature_version in ('v2', 'v3'))
);

-- Secrets of an account, sealed under the master key. During a rotation several of one kind are valid.
create table account_secrets (
  account_id  text collate "C"  not null,
  kind        text              not null,
  secret_id   text collate "C"  not null,
  sealed      bytea             not null,
  created_at  timestamptz       not null,
  expires_at  timestamptz,
  constraint account_secrets_pkey primary key (account_id, kind, secret_id),
  constraint account_secrets_account_id_fkey foreign key (account_id) references accounts(account_id)
);

-- Orders in from_currency are processed in to_currency. The rate is decimal text, so it is never rounded.
create table account_alternate_currencies (
  account_id     text collate "C"  not null,
  from_currency  text              not null,
  to_currency    text              not null,
  rate           text              not null,
  constraint account_alternate_currencies_pkey primary key (account_id, from_currency),
  constraint account_alternate_currencies_account_id_fkey foreign key (account_id) references accounts(account_id)
);

-- The logo that an account shows to its consumers, at most one.
create table account_logos (
  account_id  text collate "C"  not null,
  digest      text              not null,
  media_type  text              not null,
  bytes       bytea             not null,
  constraint account_logos_pkey primary key (account_id),
  constraint account_logos_account_id_fkey foreign key (account_id) references accounts(account_id),
  constraint account_logos_bytes_check check (octet_length(bytes) <= 65536)
);

-- Names of the keys that sign tokens. The keys themselves are derived from the master key.
create table signing_keys (
  key_id         text collate "C"  not null,
  master_key_id  text collate "C"  not null,
  created_at     timestamptz       not null,
  expires_at     timestamptz,
  constraint signing_keys_pkey primary key (key_id)
);

-- Orders. Amounts are minor units of the currency beside them.
create table orders (
  account_id                  text collate "C"  not null,
  order_id                    text collate "C"  not null,
  invoice_id                  text collate "C"  not null,
  status                      text              not null,
  attempts                    integer           not null,
  currency                    text              not null,
  amount_before_tax           bigint            not null,
  tax                         bigint            not null,
  total_amount                bigint            not null,
  exchange_rate               text,
  original_currency           text,
  original_amount_before_tax  bigint,
  original_tax                bigint,
  original_total_amount       bigint,
  user_id                     text collate "C",
  details                     json              not null,
  content_digest              bytea             not null,
  created_at                  timestamptz       not null,
  lapses_at                   timestamptz       not null,
  flags                       text[]            not null default '{}'::text[],
  restricted                  boolean           not null default false,
  held_notices                json,
  erased_at                   timestamptz,
  token_changes               integer           not null default 0,
  earlier_consumers           json,
  tally                       json,
  event_sequence              integer           not null default 0,
  dispute_notices             json,
  operations                  json,
  own_lapses_at               timestamptz,
  constraint orders_pkey primary key (account_id, order_id),
  constraint orders_account_id_invoice_id_key unique (account_id, invoice_id),
  constraint orders_amount_before_tax_check check (amount_before_tax >= 0),
  constraint orders_attempts_check check (attempts >= 0),
  constraint orders_check check (total_amount = (amount_before_tax + tax)),
  constraint orders_status_check check (status in ('new', 'pending', 'completed', 'lapsed')),
  constraint orders_tax_check check (tax >= 0),
  constraint orders_total_amount_check check (total_amount > 0)
) with (fillfactor=70);
create index orders_by_lapse on orders (lapses_at);
create index orders_flagged on orders (account_id, order_id)
  where flags <> '{}'::text[];
create index orders_of_consumer on orders (account_id, user_id, order_id)
  where user_id is not null;

-- Payments and refunds of an order. Their state is computed from the notices of the provider.
create table transactions (
  account_id          text collate "C"  not null,
  transaction_id      text collate "C"  not null,
  order_id            text collate "C"  not null,
  type                text              not null,
  provider            text              not null,
  psp_transaction_id  text collate "C",
  status              text              not null,
  amount              bigint,
  currency            text,
  started_at          timestamptz,
  recorded_at         timestamptz,
  finished_at         timestamptz,
  fields              jsonb             not null,
  flags               text[]            not null,
  start               json,
  next_poll_at        timestamptz,
  polled_at           timestamptz,
  polls               integer           not null default 0,
  notices             json              not null,
  paid_by             text collate "C",
  moved_amount        bigint            not null default 0,
  constraint transactions_pkey primary key (account_id, order_id, transaction_id),
  constraint transactions_psp unique (account_id, provider, type, psp_transaction_id),
  constraint transactions_amount_check check (amount >= 0),
  constraint transactions_status_check check (status in ('new', 'pending', 'failed', 'authorized', 'succeeded', 'reversing', 'reversed')),
  constraint transactions_type_check check (type in ('payment', 'refund'))
);
create index transactions_flagged on transactions (account_id, order_id, transaction_id)
  where flags <> '{}'::text[];
create index transactions_open on transactions (type, started_at)
  where status not in ('failed', 'succeeded', 'reversed');
create index transactions_paid_by on transactions (account_id, paid_by, finished_at desc nulls last)
  where paid_by is not null;
create index transactions_to_poll on transactions (provider, next_poll_at)
  where next_poll_at is not null;

-- Append-only: what changed in an order, when, and which delivery or call changed it.
create table history (
  account_id   text collate "C"  not null,
  order_id     text collate "C"  not null,
  "position"   integer           not null,
  cause        text              not null,
  happened_at  timestamptz       not null,
  entries      json              not null,
  constraint history_pkey primary key (account_id, order_id, "position")
);
create index history_by_time on history using brin (happened_at) with (pages_per_range='16', autosummarize='on');

-- The inbox: every verified webhook, stored before it is answered.
create table deliveries (
  account_id         text collate "C"  not null,
  delivery_id        text collate "C"  not null,
  provider           text              not null,
  delivery_key       text collate "C"  not null,
  state              text              not null,
  why                text,
  flags              text[]            not null,
  headers            json,
  body               bytea,
  expected_merchant  text,
  order_id           text collate "C",
  tries              integer           not null,
  next_try_at        timestamptz,
  received_at        timestamptz       not null,
  finished_at        timestamptz,
  event_id           text collate "C",
  erased_at          timestamptz,
  constraint deliveries_pkey primary key (account_id, delivery_id),
  constraint deliveries_account_id_provider_delivery_key_key unique (account_id, provider, delivery_key),
  constraint deliveries_state_known check (state in ('received', 'processed', 'stale', 'ignored', 'parked', 'needs_review', 'dead', 'resolved', 'expired')),
  constraint deliveries_tries_check check (tries >= 0)
);
create index deliveries_by_state on deliveries (state, account_id, delivery_id)
  where state in ('received', 'parked', 'dead', 'needs_review');
create index deliveries_dead on deliveries (coalesce(finished_at, received_at))
  where state = 'dead';
create unique index deliveries_event_id on deliveries (account_id, provider, event_id)
  where event_id is not null;
create index deliveries_of_order on deliveries (account_id, order_id);
create index deliveries_resolved_to_prune on deliveries (received_at)
  where body is not null and state = 'resolved';
create index deliveries_to_look_at on deliveries (state, received_at)
  where state in ('received', 'parked', 'dead', 'needs_review');
create index deliveries_to_prune on deliveries (received_at)
  where body is not null and (state in ('processed', 'stale', 'ignored'));
create index deliveries_unfinished on deliveries (next_try_at)
  where state in ('received', 'parked');

-- The references that a parked delivery waits for.
create table delivery_references (
  account_id   text collate "C"  not null,
  reference    text collate "C"  not null,
  delivery_id  text collate "C"  not null,
  constraint delivery_references_pkey primary key (account_id, reference, delivery_id),
  constraint delivery_references_account_id_delivery_id_fkey foreign key (account_id, delivery_id) references deliveries(account_id, delivery_id)
);
create index delivery_references_of_delivery on delivery_references (account_id, delivery_id);

-- A provider's own id of an order, learned from the first delivery that carries it.
create table provider_orders (
  account_id         text collate "C"  not null,
  provider           text              not null,
  provider_order_id  text collate "C"  not null,
  order_id           text collate "C"  not null,
  constraint provider_orders_pkey primary key (account_id, provider, provider_order_id)
);

-- Each opens the checkout of one order for whoever has its link.
create table payment_links (
  account_id    text collate "C"  not null,
  link_id       text collate "C"  not null,
  order_id      text collate "C"  not null,
  created_at    timestamptz       not null,
  cancelled_at  timestamptz,
  constraint payment_links_pkey primary key (account_id, link_id),
  constraint payment_links_account_id_order_id_key unique (account_id, order_id)
);

-- URLs of shops that events are sent to.
create table endpoints (
  account_id       text collate "C"  not null,
  endpoint_id      text collate "C"  not null,
  url              text              not null,
  events           text[]            not null,
  created_at       timestamptz       not null,
  complete_since   timestamptz       not null,
  disabled_reason  text,
  failing_since    timestamptz,
  constraint endpoints_pkey primary key (account_id, endpoint_id),
  constraint endpoints_account_id_fkey foreign key (account_id) references accounts(account_id)
);

-- Webhooks to merchants, numbered for each order. The body is what is sent; it is null after it was pruned.
create table events (
  account_id       text collate "C"  not null,
  order_id         text collate "C"  not null,
  sequence         integer           not null,
  endpoint_id      text collate "C"  not null,
  event_type       text              not null,
  transaction_id   text collate "C",
  status           text              not null,
  occurred_at      timestamptz       not null,
  state            text              not null,
  attempts         integer           not null,
  failures         integer           not null,
  next_attempt_at  timestamptz,
  body             bytea,
  constraint events_pkey primary key (account_id, order_id, sequence, endpoint_id),
  constraint events_state_check check (state in ('pending', 'delivered', 'undelivered', 'dropped'))
);
create index events_by_time on events using brin (occurred_at) with (pages_per_range='16', autosummarize='on');
create index events_due on events (account_id, endpoint_id, next_attempt_at)
  where state = 'pending';
create index events_undelivered on events (account_id, endpoint_id)
  where state = 'undelivered';

-- Checkouts that consumers opened, and how they ended.
create table checkouts (
  account_id  text collate "C"  not null,
  order_id    text collate "C"  not null,
  opened_at   timestamptz       not null,
  chosen_at   timestamptz,
  lapses_at   timestamptz       not null,
  outcome     text,
  constraint checkouts_pkey primary key (account_id, order_id),
  constraint checkouts_outcome_check check (outcome in ('paid', 'failed', 'left'))
);
create index checkouts_open on checkouts (lapses_at)
  where outcome is null;

-- The result of each attempt to send an event.
create table event_attempts (
  account_id    text collate "C"  not null,
  order_id      text collate "C"  not null,
  sequence      integer           not null,
  endpoint_id   text collate "C"  not null,
  attempt       integer           not null,
  attempted_at  timestamptz       not null,
  status        integer,
  duration_ms   integer           not null,
  response      text,
  constraint event_attempts_pkey primary key (account_id, order_id, sequence, endpoint_id, attempt)
);

-- The refund made under each refund_request_id. The key ends the race of two refunds with one id.
create table refund_requests (
  account_id         text collate "C"  not null,
  refund_request_id  text collate "C"  not null,
  transaction_id     text collate "C"  not null,
  constraint refund_requests_pkey primary key (account_id, refund_request_id)
);

-- Requests with an Idempotency-Key and their answers, stored for 24 hours.
create table idempotency_keys (
  account_id      text collate "C"  not null,
  key_digest      bytea             not null,
  scope           text              not null,
  content_digest  bytea             not null,
  order_id        text collate "C"  not null,
  transaction_id  text collate "C"  not null,
  answer          json,
  created_at      timestamptz       not null,
  constraint idempotency_keys_pkey primary key (account_id, key_digest, scope)
);
create index idempotency_keys_by_age on idempotency_keys (created_at);

-- Flags that an operator has closed.
create table review_resolutions (
  account_id   text collate "C"  not null,
  subject      text collate "C"  not null,
  flag         text              not null,
  resolved_at  timestamptz       not null,
  actor        text              not null,
  note         text              not null,
  constraint review_resolutions_pkey primary key (account_id, subject, flag)
);

-- Append-only: who did what to which object, when, from where and why. Only notes may be changed.
create table audit (
  account_id  text collate "C"  not null,
  audit_id    text collate "C"  not null,
  at          timestamptz       not null,
  actor       text              not null,
  action      text              not null,
  object      text              not null,
  note        text,
  details     json              not null,
  user_id     text collate "C",
  address     text,
  constraint audit_pkey primary key (account_id, audit_id)
);
create index audit_by_time on audit (account_id, at desc, audit_id desc);
create index audit_resolved on audit (action)
  where action in ('delivery.resolved', 'flag.resolved');

-- Users of the dashboard. Whoever belongs to no account is deleted.
create table users (
  user_id        text collate "C"  not null,
  email          text              not null,
  password_hash  text,
  created_at     timestamptz       not null,
  constraint users_pkey primary key (user_id),
  constraint users_email_key unique (email)
);

-- The passkeys of users, by the id that the authenticator gave them.
create table passkeys (
  credential_id  text collate "C"  not null,
  user_id        text collate "C"  not null,
  public_key     bytea             not null,
  counter        bigint            not null,
  transports     text[]            not null,
  created_at     timestamptz       not null,
  last_used_at   timestamptz,
  constraint passkeys_pkey primary key (credential_id)
);
create index passkeys_of_user on passkeys (user_id);

-- The users of each account, with their roles.
create table memberships (
  account_id  text collate "C"  not null,
  user_id     text collate "C"  not null,
  role        text              not null,
  created_at  timestamptz       not null,
  constraint memberships_pkey primary key (account_id, user_id),
  constraint memberships_account_id_fkey foreign key (account_id) references accounts(account_id),
  constraint memberships_role_check check (role in ('owner', 'operator', 'viewer'))
);
create index memberships_of_user on memberships (user_id);

-- One-time links to join an account, or to set new credentials after a reset.
create table invitations (
  invitation_id  text collate "C"  not null,
  token_digest   bytea             not null,
  email          text              not null,
  account_id     text collate "C",
  role           text,
  user_id        text collate "C",
  created_at     timestamptz       not null,
  expires_at     timestamptz       not null,
  constraint invitations_pkey primary key (invitation_id),
  constraint invitations_token_digest_key unique (token_digest),
  constraint invitations_purpose_check check ((account_id is null) = (role is null) and (account_id is null) = (user_id is not null)),
  constraint invitations_role_check check (role in ('owner', 'operator', 'viewer'))
);
create index invitations_by_end on invitations (expires_at);
create index invitations_of_account on invitations (account_id);

-- Sessions of users. The secret is in a cookie only.
create table sessions (
  session_id     text collate "C"  not null,
  secret_digest  bytea             not null,
  user_id        text collate "C"  not null,
  account_id     text collate "C",
  created_at     timestamptz       not null,
  last_seen_at   timestamptz       not null,
  expires_at     timestamptz       not null,
  confirmed_at   timestamptz       not null,
  address        text              not null,
  user_agent     text              not null,
  constraint sessions_pkey primary key (session_id),
  constraint sessions_secret_digest_key unique (secret_digest)
);
create index sessions_by_end on sessions (expires_at);
create index sessions_by_last_seen on sessions (last_seen_at);
create index sessions_of_user on sessions (user_id);

-- What passkeys have to sign, each once.
create table passkey_challenges (
  challenge   text collate "C"  not null,
  purpose     text              not null,
  subject     text collate "C",
  user_id     text collate "C",
  expires_at  timestamptz       not null,
  constraint passkey_challenges_pkey primary key (challenge),
  constraint passkey_challenges_purpose_check check (purpose in ('registration', 'sign_in', 'confirmation'))
);
create index passkey_challenges_by_end on passkey_challenges (expires_at);

-- Failed sign-ins of an e-mail address or of an address on the network, and until when more are refused.
create table sign_in_failures (
  subject         text collate "C"  not null,
  failures        integer           not null,
  last_failed_at  timestamptz       not null,
  blocked_until   timestamptz       not null,
  constraint sign_in_failures_pkey primary key (subject)
);
create index sign_in_failures_by_age on sign_in_failures (last_failed_at);

-- The consumers that use an e-mail address, learned from orders for search.
create table consumer_emails (
  account_id  text collate "C"  not null,
  email       text              not null,
  user_id     text collate "C"  not null,
  constraint consumer_emails_pkey primary key (account_id, email, user_id)
);
create index consumer_emails_of_consumer on consumer_emails (account_id, user_id);

-- The state of each dispute of a payment, as the notices in the row of its order give it.
create table disputes (
  account_id       text collate "C"  not null,
  order_id         text collate "C"  not null,
  provider         text              not null,
  dispute_id       text collate "C"  not null,
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
  next_poll_at     timestamptz,
  constraint disputes_pkey primary key (account_id, order_id, provider, dispute_id),
  constraint disputes_amount_check check (amount >= 0),
  constraint disputes_amount_deducted_check check (amount_deducted >= 0),
  constraint disputes_status_check check (status in ('open', 'under_review', 'closed', 'won', 'lost'))
);
create index disputes_by_id on disputes (account_id, dispute_id);
create index disputes_final on disputes (account_id, changed_at, order_id, dispute_id)
  where status in ('closed', 'won', 'lost');
create index disputes_to_poll on disputes (next_poll_at)
  where next_poll_at is not null;
create index disputes_unfinished on disputes (account_id, respond_by, order_id desc, dispute_id desc)
  where status in ('open', 'under_review');

-- Counts and sums over the orders that were created in each half hour, for the overview of the dashboard.
create table figures (
  account_id  text collate "C"  not null,
  kind        text              not null,
  starts_at   timestamptz       not null,
  name        text              not null,
  currency    text              not null,
  orders      bigint            not null,
  payments    bigint            not null,
  amount      bigint            not null,
  constraint figures_pkey primary key (account_id, kind, starts_at, name, currency)
);

-- Cursors of the background sweeps: how far each has come.
create table sweep_cursors (
  name        text              not null,
  account_id  text collate "C"  not null,
  order_id    text collate "C"  not null,
  "position"  integer           not null,
  reached_at  timestamptz,
  constraint sweep_cursors_pkey primary key (name)
);

-- Which process sweeps, and until when.
create table sweep_lease (
  id          integer      not null,
  owner       text         not null,
  expires_at  timestamptz  not null,
  constraint sweep_lease_pkey primary key (id),
  constraint sweep_lease_has_one_row check (id = 1)
);

-- What each step of the sweep did last.
create table background_steps (
  step              text         not null,
  last_success_at   timestamptz,
  last_failure_at   timestamptz,
  last_duration_ms  integer      not null,
  failures          bigint       not null,
  backlog           bigint,
  constraint background_steps_pkey primary key (step)
);

-- Counts of many rows, taken by the sweep for /metrics.
create table stored_counts (
  name        text         not null,
  count       bigint       not null,
  counted_at  timestamptz  not null,
  constraint stored_counts_pkey primary key (name)
);

-- The migrations that were applied. Row 0 is the lock of the migrator.
create table schema_migrations (
  version     integer      not null,
  name        text         not null,
  applied_at  timestamptz  not null,
  constraint schema_migrations_pkey primary key (version)
);
