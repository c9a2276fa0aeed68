/** Accounts, their settings and sealed secrets. Opening a seal is left to others. */
import type {
  AccountSettings,
  AlternateCurrency,
  ProviderAddress,
  SecretKind,
  SignatureVersion,
} from '../domain/accounts/account.ts';
import type { Queryable, Transaction } from '../postgres/database.ts';

export type SealedSecret = {
  readonly kind: SecretKind;
  readonly secretId: string;
  readonly sealed: Buffer;
  readonly expiresAt: Date | null;
};

export type StoredAccount = AccountSettings & {
  readonly accountId: string;
  readonly createdAt: Date;
  readonly suspendedAt: Date | null;
  readonly secrets: readonly SealedSecret[];
};

type AccountRow = {
  account_id: string;
  name: string;
  optional_order_details: boolean;
  encrypted_payloads: boolean;
  signature_version: SignatureVersion;
  requests_per_second: number | null;
  payment_modes: AccountSettings['paymentModes'];
  provider_apis: Record<string, ProviderAddress>;
  provider_settings: AccountSettings['providerSettings'];
  callback_origins: string[];
  created_at: Date;
  suspended_at: Date | null;
  alternate_currencies: AlternateCurrency[] | null;
};

type SecretRow = { kind: SecretKind; secret_id: string; sealed: Buffer; expires_at: Date | null };

const selectAccounts = `
  select a.*,
         (select json_agg(json_build_object(
                   'from', c.from_currency, 'to', c.to_currency, 'rate', c.rate)
                 order by c.from_currency)
            from account_alternate_currencies c
           where c.account_id = a.account_id) as alternate_currencies
    from accounts a`;

export async function insertAccount(
  tx: Transaction,
  accountId: string,
  settings: AccountSettings,
  now: Date,
): Promise<void> {
  await tx.query({
    text: `insert into accounts (account_id, name, optional_order_details, encrypted_payloads,
                                 signature_version, payment_modes, provider_apis,
                                 provider_settings, requests_per_second, callback_origins, created_at)
           values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`,
    values: [...settingsValues(accountId, settings), now],
  });
  await replaceAlternateCurrencies(tx, accountId, settings.alternateCurrencies);
}

export async function updateAccount(
  tx: Transaction,
  accountId: string,
  settings: AccountSettings,
): Promise<void> {
  await tx.query({
    text: `update accounts
              set name = $2, optional_order_details = $3, encrypted_payloads = $4,
                  signature_version = $5, payment_modes = $6, provider_apis = $7,
                  provider_settings = $8, requests_per_second = $9, callback_origins = $10
            where account_id = $1`,
    values: settingsValues(accountId, settings),
  });
  await replaceAlternateCurrencies(tx, accountId, settings.alternateCurrencies);
}

export async function findAccount(
  database: Queryable,
  accountId: string,
): Promise<StoredAccount | undefined> {
  const { rows } = await database.query<AccountRow>({
    name: 'find-account',
    text: `${selectAccounts} where a.account_id = $1`,
    values: [accountId],
  });
  if (!rows[0]) return undefined;
  const { rows: secrets } = await database.query<SecretRow>({
    name: 'find-account-secrets',
    text: `select kind, secret_id, sealed, expires_at
             from account_secrets where account_id = $1
            order by created_at desc, secret_id`,
    values: [accountId],
  });
  return toAccount(rows[0], secrets);
}

export async function suspendAccount(
  tx: Transaction,
  accountId: string,
  suspendedAt: Date | null,
): Promise<void> {
  await tx.query({
    text: 'update accounts set suspended_at = $2 where account_id = $1',
    values: [accountId, suspendedAt],
  });
}

/** Serialises changes of one account: two rotations at once must not both find the same current secret. */
export async function lockAccount(
  tx: Transaction,
  accountId: string,
): Promise<StoredAccount | undefined> {
  await tx.query({
    text: 'select 1 from accounts where account_id = $1 for update',
    values: [accountId],
  });
  return findAccount(tx, accountId);
}

