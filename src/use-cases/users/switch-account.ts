/** Chooses the account that a session shows. The choice is stored, so it is the same in every tab. */
import { ServiceError } from '../../domain/errors.ts';
import type { SignedIn } from '../../domain/users/session.ts';
import type { Services } from '../../services/services.ts';
import { saveChosenAccount } from '../../store/users/sessions.ts';

export async function switchAccount(
  { database }: Pick<Services, 'database'>,
  { session, accounts }: SignedIn,
  accountId: string,
): Promise<SignedIn['account']> {
  const account = accounts.find((own) => own.accountId === accountId);
  // The same answer for an account of others as for one that does not exist.
  if (!account) throw new ServiceError('NOT_FOUND', 'You do not belong to this account.');
  await saveChosenAccount(database, session.sessionId, accountId);
  return account;
}
