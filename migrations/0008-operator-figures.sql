-- For the counters on /metrics. Both indexes contain rare rows only: created orders and deliveries that are applied
-- immediately never write to them.

-- Deliveries that may need an operator, by age.
create index deliveries_to_look_at on deliveries (state, received_at)
  where state in ('received', 'parked', 'dead', 'needs_review');

-- Transactions that are not final, by age, including those that are no longer polled.
create index transactions_open on transactions (type, started_at)
  where status not in ('failed', 'succeeded', 'reversed');
