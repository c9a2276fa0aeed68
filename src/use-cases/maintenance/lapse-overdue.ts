/**
 * Writes down of all orders whose time is over that it is. Goes on where the last sweep stopped, and then walks a
 * piece through all orders, for what that way does not meet.
 */
import { addSeconds, type Clock } from '../../domain/time.ts';
import type { Database } from '../../postgres/database.ts';
import type { NeedsOf } from '../../services/needs.ts';
import {
  findReachedAt,
  listOverdueOrders,
  type OverdueOrder,
  saveReachedAt,
  scanForOverdueOrders,
} from '../../store/overdue-orders.ts';
import { settleOrder } from '../order-state/settle-order.ts';

type Needs = NeedsOf<typeof settleOrder> & {
  readonly database: Database;
  readonly clock: Clock;
};

const batchSize = 100;
const looksMax = 50;
/** Few enough orders end in it to be looked at with one statement, also when the service was away for days. */
const windowSeconds = 600;
/** Ten million orders are walked through in 17 hours. */
const walkedMax = 10_000;
const walkLapsesMax = 500;
/** So long the next sweep tries again what fails; then it is left to the walk, or it would hold up the place for ever. */
const patienceSeconds = 3600;

/** Returns how many there were. */
export async function lapseOverdue(services: Needs): Promise<number> {
  const { database } = services;
  const now = services.clock();
  let reachedAt = earlier((await findReachedAt(database)) ?? now, now);
  const giveUpBefore = addSeconds(now, -patienceSeconds);
  let failedAt: Date | undefined;
  let found = 0;
  for (let look = 0; look < looksMax && reachedAt < now; look += 1) {
    const until = earlier(addSeconds(reachedAt, windowSeconds), now);
    const overdue = await listOverdueOrders(database, reachedAt, until, batchSize);
    const failed = await lapseEach(services, overdue);
    failedAt ??= failed.find(({ lapsesAt }) => lapsesAt > giveUpBefore)?.lapsesAt;
    found += overdue.length;
    const last = overdue.length === batchSize ? overdue.at(-1)?.lapsesAt : undefined;
    // A whole page of one moment that fails would be listed for ever.
    const isStuck = failed.length === batchSize && Number(last) === Number(reachedAt);
    reachedAt = isStuck ? addSeconds(reachedAt, 0.001) : (last ?? until);
  }
  await saveReachedAt(database, failedAt ?? reachedAt);
  const met = await scanForOverdueOrders(database, now, walkedMax);
  // More than a few are there only while the sweep is behind, which then comes to them by itself.
  const own = met.slice(0, walkLapsesMax);
  await lapseEach(services, own);
  return found + own.length;
}

function earlier(a: Date, b: Date): Date {
  return a < b ? a : b;
}

/** One that fails must not keep the others from their turn. Returns those that did. */
async function lapseEach(
  services: Needs,
  overdue: readonly OverdueOrder[],
): Promise<OverdueOrder[]> {
  const failed: OverdueOrder[] = [];
  for (const order of overdue) {
    await settleOrder(services, order.accountId, order.orderId).catch(() => failed.push(order));
  }
  return failed;
}
