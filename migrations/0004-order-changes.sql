-- What resolve-user adds to an order: from then on it belongs to the consumer in user_id.

alter table orders add column restricted boolean not null default false;
