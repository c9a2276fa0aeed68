-- Figures for the overview of the dashboard: how many orders of each half hour were created, paid, refunded.

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
  constraint figures_pkey primary key (account_id, kind, starts_at, name, currency)
);

-- Finds what changed lately. History is written in the order of time, so a few bytes describe 16 pages, and a new row
-- costs next to nothing.
create index history_by_time on history using brin (happened_at) with (pages_per_range = 16, autosummarize = on);
