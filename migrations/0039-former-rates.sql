-- The last exchange rate that each currency of an account had before the latest change, by currency. A rate that is removed
-- and added again is compared with it. Contract 13.9.
-- Stops writes: for a moment; the default is not written into the rows.
alter table accounts add column former_rates jsonb not null default '{}';
