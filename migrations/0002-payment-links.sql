-- When the shop cancelled a payment link. Its order lapsed at that time, unless it had lapsed before. Contract 19.2.
alter table payment_links add column cancelled_at timestamptz;
