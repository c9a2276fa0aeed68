/** Accounts and their settings. Their sealed secrets are in `account-secrets.ts`. */
import type {
  AccountSettings,
  AlternateCurrency,
  ProviderAddress,
  SignatureVersion,
} from '../domain/accounts/account.ts';
import type { Endpoint } from '../domain/accounts/endpoint.ts';
import type { Queryable, Transaction } from '../postgres/database.ts';
import { inOrder } from '../postgres/in-order.ts';
import { listSecrets, type SealedSecret } from './account-secrets.ts';
import { listEndpoints } from './endpoints.ts';

export type StoredAccount = AccountSettings & {
  readonly accountId: string;
  readonly createdAt: Date;
  readonly suspendedAt: Date | null;
  /** Grows with every change of the account or of its secrets. */
  readonly revision: number;
  readonly secrets: readonly SealedSecret[];
  readonly endpoints: readonly Endpoint[];
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
  revision: string;
  alternate_currencies: AlternateCurrency[] | null;
};

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
  const [secrets, endpoints] = await inOrder([
    () => listSecrets(database, accountId),
    () => listEndpoints(database, accountId),
  ]);
  return toAccount(rows[0], secrets, endpoints);
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

/**
 * For everybody who changes an account or its secrets. Ends the race of two secret rotations: without the lock both would
 * find the same current secret. The new revision tells processes that what they have cached is out of date.
 */
export async function lockAccount(
  tx: Transaction,
  accountId: string,
): Promise<StoredAccount | undefined> {
  await tx.query({
    text: 'update accounts set revision = revision + 1 where account_id = $1',
    values: [accountId],
  });
  return findAccount(tx, accountId);
}

/** In the order of the ids; undefined for an account that does not exist. */
export async function findAccountRevisions(
  database: Queryable,
  accountIds: readonly string[],
): Promise<Array<number | undefined>> {
  const { rows } = await database.query<{ account_id: string; revision: string }>({
    name: 'find-account-revisions',
    text: `select a.account_id, a.revision from unnest($1::text[]) as wanted (account_id)
             join accounts a using (account_id)`,
    values: [accountIds],
  });
  const revisions = new Map(rows.map((row) => [row.account_id, Number(row.revision)]));
  return accountIds.map((accountId) => revisions.get(accountId));
}

export async function listAccounts(database: Queryable): Promise<StoredAccount[]> {
  const { rows } = await database.query<AccountRow>({
    text: `${selectAccounts} order by a.created_at, a.account_id`,
  });
  return rows.map((row) => toAccount(row, [], []));
}

export async function listAccountIds(database: Queryable): Promise<string[]> {
  const { rows } = await database.query<{ account_id: string }>({
    text: 'select account_id from accounts order by account_id',
  });
  return rows.map(({ account_id }) => account_id);
}

export type AccountName = Pick<StoredAccount, 'accountId' | 'name'>;

/** The oldest accounts first. */
export async function listFirstAccounts(
  database: Queryable,
  limit: number,
): Promise<AccountName[]> {
  const { rows } = await database.query<Pick<AccountRow, 'account_id' | 'name'>>({
    text: 'select account_id, name from accounts order by created_at, account_id limit $1',
    values: [limit],
  });
  return rows.map(({ account_id: accountId, name }) => ({ accountId, name }));
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

function toAccount(
  row: AccountRow,
  secrets: readonly SealedSecret[],
  endpoints: readonly Endpoint[],
): StoredAccount {
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
    revision: Number(row.revision),
    secrets,
    endpoints,
  };
}
