/**
 * A signed-in user changes how they sign in: another password, one more passkey or one less. The caller has asked for the
 * password or a passkey again. Each change is in the log of each of the user's accounts. Contract 13.8.
 */
import type { AuditAction } from '../../domain/audit.ts';
import { refuseField, ServiceError } from '../../domain/errors.ts';
import { userLimits } from '../../domain/users/limits.ts';
import { checkPassword } from '../../domain/users/password.ts';
import { actorOf, type SignedIn, type Visitor } from '../../domain/users/session.ts';
import type { Transaction } from '../../postgres/database.ts';
import { isListed } from '../../security/common-passwords.ts';
import { hashPassword } from '../../security/passwords.ts';
import type { Services } from '../../services/services.ts';
import {
  deletePasskey,
  insertPasskey,
  type ListedPasskey,
  listPasskeysOfUser,
} from '../../store/users/passkeys.ts';
import { deleteSessionsOfUser } from '../../store/users/sessions.ts';
import { lockUser, savePasswordHash, type User } from '../../store/users/users.ts';
import { auditUser } from './audit-user.ts';
import {
  offerNewPasskey,
  type PasskeyResponse,
  proveNewPasskey,
  wrongPasskey,
} from './prove-passkey.ts';

export function listPasskeys({ database }: Pick<Services, 'database'>, { user }: SignedIn) {
  return listPasskeysOfUser(database, user.userId);
}

/** Sets the first one too. Returns how many other sessions ended: somebody may have known the former password. */
export async function changePassword(
  services: Pick<Services, 'database' | 'clock'>,
  signedIn: SignedIn,
  password: string,
  visitor: Visitor,
): Promise<number> {
  const passwordHash = await hashPassword(checkPassword(password, signedIn.user.email, isListed));
  const action = 'user.password_changed';
  const details = await change(services, signedIn, visitor, action, async (tx, { userId }) => {
    await savePasswordHash(tx, userId, passwordHash);
    const ended = await deleteSessionsOfUser(tx, userId, signedIn.session.sessionId);
    return { ended_sessions: ended };
  });
  return details.ended_sessions;
}

export async function offerPasskeyToAdd(
  services: Pick<Services, 'database' | 'clock' | 'settings'>,
  { user }: SignedIn,
) {
  const known = await listPasskeysOfUser(services.database, user.userId);
  refuseTooMany(known);
  const ids = known.map(({ credentialId }) => credentialId);
  // A challenge of one user is worth nothing to another.
  return offerNewPasskey(services, user.userId, user, ids);
}

export async function addPasskey(
  services: Pick<Services, 'database' | 'clock' | 'settings'>,
  signedIn: SignedIn,
  response: PasskeyResponse,
  visitor: Visitor,
): Promise<void> {
  const passkey = await proveNewPasskey(services, signedIn.user.userId, response);
  await change(services, signedIn, visitor, 'user.passkey_added', async (tx, { userId }, now) => {
    refuseTooMany(await listPasskeysOfUser(tx, userId));
    if (!(await insertPasskey(tx, { ...passkey, userId }, now))) throw wrongPasskey();
    return {};
  });
}

export async function removePasskey(
  services: Pick<Services, 'database' | 'clock'>,
  signedIn: SignedIn,
  credentialId: string,
  visitor: Visitor,
): Promise<void> {
  await change(services, signedIn, visitor, 'user.passkey_removed', async (tx, user) => {
    const known = await listPasskeysOfUser(tx, user.userId);
    if (!known.some((passkey) => passkey.credentialId === credentialId)) {
      throw new ServiceError('NOT_FOUND', 'You have no such passkey: it may have been removed.');
    }
    if (user.passwordHash === null && known.length === 1) {
      refuseField('passkey', 'is your only way to sign in: add another one or a password first');
    }
    await deletePasskey(tx, credentialId);
    return {};
  });
}

/**
 * `work` returns the details for the log. The lock of the user ends the race of two removals, which together would leave
 * no way to sign in.
 */
function change<Details extends Readonly<Record<string, unknown>>>(
  { database, clock }: Pick<Services, 'database' | 'clock'>,
  { user: { userId } }: SignedIn,
  visitor: Visitor,
  action: AuditAction,
  work: (tx: Transaction, user: User, now: Date) => Promise<Details>,
): Promise<Details> {
  return database.transaction(async (tx) => {
    const now = clock();
    const user = await lockUser(tx, userId);
    if (!user) throw new ServiceError('AUTHENTICATION_FAILED', 'The session has ended.');
    const details = await work(tx, user, now);
    await auditUser(tx, actorOf(user, visitor), now, action, userId, details);
    return details;
  });
}

function refuseTooMany(known: readonly ListedPasskey[]): void {
  if (known.length < userLimits.passkeysMax) return;
  refuseField('passkeys', `may be at most ${userLimits.passkeysMax}: remove one first`);
}
