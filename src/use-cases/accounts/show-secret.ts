/** Shows an owner the current secret of a kind. The log says who saw it, not what it is. Contract 13.8. */
import type { SecretKind } from '../../domain/accounts/account.ts';
import { type Actor, auditEntry } from '../../domain/audit.ts';
import { ServiceError } from '../../domain/errors.ts';
import type { Clock } from '../../domain/time.ts';
import type { Database } from '../../postgres/database.ts';
import { sealingKeyIdOf } from '../../security/master-key.ts';
import type { MasterKeys } from '../../security/master-keys.ts';
import { openSecret } from '../../services/account-directory.ts';
import { listSecrets } from '../../store/accounts/account-secrets.ts';
import { appendAudit } from '../../store/accounts/audit.ts';
import { checkKind } from './rotate-secret.ts';

type Needs = {
  readonly database: Database;
  readonly masterKeys: MasterKeys;
  readonly clock: Clock;
};

export async function showSecret(
  { database, masterKeys, clock }: Needs,
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
