-- Each provider describes its own settings and secrets; the schema names no provider.

-- Plain settings by provider, then by the name that the provider gives the setting.
alter table accounts add column provider_settings jsonb not null default '{}';
-- Computed before the update, in which Citus allows only immutable functions.
with computed as materialized (
  select account_id,
         jsonb_build_object('bank-gateway', jsonb_build_object('merchant', bank_gateway_merchant)) as settings
    from accounts
   where bank_gateway_merchant is not null)
update accounts a set provider_settings = computed.settings from computed
 where computed.account_id = a.account_id;
alter table accounts drop column bank_gateway_merchant;

-- The providers describe the payment modes of new accounts.
alter table accounts alter column payment_modes drop default;

-- Kinds are checked where secrets are sealed.
alter table account_secrets drop constraint account_secrets_kind_check;
