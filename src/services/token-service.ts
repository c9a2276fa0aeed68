/** Issues and verifies tokens with the ring of signing keys that the database stores. */
import { accountLimits } from '../domain/accounts/limits.ts';
import { createBoundedCache } from '../domain/bounded-cache.ts';
import type { Clock } from '../domain/time.ts';
import type { Database } from '../postgres/database.ts';
import type { MasterKeys } from '../security/master-key.ts';
import {
  createKeyRing,
  type KeyRing,
  type Subject,
  type VerifiedToken,
} from '../security/tokens.ts';
import { insertSigningKey, listSigningKeys } from '../store/accounts/signing-keys.ts';

export type TokenService = ReturnType<typeof createTokenService>;

export function createTokenService(database: Database, masterKeys: MasterKeys, clock: Clock) {
  // A token is sent many times, and its verification stays valid until it expires.
  const verified = createBoundedCache<VerifiedToken>(accountLimits.tokensCachedMax);
  let current: { ring: KeyRing; readAt: number } | undefined;
  let reading: Promise<KeyRing> | undefined;

  /** Concurrent callers share one read. If it fails, the current ring stays in use: its keys are still valid. */
  const renew = (): Promise<KeyRing> => {
    reading ??= readKeyRing(database, masterKeys, clock)
      .then((ring) => {
        current = { ring, readAt: performance.now() };
        return ring;
      })
      .catch((error: unknown) => {
        if (current) return current.ring;
        throw error;
      })
      .finally(() => {
        reading = undefined;
      });
    return reading;
  };
  const findFresh = () =>
    current && performance.now() - current.readAt < accountLimits.secretsCacheMsMax
      ? current.ring
      : undefined;

  return {
    /** Reads the ring before the first request needs it, and creates the first key if there is none. */
    prepare: async () => {
      if (!findFresh()) await renew();
    },
    /** Valid for the lifetime of its type, or until `expiresAt`. */
    issue: async (subject: Subject, expiresAt?: Date) =>
      (findFresh() ?? (await renew())).issue(subject, clock(), expiresAt),
    verify: async (token: string) => {
      const now = clock();
      const keys = findFresh() ?? (await renew());
      const known = verified.get(token);
      if (known && known.expiresAtMs > now.getTime() && keys.isLive(known.keyId, now)) {
        return known.caller;
      }
      const fresh = keys.verify(token, now);
      verified.set(token, fresh);
      return fresh.caller;
    },
  };
}

async function readKeyRing(database: Database, masterKeys: MasterKeys, clock: Clock) {
  const stored = await listSigningKeys(database);
  await masterKeys.learn(stored.map(({ masterKeyId }) => masterKeyId));
  const keys = stored.flatMap((key) => {
    const masterKey = masterKeys.find(key.masterKeyId);
    return masterKey ? [{ ...key, secret: masterKey.deriveSigningKey(key.keyId) }] : [];
  });
  if (keys.length > 0) return createKeyRing(keys);
  // The id of the first key derives from the master key, so that processes that start together create the same one.
  const masterKeyId = masterKeys.current().id;
  const keyId = `key_${masterKeyId}`;
  await insertSigningKey(database, { keyId, masterKeyId, createdAt: clock(), expiresAt: null });
  return readKeyRing(database, masterKeys, clock);
}
