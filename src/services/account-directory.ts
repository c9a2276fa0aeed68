/**
 * Accounts for the hot path, with their secrets opened. They are cached for at most a second, so that every
 * process sees a rotation soon and most requests need no query.
 */
import { LRUCache } from 'lru-cache';
import type { Account, LiveSecret, SecretKind } from '../domain/accounts/account.ts';
import { ServiceError } from '../domain/errors.ts';
import { limits } from '../domain/limits.ts';
import type { Database } from '../postgres/database.ts';
import { markOf } from '../security/compare.ts';
import { type MasterKey, sealingKeyIdOf, WrongMasterKeyError } from '../security/master-key.ts';
import type { MasterKeys } from '../security/master-keys.ts';
import type { SealedSecret } from '../store/account-secrets.ts';
import { findAccount, type StoredAccount } from '../store/accounts.ts';

/** When the check of a secret began, by `performance.now()`: an account read since then is recent enough. */
export type Proof = { readonly begunAtMs: number };

export type AccountDirectory = {
  readonly find: (accountId: string) => Promise<Account | undefined>;
  /** The account if it is cached. */
  readonly recall: (accountId: string) => Account | undefined;
  /** Throws `INVALID_TOKEN` if the account does not exist: for callers whose token contains the account id. */
  readonly get: (accountId: string) => Promise<Account>;
  /**
   * For a secret that did not match: it may be newer than the cache. Reads the account from the database at most once a
   * second, so that wrong secrets cost little. Callers within that second share the read. Contract 2.7.
   */
  readonly readAgain: (accountId: string, proof?: Proof) => Promise<Account | undefined>;
};

export function createAccountDirectory(
  database: Database,
  masterKeys: MasterKeys,
): AccountDirectory {
  const absent = 'absent';
  const bounds = { max: limits.accountsCachedMax, ttl: limits.secretsCacheMsMax };
  const cache = new LRUCache<string, Account | typeof absent>(bounds);
  const readAt = new LRUCache<string, number>(bounds);
  const reads = new Map<string, Promise<Account | typeof absent>>();
  const readsAgain = new LRUCache<string, Promise<Account | typeof absent>>(bounds);

  const read = async (accountId: string): Promise<Account | typeof absent> => {
    const stored = await findAccount(database, accountId);
    const account = stored ? await openAccount(stored, masterKeys) : absent;
    cache.set(accountId, account);
    readAt.set(accountId, performance.now());
    return account;
  };
  /** Concurrent callers share one read. */
  const readOnce = (accountId: string) => {
    const reading = reads.get(accountId) ?? read(accountId).finally(() => reads.delete(accountId));
    reads.set(accountId, reading);
    return reading;
  };
  const find = async (accountId: string) => {
    const found = cache.get(accountId) ?? (await readOnce(accountId));
    return found === absent ? undefined : found;
  };
  return {
    find,
    recall: (accountId) => {
      const known = cache.get(accountId);
      return known === absent ? undefined : known;
    },
    get: async (accountId) => {
      const account = await find(accountId);
      if (!account) throw new ServiceError('INVALID_TOKEN');
      return account;
    },
    readAgain: async (accountId, { begunAtMs } = { begunAtMs: Number.POSITIVE_INFINITY }) => {
      if ((readAt.get(accountId) ?? 0) >= begunAtMs) return find(accountId);
      const reading = readsAgain.get(accountId) ?? read(accountId);
      readsAgain.set(accountId, reading, { noUpdateTTL: true });
      // A failed read must not be shared for the rest of the second.
      reading.catch(() => readsAgain.delete(accountId));
      const found = await reading;
      return found === absent ? undefined : found;
    },
  };
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

type SecretRow = Pick<SealedSecret, 'kind' | 'secretId' | 'sealed'>;

export function openSecret(masterKeys: MasterKeys, accountId: string, secret: SecretRow): string {
  const masterKey = masterKeys.find(sealingKeyIdOf(secret.sealed));
  if (!masterKey) throw new WrongMasterKeyError();
  return masterKey.open(secret.sealed, rowOfSecret(accountId, secret.kind, secret.secretId));
}

export function sealAgain(
  masterKey: MasterKey,
  accountId: string,
  { kind, secretId }: SecretRow,
  value: string,
): Buffer {
  return masterKey.seal(value, rowOfSecret(accountId, kind, secretId));
}

/** A sealed secret is bound to its row and cannot be opened as the secret of another. */
export function rowOfSecret(accountId: string, kind: SecretKind, secretId: string): string {
  return `${accountId}/${kind}/${secretId}`;
}
