/** Retries what left no trace in the database. */
import { setTimeout as delay } from 'node:timers/promises';
import { translateDatabaseError } from './error-classes.ts';
import { databaseLimits } from './limits.ts';

/** Waits a random, growing time between attempts, so that two transactions do not collide again. */
export async function retry<Result>(
  attempt: () => Promise<Result>,
  mayRetry: (error: unknown) => boolean,
): Promise<Result> {
  for (let tried = 1; ; tried += 1) {
    try {
      return await attempt();
    } catch (error) {
      if (tried >= databaseLimits.transactionAttemptsMax || !mayRetry(error))
        throw translateDatabaseError(error);
      await delay(Math.random() * 2 ** tried);
    }
  }
}
