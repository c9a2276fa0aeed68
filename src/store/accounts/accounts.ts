/** Accounts and their settings. Sealed secrets are in `account-secrets.ts`, the bytes of logos in `account-logos.ts`. */
import type {
  AccountSettings,
  AlternateCurrency,
  ProviderAddress,
  SignatureVersion,
} from '../../domain/accounts/account.ts';
import type { Endpoint } from '../../domain/accounts/endpoint.ts';
import type { Logo } from '../../domain/accounts/logo.ts';
import type { Database, Queryable, Statement, Transaction } from '../../postgres/database.ts';
import { inOrder } from '../../postgres/in-order.ts';
import { queryPerAccount } from '../per-account.ts';
import { listSecrets, type SealedSecret } from './account-secrets.ts';
import { replaceAlternateCurrencies } from './alternate-currencies.ts';
import { listEndpoints } from './endpoints.ts';

export type StoredAccount = AccountSettings & {
  readonly accountId: string;
  readonly createdAt: Date;
  readonly suspendedAt: Date | null;
  /** Grows with every change of the account or of its secrets. */
  readonly revision: number;
  readonly logo: Logo | null;
  /** The last rate of each currency before the latest change of the account. */
  readonly formerRates: readonly AlternateCurrency[];
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
  colour: string | null;
  support_email: string | null;
  support_phone: string | null;
  support_url: string | null;
  frame_origins: string[];
  upi_collect: boolean;
  created_at: Date;
  suspended_at: Date | null;
  revision: string;
  alternate_currencies: AlternateCurrency[] | null;
  former_rates: Record<string, Pick<AlternateCurrency, 'to' | 'rate'>>;
  logo: Logo | null;
};

/** On Citus, each part has to name the account itself, or the statement runs on every shard. */
const selectAccount = `
  select a.*,
         (select json_agg(json_build_object(
                   'from', c.from_currency, 'to', c.to_currency, 'rate', c.rate)
                 order by c.from_currency)
            from account_alternate_currencies c
           where c.account_id = $1) as alternate_currencies,
         (select json_build_object('digest', l.digest, 'mediaType', l.media_type,
                                   'byteCount', octet_length(l.bytes))
            from account_logos l where l.account_id = $1) as logo
    from accounts a
   where a.account_id = $1`;

export async function insertAccount(
  tx: Transaction,
  accountId: string,
  settings: AccountSettings,
  now: Date,
): Promise<void> {
  await tx.query({
    text: `insert into accounts (account_id, name, optional_order_details, encrypted_payloads,
                                 signature_version, payment_modes, provider_apis,
                                 provider_settings, requests_per_second, callback_origins,
                                 colour, support_email, support_phone, support_url,
                                 frame_origins, upi_collect, created_at)
           values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17)`,
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
                  provider_settings = $8, requests_per_second = $9, callback_origins = $10,
                  colour = $11, support_email = $12, support_phone = $13, support_url = $14,
                  frame_origins = $15, upi_collect = $16
            where account_id = $1`,
    values: settingsValues(accountId, settings),
  });
  await replaceAlternateCurrencies(tx, accountId, settings.alternateCurrencies);
}

export async function findAccount(
  database: Queryable,
  accountId: string,
): Promise<StoredAccount | undefined> {
  const { rows } = await database.query<AccountRow>(findAccountById(accountId));
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
    text: 'select account_id, revision from accounts where account_id = any($1::text[])',
    values: [accountIds],
  });
  const revisions = new Map(rows.map((row) => [row.account_id, Number(row.revision)]));
  return accountIds.map((accountId) => revisions.get(accountId));
}

export async function listAccounts(database: Database): Promise<StoredAccount[]> {
  const { rows: accounts } = await database.query<{ accountId: string }>({
    text: 'select account_id as "accountId" from accounts order by created_at, account_id',
  });
  const rows = await database.pipelined((connection) =>
    queryPerAccount<AccountRow, { accountId: string }>(connection, accounts, findAccountById),
  );
  const byId = new Map(rows.map((row) => [row.account_id, row]));
  return accounts.flatMap(({ accountId }) => {
    const row = byId.get(accountId);
    return row ? [toAccount(row, [], [])] : [];
  });
}

function findAccountById(accountId: string): Statement {
  return { name: 'find-account', text: selectAccount, values: [accountId] };
}

export async function listAccountIds(database: Queryable): Promise<string[]> {
  const { rows } = await database.query<{ account_id: string }>({
    text: 'select account_id from accounts order by account_id',
  });
  return rows.map(({ account_id }) => account_id);
}

export type NamedAccount = Pick<StoredAccount, 'accountId' | 'name'>;

/** The oldest accounts first. */
export async function listFirstAccounts(
  database: Queryable,
  limit: number,
): Promise<NamedAccount[]> {
  const { rows } = await database.query<NamedAccount>({
    text: `select account_id as "accountId", name from accounts order by created_at, account_id limit $1`,
    values: [limit],
  });
  return rows;
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
    settings.colour,
    settings.supportEmail,
    settings.supportPhone,
    settings.supportUrl,
    settings.frameOrigins,
    settings.upiCollect,
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
    formerRates: Object.entries(row.former_rates).map(([from, last]) => ({ from, ...last })),
    paymentModes: row.payment_modes,
    providerApis: row.provider_apis,
    providerSettings: row.provider_settings,
    callbackOrigins: row.callback_origins,
    colour: row.colour,
    supportEmail: row.support_email,
    supportPhone: row.support_phone,
    supportUrl: row.support_url,
    frameOrigins: row.frame_origins,
    upiCollect: row.upi_collect,
    logo: row.logo,
    createdAt: row.created_at,
    suspendedAt: row.suspended_at,
    revision: Number(row.revision),
    secrets,
    endpoints,
  };
}
