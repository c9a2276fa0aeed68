-- Origins that an order token may name in callback_url. Contract 11.10. Empty: no list.
alter table accounts add column callback_origins text[] not null default '{}';
