/** Makes a user a member of the account that an invitation is for, with its entry in the audit log. Contract 13.2. */
import { type Actor, auditEntry } from '../../domain/audit.ts';
import { ServiceError } from '../../domain/errors.ts';
import type { Membership } from '../../domain/users/role.ts';
import type { Transaction } from '../../postgres/database.ts';
import { appendAudit } from '../../store/accounts/audit.ts';
import { insertMembership, listAccountsOfUser } from '../../store/users/memberships.ts';

export async function becomeMember(
  tx: Transaction,
  actor: Actor,
  now: Date,
  { accountId, userId, role }: Membership,
): Promise<void> {
  // Somebody who is a member keeps their role.
  if (!(await insertMembership(tx, { accountId, userId, role }, now))) return;
  const accounts = await listAccountsOfUser(tx, userId);
  // Nothing of a suspended account changes. The link can be used afterwards.
  if (accounts.some((own) => own.accountId === accountId && own.isSuspended)) {
    throw new ServiceError('ACCOUNT_SUSPENDED');
  }
  const joined = { accountId, action: 'user.joined', object: userId, details: { role } } as const;
  await appendAudit(tx, auditEntry(actor, now, joined));
}
