/**
 * Makes deliveries due whose order was created or changed since their last try. Whoever changes an order applies these
 * deliveries right away; this finds those whose process ended in between. Contract 6.6.
 */
import { retrySeconds } from '../../domain/inbox/retry-schedule.ts';
import { limits } from '../../domain/limits.ts';
import type { IsOver } from '../../services/run-step.ts';
import type { Services } from '../../services/services.ts';
import { type WalkedState, walkDeliveries } from '../../store/inbox/known-deliveries.ts';
import { makeDue } from '../../store/inbox/parked-deliveries.ts';
import {
  findDeliveryCursor,
  firstDelivery,
  saveDeliveryCursor,
} from '../../store/sweep-cursors.ts';
import { countUnvisited } from '../../store/upkeep/backlogs.ts';

const pageSize = 1_000;
/** Up to 50,000 deliveries are visited in every sweep, a million in twenty. */
const pagesMax = 50;

export async function unparkKnown(services: Pick<Services, 'database' | 'clock'>, isOver: IsOver) {
  const parked = await walk(services, 'parked', isOver);
  return parked + (await walk(services, 'received', isOver));
}

/** A step of its own: dead deliveries of other businesses may be many, and must not delay those that are parked. */
export function unparkDead(services: Pick<Services, 'database' | 'clock'>, isOver: IsOver) {
  return walk(services, 'dead', isOver);
}

/** Continues where the last sweep stopped. Returns how many deliveries it did not reach. */
async function walk(
  { database, clock }: Pick<Services, 'database' | 'clock'>,
  state: WalkedState,
  isOver: IsOver,
): Promise<number> {
  const cursorName = `known-${state}`;
  const now = clock();
  const options = {
    now,
    limit: pageSize,
    retrySeconds,
    commitDelaySecondsMax: limits.clockSkewSecondsMax,
  };
  let cursor = await findDeliveryCursor(database, cursorName);
  for (let page = 0; page < pagesMax && !isOver(); page += 1) {
    const walked = await walkDeliveries(database, state, cursor, options);
    const due = walked.filter(({ hasNews }) => hasNews);
    for (const [accountId, own] of Map.groupBy(due, (delivery) => delivery.accountId)) {
      const ids = own.map(({ deliveryId }) => deliveryId);
      await makeDue(database, accountId, ids);
    }
    const isLast = walked.length < pageSize;
    const next = isLast ? firstDelivery : (walked.at(-1) ?? firstDelivery);
    if (next !== cursor) await saveDeliveryCursor(database, cursorName, next);
    if (isLast) return 0;
    cursor = next;
  }
  return countUnvisited(database, state, cursor);
}