export async function listAccounts(database: Queryable): Promise<StoredAccount[]> {
  const { rows } = await database.query<AccountRow>({
    text: `${selectAccounts} order by a.created_at, a.account_id`,
  });
  return rows.map((row) => toAccount(row, []));
}

export async function hasAccounts(database: Queryable): Promise<boolean> {
  const { rows } = await database.query({ text: 'select 1 from accounts limit 1' });
  return rows.length > 0;
}

export async function insertSecret(
  tx: Transaction,
  accountId: string,
  secret: SealedSecret,
  now: Date,
): Promise<void> {
  await tx.query({
    text: `insert into account_secrets (account_id, kind, secret_id, sealed, created_at, expires_at)
           values ($1, $2, $3, $4, $5, $6)`,
    values: [accountId, secret.kind, secret.secretId, secret.sealed, now, secret.expiresAt],
  });
}

/** One of each beginning, which tells the master key it was sealed with. */
export async function listSealedSamples(database: Queryable): Promise<Buffer[]> {
  const { rows } = await database.query<{ sealed: Buffer }>({
    text: `select distinct on (substring(sealed from 1 for 5)) sealed from account_secrets
            order by substring(sealed from 1 for 5)`,
  });
  return rows.map(({ sealed }) => sealed);
}

/** The same secret, sealed with another key. */
export async function updateSealedSecret(
  tx: Transaction,
  accountId: string,
  { kind, secretId, sealed }: Pick<SealedSecret, 'kind' | 'secretId' | 'sealed'>,
): Promise<void> {
  await tx.query({
    text: `update account_secrets set sealed = $4
            where account_id = $1 and kind = $2 and secret_id = $3`,
    values: [accountId, kind, secretId, sealed],
  });
}

/** Gives the secrets of a kind an end; one that ends sooner keeps its own. */
export async function endSecrets(
  tx: Transaction,
  accountId: string,
  kind: SecretKind,
  endsAt: Date,
): Promise<void> {
  await tx.query({
    text: `update account_secrets set expires_at = $3
            where account_id = $1 and kind = $2 and (expires_at is null or expires_at > $3)`,
    values: [accountId, kind, endsAt],
  });
}

async function replaceAlternateCurrencies(
  tx: Transaction,
  accountId: string,
  alternatives: readonly AlternateCurrency[],
): Promise<void> {
  await tx.query({
    text: 'delete from account_alternate_currencies where account_id = $1',
    values: [accountId],
  });
  for (const { from, to, rate } of alternatives) {
    await tx.query({
      text: `insert into account_alternate_currencies (account_id, from_currency, to_currency, rate)
             values ($1, $2, $3, $4)`,
      values: [accountId, from, to, rate],
    });
  }
}

function settingsValues(accountId: string, settings: AccountSettings): unknown[] {
  return [
    accountId,
    settings.name,
    settings.optionalOrderDetails,
    settings.encryptedPayloads,
    settings.signatureVersion,
    JSON.stringify(settings.paymentModes),
    JSON.stringify(settings.providerApis),
    JSON.stringify(settings.providerSettings),
    settings.requestsPerSecond,
    settings.callbackOrigins,
  ];
}

function toAccount(row: AccountRow, secrets: readonly SecretRow[]): StoredAccount {
  return {
    accountId: row.account_id,
    name: row.name,
    optionalOrderDetails: row.optional_order_details,
    encryptedPayloads: row.encrypted_payloads,
    signatureVersion: row.signature_version,
    requestsPerSecond: row.requests_per_second,
    alternateCurrencies: row.alternate_currencies ?? [],
    paymentModes: row.payment_modes,
    providerApis: row.provider_apis,
    providerSettings: row.provider_settings,
    callbackOrigins: row.callback_origins,
    createdAt: row.created_at,
    suspendedAt: row.suspended_at,
    secrets: secrets.map((secret) => ({
      kind: secret.kind,
      secretId: secret.secret_id,
      sealed: secret.sealed,
      expiresAt: secret.expires_at,
    })),
  };
}
