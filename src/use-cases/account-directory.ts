/**
 * Accounts as the hot path reads them: secrets opened, kept for at most a second, so that a
 * rotation is seen by every process soon and most requests ask the database nothing.
 */
import { LRUCache } from 'lru-cache';
import type { Account, LiveSecret, SecretKind } from '../domain/account.ts';
import { ServiceError } from '../domain/errors.ts';
import { limits } from '../domain/limits.ts';
import type { MasterKey } from '../security/master-key.ts';
import { findAccount, type StoredAccount } from '../store/accounts.ts';
import type { Database } from '../store/database.ts';

export type AccountDirectory = {
  readonly find: (accountId: string) => Promise<Account | undefined>;
  /** For callers whose token names the account; a token of an account that is gone is not valid. */
  readonly get: (accountId: string) => Promise<Account>;
};

export function createAccountDirectory(database: Database, masterKey: MasterKey): AccountDirectory {
  const absent = 'absent';
  const cache = new LRUCache<string, Account | typeof absent>({
    max: limits.accountsCachedMax,
    ttl: limits.secretsCacheMsMax,
    // Callers that arrive together share one look-up.
    fetchMethod: async (accountId) => {
      const stored = await findAccount(database, accountId);
      return stored ? openAccount(stored, masterKey) : absent;
    },
  });
  const find = async (accountId: string) => {
    const found = await cache.fetch(accountId);
    return found === absent ? undefined : found;
  };
  return {
    find,
    get: async (accountId) => {
      const account = await find(accountId);
      if (!account) throw new ServiceError('INVALID_TOKEN');
      return account;
    },
  };
}

export function openAccount(stored: StoredAccount, masterKey: MasterKey): Account {
  const secrets: Record<SecretKind, LiveSecret[]> = {
    'access-secret': [],
    'partner-webhook-secret': [],
    'bank-gateway-secret': [],
    'consumer-id-key': [],
  };
  for (const { kind, secretId, sealed, expiresAt } of stored.secrets) {
    const value = masterKey.open(sealed, rowOfSecret(stored.accountId, kind, secretId));
    secrets[kind].push({ value, expiresAt });
  }
  return { ...stored, secrets };
}

/** What a sealed secret is tied to, so that it opens in its own row only. */
export function rowOfSecret(accountId: string, kind: SecretKind, secretId: string): string {
  return `${accountId}/${kind}/${secretId}`;
}
