/** Rotates the keys behind everything: those that sign tokens, and the master key itself. */
import { newKeyId } from '../../domain/ids.ts';
import { addSeconds, type Clock } from '../../domain/time.ts';
import type { Database } from '../../postgres/database.ts';
import type { MasterKeys } from '../../security/master-keys.ts';
import { openSecret, sealAgain } from '../../services/account-directory.ts';
import { updateSealedSecret } from '../../store/account-secrets.ts';
import { listAccounts, lockAccount } from '../../store/accounts.ts';
import { endSigningKeys, insertSigningKey } from '../../store/signing-keys.ts';

type Needs = {
  readonly database: Database;
  readonly masterKeys: MasterKeys;
  readonly clock: Clock;
};

export type RotatedSigningKey = { readonly keyId: string; readonly oldValidUntil: Date };

/** Tokens of the former keys stay valid for the overlap; the new key signs once all have read it. */
export async function rotateSigningKey(
  services: Needs,
  overlapSeconds: number,
): Promise<RotatedSigningKey> {
  const now = services.clock();
  const keyId = newKeyId();
  const oldValidUntil = addSeconds(now, overlapSeconds);
  const masterKeyId = services.masterKeys.current().id;
  await services.database.transaction(async (tx) => {
    await endSigningKeys(tx, oldValidUntil);
    await insertSigningKey(tx, { keyId, masterKeyId, createdAt: now, expiresAt: null });
  });
  return { keyId, oldValidUntil };
}

/**
 * Seals every stored secret again with the current master key, account by account, and signs with a
 * key derived from it. Every process must know both keys before this is run.
 */
export async function rewrapSecrets(services: Needs): Promise<number> {
  const current = services.masterKeys.current();
  let rewrapped = 0;
  for (const { accountId } of await listAccounts(services.database)) {
    rewrapped += await services.database.transaction(async (tx) => {
      const account = await lockAccount(tx, accountId);
      const foreign = account?.secrets.filter(({ sealed }) => !current.hasSealed(sealed)) ?? [];
      for (const secret of foreign) {
        const value = openSecret(services.masterKeys, accountId, secret);
        const sealed = sealAgain(current, accountId, secret, value);
        await updateSealedSecret(tx, accountId, { ...secret, sealed });
      }
      return foreign.length;
    });
  }
  return rewrapped;
}
