-- The origins that a callback_url set with an order token may have. Empty: an order token may set a callback_url only
-- where the order has none. Contract 11.10.
alter table accounts add column callback_origins text[] not null default '{}';
