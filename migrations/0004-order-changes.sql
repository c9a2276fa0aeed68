-- Set by resolve-user: from then on the order belongs to the consumer in user_id.

alter table orders add column restricted boolean not null default false;
