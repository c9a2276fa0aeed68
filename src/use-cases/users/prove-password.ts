/** Checks a password. Who is unknown, has no password or gives a wrong one gets the same answer in the same time. */
import { ServiceError } from '../../domain/errors.ts';
import { foldPassword } from '../../domain/users/password.ts';
import type { Transaction } from '../../postgres/database.ts';
import { hashPassword, isOutdated, isPassword } from '../../security/passwords.ts';
import type { Services } from '../../services/services.ts';
import { findUserByEmail, lockUser, savePasswordHash, type User } from '../../store/users/users.ts';
import {
  auditFailure,
  type Claimant,
  claimAttempt,
  forgiveAttempt,
  takeBackAttempt,
} from './sign-in-attempt.ts';

/** Runs `work` in a transaction that has locked the user. `refusal` says that the credentials are wrong. */
export async function provePassword<Result>(
  services: Pick<Services, 'database' | 'clock'>,
  { password, ...claimant }: Claimant & { readonly password: string },
  refusal: string,
  work: (tx: Transaction, user: User, now: Date) => Promise<Result>,
): Promise<Result> {
  const wrongCredentials = () => new ServiceError('AUTHENTICATION_FAILED', refusal);
  const attempt = await claimAttempt(services, claimant);
  const given = foldPassword(password);
  const user = await findUserByEmail(services.database, claimant.email);
  const isRight = await isPassword(user?.passwordHash, given).catch(async (error: unknown) => {
    await takeBackAttempt(services, attempt);
    throw error;
  });
  if (!user?.passwordHash || !isRight) {
    await auditFailure(services, attempt, user, claimant);
    throw wrongCredentials();
  }
  const better = isOutdated(user.passwordHash) ? await hashPassword(given) : undefined;
  return services.database.transaction(async (tx) => {
    const locked = await lockUser(tx, user.userId);
    // A reset between the check and the lock ends what was proven.
    if (locked?.passwordHash !== user.passwordHash) throw wrongCredentials();
    const now = services.clock();
    await forgiveAttempt(tx, attempt, now);
    if (better !== undefined) await savePasswordHash(tx, user.userId, better);
    return work(tx, locked, now);
  });
}
