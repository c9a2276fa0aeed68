/** What a one-time link is for, before it is used. */
import type { Role } from '../../domain/users/role.ts';
import type { AccountDirectory } from '../../services/account-directory.ts';
import { findUserByEmail } from '../../store/users.ts';
import { getInvitation } from './accept-invitation.ts';
import type { PasskeyNeeds } from './prove-passkey.ts';

type Needs = PasskeyNeeds & { readonly accounts: Pick<AccountDirectory, 'find'> };

export type SeenInvitation = {
  readonly email: string;
  readonly expiresAt: Date;
  /** Null for new credentials after a reset. */
  readonly account: { readonly name: string; readonly role: Role } | null;
  /** `join` for a user who exists already: they sign in and join. */
  readonly way: 'set_credentials' | 'join';
};

/** Only who has the link learns whether its address belongs to a user. */
export async function lookAtInvitation(needs: Needs, token: string): Promise<SeenInvitation> {
  const { email, expiresAt, accountId, role } = await getInvitation(needs, token);
  if (accountId === null) return { email, expiresAt, account: null, way: 'set_credentials' };
  const isKnown = (await findUserByEmail(needs.database, email)) !== undefined;
  const name = (await needs.accounts.find(accountId))?.name ?? '';
  return {
    ...{ email, expiresAt, account: { name, role } },
    way: isKnown ? 'join' : 'set_credentials',
  };
}
