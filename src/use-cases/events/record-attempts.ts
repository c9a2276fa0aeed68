/**
 * Saves the results of attempts, and disables endpoints that are gone or have failed for days. If this fails, the events
 * are sent again when their claim ends: at least once, never lost. Contract 12.5.
 */
import { eventLimits } from '../../domain/events/limits.ts';
import { addSeconds } from '../../domain/time.ts';
import type { Transaction } from '../../postgres/database.ts';
import { inOrder } from '../../postgres/in-order.ts';
import type { Services } from '../../services/services.ts';
import { lockAccount } from '../../store/accounts/accounts.ts';
import { disableEndpoint, type EndpointKey } from '../../store/accounts/endpoints.ts';
import {
  type AttemptResult,
  type EndpointHealth,
  insertAttempts,
  saveHealth,
  saveResults,
} from '../../store/events/event-deliveries.ts';
import { isGone } from './attempt-event.ts';

const daySeconds = 24 * 60 * 60;

type Disabled = EndpointKey & { readonly reason: string };

/** Resolves to one `true` for each result. */
export async function recordAttempts(
  { database }: Pick<Services, 'database'>,
  results: readonly AttemptResult[],
): Promise<true[]> {
  await database.transaction(async (tx) => {
    const [, , failing] = await inOrder([
      () => saveResults(tx, results),
      () => insertAttempts(tx, results),
      () => saveHealth(tx, listHealth(results)),
    ]);
    await disable(tx, [...listGone(results), ...listFailed(results, failing)]);
  });
  return results.map(() => true);
}

/** In the order of their ids, so that two processes cannot deadlock. */
function listHealth(results: readonly AttemptResult[]): EndpointHealth[] {
  const byEndpoint = Map.groupBy(results, ({ endpointId }) => endpointId);
  return [...byEndpoint.values()]
    .flatMap((own) => {
      const [first] = own;
      if (!first) return [];
      const hasSuccess = own.some(({ state }) => state === 'delivered');
      const { accountId, endpointId, attemptedAt } = first;
      return [{ accountId, endpointId, failingSince: hasSuccess ? null : attemptedAt }];
    })
    .sort((a, b) => (a.endpointId < b.endpointId ? -1 : 1));
}

function listGone(results: readonly AttemptResult[]): Disabled[] {
  return results
    .filter(isGone)
    .map((result) => ({ ...result, reason: 'The endpoint answered 410 Gone.' }));
}

function listFailed(
  results: readonly AttemptResult[],
  failing: readonly EndpointHealth[],
): Disabled[] {
  const lastAtMs = Math.max(...results.map(({ attemptedAt }) => attemptedAt.getTime()));
  const since = addSeconds(new Date(lastAtMs), -eventLimits.endpointFailingDays * daySeconds);
  return failing.flatMap(({ accountId, endpointId, failingSince }) =>
    failingSince !== null && failingSince <= since
      ? [
          {
            ...{ accountId, endpointId },
            reason: `Every attempt has failed since ${failingSince.toISOString()}.`,
          },
        ]
      : [],
  );
}

/** The new revision of the account tells every process. */
async function disable(tx: Transaction, disabled: readonly Disabled[]): Promise<void> {
  const byAccount = disabled.toSorted((a, b) => (a.accountId < b.accountId ? -1 : 1));
  for (const { accountId, endpointId, reason } of byAccount) {
    await lockAccount(tx, accountId);
    await disableEndpoint(tx, { accountId, endpointId }, reason);
  }
}
