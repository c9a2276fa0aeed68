-- Due polls are claimed for one provider at a time, oldest first. With the provider in front, the claim does not read
-- the due rows of another provider.
drop index transactions_to_poll;
create index transactions_to_poll on transactions (provider, next_poll_at) where next_poll_at is not null;
