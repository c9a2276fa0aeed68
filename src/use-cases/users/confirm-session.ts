/**
 * Asks a signed-in user for the password or a passkey again, before something that a stolen cookie must not do. The
 * session gets a new secret, so a cookie that was copied before cannot use the confirmation. Contract 13.2.
 */
import { ServiceError } from '../../domain/errors.ts';
import {
  confirmedUntil,
  isConfirmedAgain,
  type SignedIn,
  type Visitor,
} from '../../domain/users/session.ts';
import type { Transaction } from '../../postgres/database.ts';
import { digestOfToken, newOpaqueToken } from '../../security/opaque-token.ts';
import type { Services } from '../../services/services.ts';
import { renewSession } from '../../store/users/sessions.ts';
import { offerPasskey, type PasskeyResponse, provePasskey, wrongPasskey } from './prove-passkey.ts';
import { provePassword } from './prove-password.ts';

/** Returns the new secret of the session. */
export function confirmWithPassword(
  services: Pick<Services, 'database' | 'clock'>,
  { session, user }: SignedIn,
  password: string,
  { address }: Visitor,
): Promise<string> {
  const { sessionId } = session;
  const credentials = { email: user.email, password, address, sessionId };
  // The e-mail address is that of the session, so only the password can be wrong.
  return provePassword(services, credentials, 'The password is wrong.', (tx, _user, now) =>
    renew(tx, sessionId, now),
  );
}

export function offerConfirmation(
  services: Pick<Services, 'database' | 'clock' | 'settings'>,
  { session }: SignedIn,
) {
  return offerPasskey(services, { purpose: 'confirmation', subject: session.sessionId });
}

export function confirmWithPasskey(
  services: Pick<Services, 'database' | 'clock' | 'settings'>,
  { session, user }: SignedIn,
  response: PasskeyResponse,
): Promise<string> {
  const purpose = { purpose: 'confirmation', subject: session.sessionId } as const;
  return provePasskey(services, purpose, response, async (tx, owner, now) => {
    // A passkey of another user proves that user.
    if (owner.userId !== user.userId) throw wrongPasskey();
    return renew(tx, session.sessionId, now);
  });
}

export async function renew(tx: Transaction, sessionId: string, confirmedAt: Date) {
  const secret = newOpaqueToken();
  const secretDigest = digestOfToken(secret);
  if (await renewSession(tx, sessionId, { secretDigest, confirmedAt })) return secret;
  throw new ServiceError('AUTHENTICATION_FAILED', 'The session has ended: sign in again.');
}

/** Throws `CONFIRMATION_REQUIRED` when the last confirmation is too long ago. Signing in counts as one. */
export function requireConfirmation({ clock }: Pick<Services, 'clock'>, { session }: SignedIn) {
  if (clock() >= confirmedUntil(session)) throw new ServiceError('CONFIRMATION_REQUIRED');
}

/** For whatever shows a stored secret: signing in does not count. Contract 13.8. */
export function requireConfirmationAgain(services: Pick<Services, 'clock'>, signedIn: SignedIn) {
  requireConfirmation(services, signedIn);
  if (!isConfirmedAgain(signedIn.session)) throw new ServiceError('CONFIRMATION_REQUIRED');
}
