-- Users of the dashboard: people who may belong to several accounts, so their tables are led by ids of their own.
-- Contract 13.2.

create table users (
  user_id        text         not null,
  -- In lower case. Whoever invites and whoever signs in may spell it differently.
  email          text         not null,
  -- Argon2id with its parameters and salt; null for a user with passkeys only.
  password_hash  text,
  created_at     timestamptz  not null,
  constraint users_pkey primary key (user_id),
  -- Ends the race of two invitations of one address: one makes the user, the other is refused.
  constraint users_email_key unique (email)
);

create table passkeys (
  credential_id  text         not null,
  user_id        text         not null,
  public_key     bytea        not null,
  -- How often the authenticator says that it was used. One that goes back is a copy.
  counter        bigint       not null,
  transports     text[]       not null,
  created_at     timestamptz  not null,
  constraint passkeys_pkey primary key (credential_id)
);
create index passkeys_of_user on passkeys (user_id);

create table memberships (
  account_id  text         not null,
  user_id     text         not null,
  role        text         not null,
  created_at  timestamptz  not null,
  constraint memberships_pkey primary key (account_id, user_id),
  constraint memberships_account_id_fkey foreign key (account_id) references accounts (account_id),
  constraint memberships_role_check check (role in ('owner', 'operator', 'viewer'))
);
create index memberships_of_user on memberships (user_id);

-- One-time links: to join an account, or to set new credentials after a reset.
create table invitations (
  invitation_id  text         not null,
  token_digest   bytea        not null,
  email          text         not null,
  -- Both are null for a reset.
  account_id     text,
  role           text,
  -- The user whose credentials were reset.
  user_id        text,
  created_at     timestamptz  not null,
  expires_at     timestamptz  not null,
  constraint invitations_pkey primary key (invitation_id),
  constraint invitations_token_digest_key unique (token_digest),
  constraint invitations_role_check check (role in ('owner', 'operator', 'viewer')),
  constraint invitations_purpose_check
    check ((account_id is null) = (role is null) and (account_id is null) = (user_id is not null))
);
create index invitations_of_account on invitations (account_id);
create index invitations_by_end on invitations (expires_at);

create table sessions (
  session_id     text         not null,
  -- Of the cookie, which is stored nowhere.
  secret_digest  bytea        not null,
  user_id        text         not null,
  -- The account that the user chose last.
  account_id     text,
  created_at     timestamptz  not null,
  last_seen_at   timestamptz  not null,
  expires_at     timestamptz  not null,
  -- When the user last proved who they are, beyond having the cookie.
  confirmed_at   timestamptz  not null,
  address        text         not null,
  user_agent     text         not null,
  constraint sessions_pkey primary key (session_id),
  constraint sessions_secret_digest_key unique (secret_digest)
);
create index sessions_of_user on sessions (user_id);
create index sessions_by_last_seen on sessions (last_seen_at);
create index sessions_by_end on sessions (expires_at);

-- What a passkey has to sign. A row is deleted when it is used, so each is used once.
create table passkey_challenges (
  challenge   text         not null,
  purpose     text         not null,
  -- The invitation or the session that it belongs to; null for a sign-in.
  subject     text,
  -- Of the user to be, whose id is part of what is signed.
  user_id     text,
  expires_at  timestamptz  not null,
  constraint passkey_challenges_pkey primary key (challenge),
  constraint passkey_challenges_purpose_check check (purpose in ('registration', 'sign_in', 'confirmation'))
);
create index passkey_challenges_by_end on passkey_challenges (expires_at);

-- Failed sign-ins of an address on the network, and of an e-mail address whether or not it belongs to a user.
create table sign_in_failures (
  subject         text         not null,
  failures        integer      not null,
  last_failed_at  timestamptz  not null,
  blocked_until   timestamptz  not null,
  constraint sign_in_failures_pkey primary key (subject)
);
create index sign_in_failures_by_age on sign_in_failures (last_failed_at);
