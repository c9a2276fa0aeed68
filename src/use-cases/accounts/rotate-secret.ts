/** Gives an account a new secret, and shows an owner the current one. Contract 1.6 and 13.8. */
import type { SecretKind } from '../../domain/accounts/account.ts';
import type { Actor } from '../../domain/audit.ts';
import { refuseField, ServiceError } from '../../domain/errors.ts';
import { addSeconds } from '../../domain/time.ts';
import { listRotatableSecretKinds } from '../../providers/account-settings.ts';
import { sealingKeyIdOf } from '../../security/master-key.ts';
import { openSecret } from '../../services/account-directory.ts';
import type { Services } from '../../services/services.ts';
import { endSecrets, insertSecret, listSecrets } from '../../store/accounts/account-secrets.ts';
import { lockAccount } from '../../store/accounts/accounts.ts';
import { appendAudit } from '../../store/accounts/audit.ts';
import { newSecretValue, sealSecret } from './create-account.ts';

export async function rotateSecret(
  services: Pick<Services, 'database' | 'masterKeys' | 'clock'>,
  accountId: string,
  kind: SecretKind,
  overlapSeconds: number,
  actor: Actor,
  given?: string,
) {
  checkKind(kind);
  const secret = given === undefined ? newSecretValue(kind) : checkGiven(kind, given);
  const now = services.clock();
  const oldValidUntil = addSeconds(now, overlapSeconds);
  await services.database.transaction(async (tx) => {
    if (!(await lockAccount(tx, accountId))) throw unknownAccount(accountId);
    await endSecrets(tx, accountId, kind, oldValidUntil);
    await insertSecret(tx, accountId, sealSecret(services, accountId, kind, secret), now);
    const details = { old_valid_until: oldValidUntil };
    const action = 'secret.rotated';
    await appendAudit(tx, actor, now, { accountId, action, object: kind, details });
  });
  return { accountId, secret, oldValidUntil };
}

/** The secrets that an owner can see and rotate. Those that a provider issued are never shown. */
function checkKind(kind: SecretKind): void {
  if (listRotatableSecretKinds().includes(kind)) return;
  throw new ServiceError('NOT_FOUND', `There is no secret ${kind} that can be shown or rotated.`);
}

/** Some providers generate the webhook secret themselves and let nobody choose it. */
function checkGiven(kind: SecretKind, given: string): string {
  if (kind === 'access-secret') refuseField(kind, 'is always generated: leave out the value');
  // What a header can carry, and long enough not to be guessed.
  if (!/^[!-~]{16,256}$/.test(given)) {
    refuseField(kind, 'must have 16 to 256 visible ASCII characters');
  }
  return given;
}

export function unknownAccount(accountId: string): ServiceError {
  return new ServiceError('NOT_FOUND', `There is no account ${accountId}: see "account list".`);
}

/** The log says who saw it, not what it is. */
export async function showSecret(
  { database, masterKeys, clock }: Pick<Services, 'database' | 'masterKeys' | 'clock'>,
  accountId: string,
  kind: SecretKind,
  actor: Actor,
): Promise<string> {
  checkKind(kind);
  return database.transaction(async (tx) => {
    const secrets = await listSecrets(tx, accountId);
    const current = secrets.find((secret) => secret.kind === kind && secret.expiresAt === null);
    if (!current) throw new ServiceError('NOT_FOUND', `The account has no secret ${kind}.`);
    await masterKeys.learn([sealingKeyIdOf(current.sealed)]);
    const value = openSecret(masterKeys, accountId, current);
    await appendAudit(tx, actor, clock(), { accountId, action: 'secret.shown', object: kind });
    return value;
  });
}
