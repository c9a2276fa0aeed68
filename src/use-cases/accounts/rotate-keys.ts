/** Rotates the keys that sign tokens, and encrypts all secrets with a new master key. */
import type { Actor } from '../../domain/audit.ts';
import { newKeyId } from '../../domain/ids.ts';
import { addSeconds } from '../../domain/time.ts';
import { openSecret, rowOfSecret } from '../../services/account-directory.ts';
import type { Services } from '../../services/services.ts';
import { updateSealedSecret } from '../../store/accounts/account-secrets.ts';
import { listAccountIds, lockAccount } from '../../store/accounts/accounts.ts';
import { appendAudit } from '../../store/accounts/audit.ts';
import { endSigningKeys, insertSigningKey } from '../../store/accounts/signing-keys.ts';

/**
 * The key signs for every account, so the log of every account says that it was replaced. Tokens of the old keys stay
 * valid for the overlap. The new key signs once every process has read it.
 */
export async function rotateSigningKey(
  services: Pick<Services, 'database' | 'masterKeys' | 'clock'>,
  overlapSeconds: number,
  actor: Actor,
) {
  const now = services.clock();
  const keyId = newKeyId();
  const oldValidUntil = addSeconds(now, overlapSeconds);
  const masterKeyId = services.masterKeys.current().id;
  await services.database.transaction(async (tx) => {
    await endSigningKeys(tx, oldValidUntil);
    await insertSigningKey(tx, { keyId, masterKeyId, createdAt: now, expiresAt: null });
    const details = { old_valid_until: oldValidUntil };
    const done = { action: 'keys.signing_rotated', object: keyId, details } as const;
    const accountIds = await listAccountIds(tx);
    const audited = accountIds.map((accountId) => ({ ...done, accountId }));
    await appendAudit(tx, actor, now, audited);
  });
  return { keyId, oldValidUntil };
}

/**
 * Encrypts every stored secret with the current master key, one account at a time. Every process must have both master
 * keys before this runs.
 */
export async function rewrapSecrets(
  services: Pick<Services, 'database' | 'masterKeys' | 'clock'>,
  actor: Actor,
): Promise<number> {
  const current = services.masterKeys.current();
  let rewrapped = 0;
  for (const accountId of await listAccountIds(services.database)) {
    rewrapped += await services.database.transaction(async (tx) => {
      const account = await lockAccount(tx, accountId);
      const foreign = account?.secrets.filter(({ sealed }) => !current.hasSealed(sealed)) ?? [];
      for (const secret of foreign) {
        const value = openSecret(services.masterKeys, accountId, secret);
        const sealed = current.seal(value, rowOfSecret(accountId, secret.kind, secret.secretId));
        await updateSealedSecret(tx, accountId, { ...secret, sealed });
      }
      if (foreign.length > 0) {
        const details = { secrets: foreign.length };
        const done = { accountId, action: 'keys.master_rotated', object: current.id } as const;
        await appendAudit(tx, actor, services.clock(), { ...done, details });
      }
      return foreign.length;
    });
  }
  return rewrapped;
}
