/** Issues and verifies tokens with the ring of signing keys kept in the database. */
import { limits } from '../domain/limits.ts';
import type { Clock } from '../domain/time.ts';
import type { MasterKey } from '../security/master-key.ts';
import { type Caller, createKeyRing, type IssuedToken, type KeyRing } from '../security/tokens.ts';
import type { Database } from '../store/database.ts';
import { insertSigningKey, listSigningKeys } from '../store/signing-keys.ts';

export type TokenService = {
  /** Reads the ring before the first request needs it; the very first time, makes a key. */
  readonly prepare: () => Promise<void>;
  readonly issue: (caller: Caller) => Promise<IssuedToken>;
  readonly verify: (token: string) => Promise<Caller>;
};

export function createTokenService(
  database: Database,
  masterKey: MasterKey,
  clock: Clock,
): TokenService {
  let current: { ring: KeyRing; readAt: number } | undefined;
  let reading: Promise<KeyRing> | undefined;

  /** One read for all who wait. A ring that cannot be renewed now stays in use: its keys are true. */
  const renew = (): Promise<KeyRing> => {
    reading ??= readKeyRing(database, masterKey, clock)
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
  const isFresh = () =>
    current !== undefined && performance.now() - current.readAt < limits.secretsCacheMsMax;
  const ring = async () => (current && isFresh() ? current.ring : renew());

  return {
    prepare: async () => {
      await ring();
    },
    issue: async (caller) => (await ring()).issue(caller, clock()),
    verify: async (token) => (await ring()).verify(token, clock()),
  };
}

async function readKeyRing(
  database: Database,
  masterKey: MasterKey,
  clock: Clock,
): Promise<KeyRing> {
  const keys = (await listSigningKeys(database)).filter((key) => key.masterKeyId === masterKey.id);
  if (keys.length === 0) return createFirstKey(database, masterKey, clock);
  return createKeyRing(
    keys.map((key) => ({ ...key, secret: masterKey.deriveSigningKey(key.keyId) })),
  );
}

/** The first key of a master key has a name of its own, so that processes starting together agree. */
async function createFirstKey(
  database: Database,
  masterKey: MasterKey,
  clock: Clock,
): Promise<KeyRing> {
  const keyId = `key_${masterKey.id}`;
  const first = { keyId, masterKeyId: masterKey.id, createdAt: clock(), expiresAt: null };
  await insertSigningKey(database, first);
  return readKeyRing(database, masterKey, clock);
}
