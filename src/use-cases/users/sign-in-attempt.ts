/**
 * Delays sign-ins after failures, for each e-mail address and for each address on the network. An attempt counts as
 * failed before the password is looked at, so that many at a time cannot pass together. Contract 13.2.
 */
import { ServiceError } from '../../domain/errors.ts';
import { limits } from '../../domain/limits.ts';
import type { Clock } from '../../domain/time.ts';
import { decideFailures, secondsToWait } from '../../domain/users/back-off.ts';
import { networkOf } from '../../domain/users/network.ts';
import type { Database, Transaction } from '../../postgres/database.ts';
import { digestOfText } from '../../security/opaque-token.ts';
import {
  deleteFailures,
  lockFailures,
  saveFailures,
  takeBackFailure,
} from '../../store/sign-in-failures.ts';

type Needs = { readonly database: Database; readonly clock: Clock };

export type Attempt = { readonly user: string; readonly address: string };

/** Throws `RATE_LIMITED` during the delay, whatever the password. Refused attempts do not make it longer. */
export async function claimAttempt(
  { database, clock }: Needs,
  email: string,
  address: string,
): Promise<Attempt> {
  // The address is a digest: what is typed there is not always an address of ours.
  const attempt = { user: subjectOfUser(email), address: `address:${networkOf(address)}` };
  await database.transaction(async (tx) => {
    const ofUser = await lockFailures(tx, attempt.user, clock());
    const ofAddress = await lockFailures(tx, attempt.address, clock());
    // Behind the locks: an attempt that waited for them must not seem to be earlier than those before it.
    const now = clock();
    const waits = [ofUser, ofAddress].map((known) =>
      known ? secondsToWait(known.blockedUntil, now) : 0,
    );
    const seconds = Math.max(...waits);
    if (seconds > 0) throw tooMany(seconds);
    const [free, freeOfAddress] = [limits.signInFailuresOfUser, limits.signInFailuresOfAddress];
    await saveFailures(tx, attempt.user, decideFailures(ofUser, free, now));
    await saveFailures(tx, attempt.address, decideFailures(ofAddress, freeOfAddress, now));
  });
  return attempt;
}

function tooMany(retryAfterSeconds: number): ServiceError {
  const message = `Too many failed sign-ins: wait ${retryAfterSeconds} s, then try again.`;
  return new ServiceError('RATE_LIMITED', message, { retryAfterSeconds });
}

export function subjectOfUser(email: string): string {
  return `user:${digestOfText(email)}`;
}

/** After a success the user starts afresh. The address does not, or a user of ours could guess the others' passwords. */
export async function forgiveAttempt(
  tx: Transaction,
  { user, address }: Attempt,
  now: Date,
): Promise<void> {
  await deleteFailures(tx, user);
  await takeBackFailure(tx, address, now);
}

/** The password was not looked at. */
export async function takeBackAttempt(
  { database, clock }: Needs,
  { user, address }: Attempt,
): Promise<void> {
  await database.transaction(async (tx) => {
    await takeBackFailure(tx, user, clock());
    await takeBackFailure(tx, address, clock());
  });
}
