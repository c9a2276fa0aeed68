/** Signs a user in with a password or a passkey. Both open a new session. Contract 13.2. */
import { foldUserEmail } from '../../domain/users/email.ts';
import { actorOf, decideFirstAccount } from '../../domain/users/session.ts';
import type { Transaction } from '../../postgres/database.ts';
import type { Services } from '../../services/services.ts';
import { listAccountsOfUser } from '../../store/users/memberships.ts';
import { listSessionsOfUser } from '../../store/users/sessions.ts';
import type { User } from '../../store/users/users.ts';
import { auditUser } from './audit-user.ts';
import { offerPasskey, type PasskeyResponse, provePasskey } from './prove-passkey.ts';
import { provePassword } from './prove-password.ts';
import { type Caller, openSession } from './sessions.ts';

/** Returns the secret of the new session. */
export function signInWithPassword(
  services: Pick<Services, 'database' | 'clock'>,
  { email, password }: { readonly email: string; readonly password: string },
  caller: Caller,
): Promise<string> {
  const { address, device } = caller;
  const credentials = { email: foldUserEmail(email), password, address, device };
  const refusal = 'The e-mail address or the password is wrong: check both and try again.';
  return provePassword(services, credentials, refusal, beginWith('password', caller));
}

const purpose = { purpose: 'sign_in', subject: null } as const;

export function offerPasskeySignIn(services: Pick<Services, 'database' | 'clock' | 'settings'>) {
  return offerPasskey(services, purpose);
}

export function signInWithPasskey(
  services: Pick<Services, 'database' | 'clock' | 'settings'>,
  response: PasskeyResponse,
  caller: Caller,
): Promise<string> {
  return provePasskey(services, purpose, response, beginWith('passkey', caller));
}

function beginWith(way: 'password' | 'passkey', caller: Caller) {
  return async (tx: Transaction, user: User, now: Date) => {
    const { userId } = user;
    await auditUser(tx, actorOf(user, caller), now, 'user.signed_in', userId, { with: way });
    const accounts = await listAccountsOfUser(tx, userId);
    const sessions = await listSessionsOfUser(tx, userId);
    // Stored with the session, so that it goes on showing the same account when another one is added or renamed.
    const accountId = decideFirstAccount(sessions, accounts)?.accountId ?? null;
    return openSession(tx, now, user, accountId, caller);
  };
}
