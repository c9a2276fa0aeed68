-- How the checkout page of an account looks, whom its consumers can ask, and who may show it in a frame. Contract 14.2.
alter table accounts
  add column colour         text,
  add column support_email  text,
  add column support_phone  text,
  add column support_url    text,
  add column frame_origins  text[]   not null default '{}',
  add column upi_collect    boolean  not null default false;

-- At most one logo for each account. In a table of its own, so that reading an account does not read the image.
create table account_logos (
  account_id  text   not null,
  -- SHA-256 of the bytes, in hex. It is part of the URL, which can be cached for ever.
  digest      text   not null,
  media_type  text   not null,
  bytes       bytea  not null,
  constraint account_logos_pkey primary key (account_id),
  constraint account_logos_account_id_fkey foreign key (account_id) references accounts (account_id),
  constraint account_logos_bytes_check check (octet_length(bytes) <= 65536)
);
-- The formats are compressed already.
alter table account_logos alter column bytes set storage external;
