-- What an operator is told of on /metrics. Both indexes hold rare rows only: an order that is created and a
-- delivery that is applied at once never touch them.

-- Deliveries that somebody may have to look at, by how long they have been there.
create index deliveries_to_look_at on deliveries (state, received_at)
  where state in ('received', 'parked', 'dead', 'needs_review');

-- Transactions that are not final, by how long ago they were started. Those that nobody asks about any more are in it too.
create index transactions_open on transactions (type, started_at)
  where status not in ('failed', 'succeeded', 'reversed');
