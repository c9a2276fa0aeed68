/**
 * Records how checkouts ended whose order has lapsed. The page records a success itself, as soon as a consumer sees it.
 * Contract 14.7.
 */
import type { Clock } from '../../domain/time.ts';
import type { Database } from '../../postgres/database.ts';
import type { Counters } from '../../services/counters.ts';
import type { IsOver } from '../../services/run-step.ts';
import { listEndedCheckouts, saveCheckoutOutcome } from '../../store/orders/checkouts.ts';

type Needs = {
  readonly database: Database;
  readonly counters: Counters;
  readonly clock: Clock;
};

const batchSize = 500;

/** Returns how many are left, at least. */
export async function endCheckouts(
  { database, counters, clock }: Needs,
  isOver: IsOver,
): Promise<number> {
  const ended = await listEndedCheckouts(database, clock(), batchSize);
  for (const [place, { outcome, ...name }] of ended.entries()) {
    if (isOver()) return ended.length - place;
    if (await saveCheckoutOutcome(database, name, outcome)) counters.noteCheckout(outcome);
  }
  return 0;
}
