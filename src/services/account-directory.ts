/**
 * Accounts for the hot path, with their secrets opened. A cached account is used for at most a second, so that every
 * process sees a rotation soon. Then one small statement checks the revisions of all accounts that are waited for, and
 * only those that changed are read and opened again.
 */
import type { Account, LiveSecret, SecretKind } from '../domain/accounts/account.ts';
import { accountLimits } from '../domain/accounts/limits.ts';
import { createBoundedCache } from '../domain/bounded-cache.ts';
import { ServiceError } from '../domain/errors.ts';
import { createAccountBatcher } from '../postgres/account-batch.ts';
import type { Database, Queryable, Transaction } from '../postgres/database.ts';
import { markOf } from '../security/compare.ts';
import { type MasterKeys, sealingKeyIdOf, WrongMasterKeyError } from '../security/master-key.ts';
import type { SealedSecret } from '../store/accounts/account-secrets.ts';
import {
  findAccount,
  findAccountRevisions,
  type StoredAccount,
} from '../store/accounts/accounts.ts';
import { batchBounds } from '../store/orders/batches.ts';

/** Undefined for an account that does not exist. */
type Cached = {
  readonly account: Account | undefined;
  readonly revision: number | undefined;
  readonly readAtMs: number;
  /** When a read or a check began that found it current. */
  currentAtMs: number;
};

export type AccountDirectory = ReturnType<typeof createAccountDirectory>;

export function createAccountDirectory(
  database: Database,
  masterKeys: MasterKeys,
  nowMs: () => number = () => performance.now(),
) {
  const { findReadAtMs, findCurrent, read, refreshOnce } = createAccountCache(
    database,
    masterKeys,
    nowMs,
  );
  const readsAgain = createBoundedCache<Promise<Account | undefined>>(
    accountLimits.accountsCachedMax,
    accountLimits.secretsCacheMsMax,
  );
  const find = async (accountId: string) => {
    const current = findCurrent(accountId);
    return current ? current.account : refreshOnce(accountId);
  };
  return {
    find,
    /** Like `find`, but reads through the transaction: a second connection for each transaction could exhaust the pool. */
    findWithin: async (tx: Transaction, accountId: string) => {
      const current = findCurrent(accountId);
      return current ? current.account : read(accountId, tx);
    },
    recall: (accountId: string) => findCurrent(accountId)?.account,
    /** For callers whose token contains the account id. */
    get: async (accountId: string) => {
      const account = await find(accountId);
      if (!account) throw new ServiceError('INVALID_TOKEN');
      return account;
    },
    /**
     * For a secret that did not match: it may be newer than the cache. Reads the account from the database at most once a
     * second, so that wrong secrets cost little. Callers within that second share the read. Contract 2.7. An account that
     * was read since the check of the secret began, by `performance.now()`, is recent enough.
     */
    readAgain: async (accountId: string, check?: { readonly begunAtMs: number }) => {
      const begunAtMs = check?.begunAtMs ?? Number.POSITIVE_INFINITY;
      if (findReadAtMs(accountId) >= begunAtMs) return find(accountId);
      const reading = readsAgain.get(accountId) ?? read(accountId);
      readsAgain.set(accountId, reading, { noUpdateTTL: true });
      // A failed read must not be shared for the rest of the second.
      reading.catch(() => readsAgain.delete(accountId));
      return reading;
    },
    /** Reads the database each time, so that whoever has just changed an account can try the change. */
    readNow: (accountId: string) => read(accountId),
  };
}

function createAccountCache(database: Database, masterKeys: MasterKeys, nowMs: () => number) {
  const cache = createBoundedCache<Cached>(accountLimits.accountsCachedMax);
  const refreshes = new Map<string, Promise<Account | undefined>>();
  const findRevision = createRevisionFinder(database);

  const read = async (accountId: string, connection: Queryable = database) => {
    const begunAtMs = nowMs();
    const stored = await findAccount(connection, accountId);
    const account = stored && (await openAccount(stored, masterKeys));
    const times = { readAtMs: nowMs(), currentAtMs: begunAtMs };
    cache.set(accountId, { account, revision: stored?.revision, ...times });
    return account;
  };
  const refresh = async (accountId: string, known: Cached | undefined) => {
    const begunAtMs = nowMs();
    const mayCheck = known?.account && begunAtMs - known.readAtMs < accountLimits.accountsReadMsMax;
    if (!mayCheck || (await findRevision(accountId)) !== known.revision) return read(accountId);
    known.currentAtMs = begunAtMs;
    return known.account;
  };
  return {
    read,
    /** Concurrent callers share one refresh. */
    refreshOnce: (accountId: string) => {
      const running =
        refreshes.get(accountId) ??
        refresh(accountId, cache.get(accountId)).finally(() => refreshes.delete(accountId));
      refreshes.set(accountId, running);
      return running;
    },
    findReadAtMs: (accountId: string) => cache.get(accountId)?.readAtMs ?? 0,
    findCurrent: (accountId: string) => {
      const known = cache.get(accountId);
      const isCurrent = known && nowMs() - known.currentAtMs < accountLimits.secretsCacheMsMax;
      return isCurrent ? known : undefined;
    },
  };
}

/** Concurrent callers share a statement. */
function createRevisionFinder(database: Database) {
  return createAccountBatcher({
    ...batchBounds,
    accountOf: (accountId) => accountId,
    watch: (countWaiting) => database.queueStats.addQueue('accounts', countWaiting),
    run: (accountIds: readonly string[]) => findAccountRevisions(database, accountIds),
  });
}

async function openAccount(stored: StoredAccount, masterKeys: MasterKeys): Promise<Account> {
  await masterKeys.learn(stored.secrets.map(({ sealed }) => sealingKeyIdOf(sealed)));
  const secrets: Record<SecretKind, LiveSecret[]> = {};
  for (const secret of stored.secrets) {
    const value = openSecret(masterKeys, stored.accountId, secret);
    const ofKind = secrets[secret.kind] ?? [];
    ofKind.push({ value, mark: markOf(value), expiresAt: secret.expiresAt });
    secrets[secret.kind] = ofKind;
  }
  return { ...stored, secrets };
}

export function openSecret(
  masterKeys: MasterKeys,
  accountId: string,
  { kind, secretId, sealed }: Pick<SealedSecret, 'kind' | 'secretId' | 'sealed'>,
): string {
  const masterKey = masterKeys.find(sealingKeyIdOf(sealed));
  if (!masterKey) throw new WrongMasterKeyError();
  return masterKey.open(sealed, rowOfSecret(accountId, kind, secretId));
}

/** A sealed secret is bound to its row and cannot be opened as the secret of another. */
export function rowOfSecret(accountId: string, kind: SecretKind, secretId: string): string {
  return `${accountId}/${kind}/${secretId}`;
}
