/**
 * Delays sign-ins after failures, for each e-mail address and for each address on the network. A session, and a device or
 * address from which the user signed in lately, has a delay of its own, so that strangers cannot lock the user out. An
 * attempt counts as failed before the password is looked at, so that many at a time cannot pass together. Contract 13.2,
 * docs/decisions/0064. Every transaction locks the row of the address first.
 */
import { ServiceError } from '../../domain/errors.ts';
import { addSeconds } from '../../domain/time.ts';
import { decideFailures, isCountToNote, secondsToWait } from '../../domain/users/back-off.ts';
import { userLimits } from '../../domain/users/limits.ts';
import { networkOf } from '../../domain/users/network.ts';
import type { Transaction } from '../../postgres/database.ts';
import { digestOfText } from '../../security/opaque-token.ts';
import type { Services } from '../../services/services.ts';
import {
  deleteFailures,
  deleteFailuresBelow,
  findFirstSubject,
  lockFailures,
  saveFailures,
  takeBackFailure,
} from '../../store/users/sign-in-failures.ts';
import type { User } from '../../store/users/users.ts';
import { auditUser } from './audit-user.ts';

/** Who gives a password, and from where. */
export type Claimant = {
  readonly email: string;
  readonly address: string;
  /** The cookie that the browser got at its first sign-in. */
  readonly device?: string | undefined;
  /** Of somebody who is signed in. */
  readonly sessionId?: string;
};

type Attempt = {
  /** What it counts for besides the address. */
  readonly subject: string;
  readonly address: string;
  /** Of the subject, with this one. */
  readonly failures: number;
};

/** Throws `RATE_LIMITED` during the delay, whatever the password. Refused attempts do not make it longer. */
export async function claimAttempt(
  { database, clock }: Pick<Services, 'database' | 'clock'>,
  claimant: Claimant,
): Promise<Attempt> {
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
    const seconds = Math.max(...waits);
    if (seconds > 0) throw tooMany(seconds);
    const [free, freeOfAddress] = [
      userLimits.signInFailuresOfUser,
      userLimits.signInFailuresOfAddress,
    ];
    const counted = decideFailures(ofSubject, free, now);
    await saveFailures(tx, subject, counted);
    await saveFailures(tx, address, decideFailures(ofAddress, freeOfAddress, now));
    return { subject, address, failures: counted.failures };
  });
}

function tooMany(retryAfterSeconds: number): ServiceError {
  const message = `Too many failed sign-ins: wait ${retryAfterSeconds} s, then try again.`;
  return new ServiceError('RATE_LIMITED', message, { retryAfterSeconds });
}

/** Undefined for a stranger. */
async function findOwnSubject(
  tx: Transaction,
  claimant: Claimant,
  now: Date,
): Promise<string | undefined> {
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

/** After a success the subject starts afresh. The address does not, or a user of ours could guess others' passwords. */
export async function forgiveAttempt(
  tx: Transaction,
  { subject, address }: Attempt,
  now: Date,
): Promise<void> {
  await takeBackFailure(tx, address, now);
  await deleteFailures(tx, subject);
}

/** The password was not looked at. */
export async function takeBackAttempt(
  { database, clock }: Pick<Services, 'database' | 'clock'>,
  { subject, address }: Attempt,
): Promise<void> {
  await database.transaction(async (tx) => {
    await takeBackFailure(tx, address, clock());
    await takeBackFailure(tx, subject, clock());
  });
}

/**
 * In the log of each account of the user: the first failure, the second, the fourth and so on, so that a flood leaves a
 * few entries. Without a user it takes about as long, and writes nothing.
 */
export async function auditFailure(
  { database, clock }: Pick<Services, 'database' | 'clock'>,
  { subject, failures }: Attempt,
  user: User | undefined,
  { email, address }: Claimant,
): Promise<void> {
  if (!isCountToNote(failures)) return;
  await database.transaction(async (tx) => {
    const now = clock();
    await lockFailures(tx, subject, now);
    if (!user) return;
    const stranger = { name: 'unknown', userId: null, address };
    const { userId } = user;
    const details = { email, failures };
    await auditUser(tx, stranger, now, 'user.sign_in_failed', userId, details);
  });
}
