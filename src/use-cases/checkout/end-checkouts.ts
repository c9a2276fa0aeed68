/**
 * Records how checkouts ended whose order has lapsed. The page records a success itself, as soon as a consumer sees it.
 * Contract 14.7.
 */
import type { IsOver } from '../../services/run-step.ts';
import type { Services } from '../../services/services.ts';
import { listEndedCheckouts, saveCheckoutOutcome } from '../../store/orders/checkouts.ts';

const batchSize = 500;

/** Returns how many are left, at least. */
export async function endCheckouts(
  { database, counters, clock }: Pick<Services, 'database' | 'counters' | 'clock'>,
  isOver: IsOver,
): Promise<number> {
  const ended = await listEndedCheckouts(database, clock(), batchSize);
  for (const [index, { outcome, ...name }] of ended.entries()) {
    if (isOver()) return ended.length - index;
    if (await saveCheckoutOutcome(database, name, outcome)) counters.noteCheckout(outcome);
  }
  return 0;
}
