-- The calls of a suspended account are refused; deliveries of its providers are still applied. Contract 2.8.
alter table accounts add column suspended_at timestamptz;

-- How often the order was changed with its tokens. The limit keeps the holder of a token from filling the disk.
-- Contract 2.9.
alter table orders add column token_changes integer not null default 0;
