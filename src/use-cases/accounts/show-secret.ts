/** Shows an owner the current secret of a kind. The log says who saw it, not what it is. Contract 13.8. */
import type { SecretKind } from '../../domain/accounts/account.ts';
import { type Actor, auditEntry } from '../../domain/audit.ts';
import { ServiceError } from '../../domain/errors.ts';
import { sealingKeyIdOf } from '../../security/master-key.ts';
import { openSecret } from '../../services/account-directory.ts';
import type { Services } from '../../services/services.ts';
import { listSecrets } from '../../store/accounts/account-secrets.ts';
import { appendAudit } from '../../store/accounts/audit.ts';
import { checkKind } from './rotate-secret.ts';

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
    const shown = { accountId, action: 'secret.shown', object: kind } as const;
    await appendAudit(tx, auditEntry(actor, clock(), shown));
    return value;
  });
}
