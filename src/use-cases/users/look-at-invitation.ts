/** What a one-time link is for, before it is used. */
import type { Role } from '../../domain/users/role.ts';
import type { Services } from '../../services/services.ts';
import { getInvitation } from './accept-invitation.ts';

type SeenInvitation = {
  readonly email: string;
  readonly expiresAt: Date;
  /** Null for new credentials after a reset. */
  readonly account: { readonly name: string; readonly role: Role } | null;
};

/**
 * Answers the same whether the address has a user or not. The person who invites has the link too, and must not learn
 * which addresses have users at other accounts. Contract 13.2.
 */
export async function lookAtInvitation(
  services: Pick<Services, 'database' | 'accounts' | 'clock'>,
  token: string,
): Promise<SeenInvitation> {
  const { email, expiresAt, accountId, role } = await getInvitation(services, token);
  if (accountId === null) return { email, expiresAt, account: null };
  const name = (await services.accounts.find(accountId))?.name ?? '';
  return { email, expiresAt, account: { name, role } };
}
