/** Accounts and their settings. Sealed secrets are in `account-secrets.ts`, the bytes of logos in `account-logos.ts`. */
import type { AccountSettings, AlternateCurrency } from '../../domain/accounts/account.ts';
import type { Endpoint } from '../../domain/accounts/endpoint.ts';
import type { Logo } from '../../domain/accounts/logo.ts';
import type { Database, Queryable, Statement, Transaction } from '../../postgres/database.ts';
import { columnOf, columnsOf, joinSql, sql } from '../../postgres/sql.ts';
import { inOrder } from '../../postgres/statement.ts';
import { queryPerAccount } from '../per-account.ts';
import { execute, listRows, listValues } from '../query.ts';
import { listSecrets, type SealedSecret } from './account-secrets.ts';
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

/** The settings that are columns of `accounts`. */
const settings = [
  'name',
  'optionalOrderDetails',
  'encryptedPayloads',
  'signatureVersion',
  'captureMode',
  'latePayments',
  'paymentModes',
  'providerApis',
  'providerSettings',
  'requestsPerSecond',
  'callbackOrigins',
  'colour',
  'supportEmail',
  'supportPhone',
  'supportUrl',
  'frameOrigins',
  'upiCollect',
] as const satisfies Array<keyof AccountSettings>;

type AccountRow = Omit<
  StoredAccount,
  'alternateCurrencies' | 'formerRates' | 'secrets' | 'endpoints'
> & {
  readonly alternateCurrencies: AlternateCurrency[] | null;
  readonly formerRates: Record<string, Pick<AlternateCurrency, 'to' | 'rate'>>;
};

const accountColumns = columnsOf(
  `accountId, createdAt, suspendedAt, revision, formerRates, ${settings.join(', ')}`,
);

/** On Citus, each part has to name the account itself, or the statement runs on every shard. */
const selectAccount = sql`
  select ${accountColumns},
         (select json_agg(json_build_object(
                   'from', c.from_currency, 'to', c.to_currency, 'rate', c.rate)
                 order by c.from_currency)
            from account_alternate_currencies c
           where c.account_id = $1) as "alternateCurrencies",
         (select json_build_object('digest', l.digest, 'mediaType', l.media_type,
                                   'byteCount', octet_length(l.bytes))
            from account_logos l where l.account_id = $1) as logo
    from accounts a
   where a.account_id = $1`;

export async function insertAccount(
  tx: Transaction,
  accountId: string,
  account: AccountSettings,
  now: Date,
) {
  const columns = ['accountId', 'createdAt', ...settings].map(columnOf);
  await execute(tx, [accountId, now, ...settings.map((field) => account[field])])`
    insert into accounts (${joinSql(columns)})
    values (${joinSql(columns.map((_column, index) => sql`$${index + 1}`))})`;
  await replaceAlternateCurrencies(tx, accountId, account.alternateCurrencies);
}

export async function updateAccount(tx: Transaction, accountId: string, account: AccountSettings) {
  const changes = settings.map((field, index) => sql`${columnOf(field)} = $${index + 2}`);
  await execute(tx, [accountId, ...settings.map((field) => account[field])])`
    update accounts set ${joinSql(changes)} where account_id = $1`;
  await replaceAlternateCurrencies(tx, accountId, account.alternateCurrencies);
}

export async function findAccount(database: Queryable, accountId: string) {
  const { rows } = await database.query<AccountRow>(findAccountById(accountId));
  if (!rows[0]) return undefined;
  const [secrets, endpoints] = await inOrder([
    () => listSecrets(database, accountId),
    () => listEndpoints(database, accountId),
  ]);
  return toAccount(rows[0], secrets, endpoints);
}

export async function suspendAccount(tx: Transaction, accountId: string, suspendedAt: Date | null) {
  await execute(tx, [accountId, suspendedAt])`
    update accounts set suspended_at = $2 where account_id = $1`;
}

/**
 * For everybody who changes an account or its secrets. Ends the race of two secret rotations: without the lock both would
 * find the same current secret. The new revision tells processes that what they have cached is out of date.
 */
export async function lockAccount(tx: Transaction, accountId: string) {
  await execute(tx, [accountId])`update accounts set revision = revision + 1 where account_id = $1`;
  return findAccount(tx, accountId);
}

/** In the order of the ids; undefined for an account that does not exist. */
export async function findAccountRevisions(database: Queryable, accountIds: readonly string[]) {
  type Row = Pick<StoredAccount, 'accountId' | 'revision'>;
  const rows = await listRows<Row>(database, [accountIds], 'find-account-revisions')`
    select account_id as "accountId", revision from accounts where account_id = any($1::text[])`;
  const revisions = new Map(rows.map((row) => [row.accountId, row.revision]));
  return accountIds.map((accountId) => revisions.get(accountId));
}

export async function listAccounts(database: Database): Promise<StoredAccount[]> {
  const accounts = await listRows<{ accountId: string }>(database)`
    select account_id as "accountId" from accounts order by created_at, account_id`;
  const rows = await database.pipelined((connection) =>
    queryPerAccount<AccountRow, { accountId: string }>(connection, accounts, findAccountById),
  );
  const byId = new Map(rows.map((row) => [row.accountId, row]));
  return accounts.flatMap(({ accountId }) => {
    const row = byId.get(accountId);
    return row ? [toAccount(row, [], [])] : [];
  });
}

function findAccountById(accountId: string): Statement {
  return { name: 'find-account', text: selectAccount, values: [accountId] };
}

export function listAccountIds(database: Queryable) {
  return listValues<string>(database)`select account_id from accounts order by account_id`;
}

export type NamedAccount = Pick<StoredAccount, 'accountId' | 'name'>;

/** The oldest accounts first. */
export function listFirstAccounts(database: Queryable, limit: number) {
  return listRows<NamedAccount>(database, [limit])`
    select account_id as "accountId", name from accounts order by created_at, account_id limit $1`;
}

function toAccount(
  { alternateCurrencies, formerRates, ...row }: AccountRow,
  secrets: readonly SealedSecret[],
  endpoints: readonly Endpoint[],
): StoredAccount {
  return {
    ...row,
    alternateCurrencies: alternateCurrencies ?? [],
    formerRates: Object.entries(formerRates).map(([from, last]) => ({ from, ...last })),
    secrets,
    endpoints,
  };
}

async function replaceAlternateCurrencies(
  tx: Transaction,
  accountId: string,
  alternatives: readonly AlternateCurrency[],
) {
  await rememberRates(tx, accountId);
  await execute(tx, [accountId])`delete from account_alternate_currencies where account_id = $1`;
  for (const { from, to, rate } of alternatives) {
    await execute(tx, [accountId, from, to, rate])`
      insert into account_alternate_currencies (account_id, from_currency, to_currency, rate)
      values ($1, $2, $3, $4)`;
  }
}

/** So that a rate that is removed can be compared with the next one. The account must be locked. */
async function rememberRates(tx: Transaction, accountId: string) {
  const rows = await listRows<AlternateCurrency>(tx, [accountId])`
    select from_currency as "from", to_currency as "to", rate from account_alternate_currencies
     where account_id = $1`;
  if (rows.length === 0) return;
  const lastRates = Object.fromEntries(rows.map(({ from, ...last }) => [from, last]));
  await execute(tx, [accountId, JSON.stringify(lastRates)])`
    update accounts set former_rates = former_rates || $2 where account_id = $1`;
}
