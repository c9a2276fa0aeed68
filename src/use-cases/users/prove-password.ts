/**
 * Checks a password. Who is unknown, has no password or gives a wrong one gets the same answer in the same time, and
 * failures delay the next sign-in. Every transaction locks the row of the address first. Contract 13.2,
 * docs/decisions/0064.
 */
import { ServiceError } from '../../domain/errors.ts';
import { addSeconds } from '../../domain/time.ts';
import { decideFailures, isCountToNote, secondsToWait } from '../../domain/users/back-off.ts';
import { userLimits } from '../../domain/users/limits.ts';
import { networkOf } from '../../domain/users/network.ts';
import { foldPassword } from '../../domain/users/password.ts';
import type { Transaction } from '../../postgres/database.ts';
import { digestOfText } from '../../security/opaque-token.ts';
import { hashPassword, isOutdated, isPassword } from '../../security/passwords.ts';
import type { Services } from '../../services/services.ts';
import {
  deleteFailures,
  deleteFailuresBelow,
  findFirstSubject,
  lockFailures,
  saveFailures,
  takeBackFailure,
} from '../../store/users/sign-in-failures.ts';
import { findUserByEmail, lockUser, savePasswordHash, type User } from '../../store/users/users.ts';
import { auditUser } from './audit-user.ts';

/** Who gives a password, and from where. */
type Claimant = {
  readonly email: string;
  readonly address: string;
  /** The cookie that the browser got at its first sign-in. */
  readonly device?: string | undefined;
  /** Of somebody who is signed in. */
  readonly sessionId?: string;
};

/** Runs `work` in a transaction that has locked the user. `refusal` says that the credentials are wrong. */
export async function provePassword<Result>(
  services: Pick<Services, 'database' | 'clock'>,
  { password, ...claimant }: Claimant & { readonly password: string },
  refusal: string,
  work: (tx: Transaction, user: User, now: Date) => Promise<Result>,
): Promise<Result> {
  const { database, clock } = services;
  const wrongCredentials = () => new ServiceError('AUTHENTICATION_FAILED', refusal);
  const attempt = await claimAttempt(services, claimant);
  const { subject, address } = attempt;
  const given = foldPassword(password);
  const user = await findUserByEmail(database, claimant.email);
  const isRight = await isPassword(user?.passwordHash, given).catch(async (error: unknown) => {
    // The password was not looked at.
    await database.transaction(async (tx) => {
      await takeBackFailure(tx, address, clock());
      await takeBackFailure(tx, subject, clock());
    });
    throw error;
  });
  if (!user?.passwordHash || !isRight) {
    await auditFailure(services, attempt, user, claimant);
    throw wrongCredentials();
  }
  const better = isOutdated(user.passwordHash) ? await hashPassword(given) : undefined;
  return database.transaction(async (tx) => {
    const locked = await lockUser(tx, user.userId);
    // A reset between the check and the lock ends what was proven.
    if (locked?.passwordHash !== user.passwordHash) throw wrongCredentials();
    const now = clock();
    // The subject starts afresh. The address does not, or a user of ours could guess others' passwords.
    await takeBackFailure(tx, address, now);
    await deleteFailures(tx, subject);
    if (better !== undefined) await savePasswordHash(tx, user.userId, better);
    return work(tx, locked, now);
  });
}

/**
 * Counts the attempt as failed before the password is looked at, so that many at a time cannot pass together. Throws
 * `RATE_LIMITED` during the delay, whatever the password. Refused attempts do not make it longer. Returns what it counts
 * for besides the address, and the failures of that, with this one.
 */
async function claimAttempt(
  { database, clock }: Pick<Services, 'database' | 'clock'>,
  claimant: Claimant,
) {
  const address = `address:${networkOf(claimant.address)}`;
  return database.transaction(async (tx) => {
    const ofAddress = await lockFailures(tx, address, clock());
    const own = await findOwnSubject(tx, claimant, clock());
    const subject = own ?? subjectOfUser(claimant.email);
    const ofSubject = await lockFailures(tx, subject, clock());
    // Behind the locks: an attempt that waited for them must not seem to be earlier than those before it.
    const now = clock();
    const waits = [ofSubject, own === undefined ? ofAddress : undefined].map((known) =>
      known ? secondsToWait(known.blockedUntil, now) : 0,
    );
    const retryAfterSeconds = Math.max(...waits);
    if (retryAfterSeconds > 0) {
      const message = `Too many failed sign-ins: wait ${retryAfterSeconds} s, then try again.`;
      throw new ServiceError('RATE_LIMITED', message, { retryAfterSeconds });
    }
    const { signInFailuresOfUser, signInFailuresOfAddress } = userLimits;
    const counted = decideFailures(ofSubject, signInFailuresOfUser, now);
    await saveFailures(tx, subject, counted);
    await saveFailures(tx, address, decideFailures(ofAddress, signInFailuresOfAddress, now));
    return { subject, address, failures: counted.failures };
  });
}

/**
 * A session, and a device or address from which the user signed in lately, has a delay of its own, so that strangers
 * cannot lock the user out. Undefined for a stranger.
 */
async function findOwnSubject(tx: Transaction, claimant: Claimant, now: Date) {
  if (claimant.sessionId !== undefined) return `session:${claimant.sessionId}`;
  const since = addSeconds(now, -userLimits.knownVisitorSeconds);
  return findFirstSubject(tx, subjectsOfVisitor(claimant), since);
}

/** The e-mail address is a digest: what is typed there is not always an address of ours. */
function subjectOfUser(email: string): string {
  return `user:${digestOfText(email)}`;
}

/** A row with such a subject is made by a success only, and is worth something for this user only. */
function subjectsOfVisitor({ email, address, device }: Claimant): string[] {
  const origins = [...(device === undefined ? [] : [device]), networkOf(address)];
  return origins.map((origin) => `${subjectOfVisitors(email)}${digestOfText(origin)}`);
}

function subjectOfVisitors(email: string): string {
  return `known:${digestOfText(email)}:`;
}

/** From now on the device and the address have a delay of their own for this user, which begins afresh. */
export async function rememberVisitor(tx: Transaction, visitor: Claimant, now: Date) {
  for (const subject of subjectsOfVisitor(visitor)) {
    await lockFailures(tx, subject, now);
    await saveFailures(tx, subject, { failures: 0, lastFailedAt: now, blockedUntil: now });
  }
}

/** After a reset nothing counts any more that was before it. */
export async function forgetFailures(tx: Transaction, email: string): Promise<void> {
  await deleteFailures(tx, subjectOfUser(email));
  await deleteFailuresBelow(tx, subjectOfVisitors(email));
}

/**
 * In the log of each account of the user: the first failure, the second, the fourth and so on, so that a flood leaves a
 * few entries. Without a user it takes about as long, and writes nothing.
 */
async function auditFailure(
  { database, clock }: Pick<Services, 'database' | 'clock'>,
  { subject, failures }: Awaited<ReturnType<typeof claimAttempt>>,
  user: User | undefined,
  { email, address }: Claimant,
): Promise<void> {
  if (!isCountToNote(failures)) return;
  await database.transaction(async (tx) => {
    const now = clock();
    await lockFailures(tx, subject, now);
    if (!user) return;
    const stranger = { name: 'unknown', userId: null, address };
    const details = { email, failures };
    await auditUser(tx, stranger, now, 'user.sign_in_failed', user.userId, details);
  });
}
