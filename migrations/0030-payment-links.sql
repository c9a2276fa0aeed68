-- Payment links: each opens the checkout of one order.

create table payment_links (
  account_id  text         not null,
  -- Begins with the account's own id, so that a link is found without a search over all accounts.
  link_id     text         not null,
  order_id    text         not null,
  created_at  timestamptz  not null,
  constraint payment_links_pkey primary key (account_id, link_id),
  -- Ends the race between requests that add a link to the same order: one inserts, the others find its link.
  constraint payment_links_account_id_order_id_key unique (account_id, order_id)
);
