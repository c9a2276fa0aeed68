/**
 * Suspends or resumes an account. While it is suspended, its tokens are refused, and webhooks are still stored and
 * applied. Contract 2.8.
 */
import type { Actor } from '../../domain/audit.ts';
import type { Services } from '../../services/services.ts';
import { lockAccount, suspendAccount as saveSuspension } from '../../store/accounts/accounts.ts';
import { appendAudit } from '../../store/accounts/audit.ts';
import { unknownAccount } from './rotate-secret.ts';

export type Suspension = {
  readonly accountId: string;
  /** Null if the account is not suspended. */
  readonly suspendedAt: Date | null;
};

export function suspendAccount(
  services: Pick<Services, 'database' | 'clock'>,
  accountId: string,
  actor: Actor,
): Promise<Suspension> {
  return change(services, accountId, actor, true);
}

export function resumeAccount(
  services: Pick<Services, 'database' | 'clock'>,
  accountId: string,
  actor: Actor,
): Promise<Suspension> {
  return change(services, accountId, actor, false);
}

/** Idempotent. */
async function change(
  { database, clock }: Pick<Services, 'database' | 'clock'>,
  accountId: string,
  actor: Actor,
  suspend: boolean,
): Promise<Suspension> {
  return database.transaction(async (tx) => {
    const account = await lockAccount(tx, accountId);
    if (!account) throw unknownAccount(accountId);
    if ((account.suspendedAt !== null) === suspend) return account;
    const now = clock();
    const suspendedAt = suspend ? now : null;
    await saveSuspension(tx, accountId, suspendedAt);
    const action = suspend ? 'account.suspended' : 'account.resumed';
    await appendAudit(tx, actor, now, { accountId, action, object: accountId });
    return { accountId, suspendedAt };
  });
}
