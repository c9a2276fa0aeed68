-- When a passkey was used last, so that its owner can tell which ones are still in use. Contract 13.8.
alter table passkeys add column last_used_at timestamptz;
