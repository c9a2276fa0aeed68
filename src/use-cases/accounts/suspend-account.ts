/**
 * Suspends or resumes an account. While it is suspended, its tokens are refused, and webhooks are still stored and
 * applied. Contract 2.8.
 */
import type { Actor } from '../../domain/audit.ts';
import type { Services } from '../../services/services.ts';
import { lockAccount, suspendAccount as saveSuspension } from '../../store/accounts/accounts.ts';
import { appendAudit } from '../../store/accounts/audit.ts';
import { unknownAccount } from './rotate-secret.ts';

export const suspendAccount = changeTo('suspended');
export const resumeAccount = changeTo('resumed');

/** Idempotent. Returns since when the account is suspended; null if it is not. */
function changeTo(state: 'suspended' | 'resumed') {
  return (
    { database, clock }: Pick<Services, 'database' | 'clock'>,
    accountId: string,
    actor: Actor,
  ): Promise<{ readonly suspendedAt: Date | null }> =>
    database.transaction(async (tx) => {
      const account = await lockAccount(tx, accountId);
      if (!account) throw unknownAccount(accountId);
      if ((account.suspendedAt !== null) === (state === 'suspended')) return account;
      const now = clock();
      const suspendedAt = state === 'suspended' ? now : null;
      await saveSuspension(tx, accountId, suspendedAt);
      const action = `account.${state}` as const;
      await appendAudit(tx, actor, now, { accountId, action, object: accountId });
      return { suspendedAt };
    });
}
