-- The sweep reports what it did, walks unfinished deliveries in pages, and keeps counts that are too large for a scrape.

-- One row per step of the sweep, written by whichever process ran it, so that every process reports the same.
create table background_steps (
  step              text        not null,
  last_success_at   timestamptz,
  last_failure_at   timestamptz,
  last_duration_ms  integer     not null,
  -- Over the lifetime of the database.
  failures          bigint      not null,
  -- What the step left for the next sweep. Counting stops at a limit.
  backlog           bigint,
  primary key (step)
);

-- Counts of many rows. The sweep takes them; /metrics reads them where counting at each scrape would be slow.
create table stored_counts (
  name        text        not null,
  count       bigint      not null,
  counted_at  timestamptz not null,
  primary key (name)
);

-- Walks all deliveries of one state in key order, page by page. It replaces the index of those to review, which had
-- two of these states mixed.
create index deliveries_by_state on deliveries (state, account_id, delivery_id)
  where state in ('received', 'parked', 'dead', 'needs_review');
drop index deliveries_to_review;
