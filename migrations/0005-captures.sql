-- Captures and voids that shops request themselves. Contract 16.
alter table orders
  add column operations json,
  -- Set while a payment that is held keeps the order from lapsing: `lapses_at` is then when the hold ends.
  add column own_lapses_at timestamptz;
alter table accounts
  add column capture_mode text not null default 'automatic';
