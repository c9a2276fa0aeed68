-- A suspended account makes no calls; its providers' deliveries are still applied. Contract 2.8.
alter table accounts add column suspended_at timestamptz;

-- How often the tokens of an order have changed it: whoever holds one must not fill the disk. Contract 2.9.
alter table orders add column token_changes integer not null default 0;
