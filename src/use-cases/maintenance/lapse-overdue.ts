/**
 * Lapses orders that are past their `lapses_at`. It continues where the last sweep stopped, then scans a part of all
 * orders for those that were missed.
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
const windowsMax = 50;
/** Short enough that one statement can read all orders of the window, even after the service was down for days. */
const windowSeconds = 600;
/** Ten million orders are scanned in 17 hours. */
const scannedMax = 10_000;
const scanLapsesMax = 500;
/**
 * An order that fails is retried by the next sweeps for this long. After that only the scan retries it, so that the
 * cursor can move on.
 */
const retrySeconds = 3600;

/** Returns the number of overdue orders found. */
export async function lapseOverdue(services: Needs): Promise<number> {
  const { database } = services;
  const now = services.clock();
  let reachedAt = earlier((await findReachedAt(database)) ?? now, now);
  const giveUpBefore = addSeconds(now, -retrySeconds);
  let failedAt: Date | undefined;
  let found = 0;
  for (let window = 0; window < windowsMax && reachedAt < now; window += 1) {
    const until = earlier(addSeconds(reachedAt, windowSeconds), now);
    const overdue = await listOverdueOrders(database, reachedAt, until, batchSize);
    const failed = await lapseEach(services, overdue);
    failedAt ??= failed.find(({ lapsesAt }) => lapsesAt > giveUpBefore)?.lapsesAt;
    found += overdue.length;
    const last = overdue.length === batchSize ? overdue.at(-1)?.lapsesAt : undefined;
    // If a whole page has one `lapses_at` and all of it fails, the same page would be listed again and again.
    const isStuck = failed.length === batchSize && Number(last) === Number(reachedAt);
    reachedAt = isStuck ? addSeconds(reachedAt, 0.001) : (last ?? until);
  }
  await saveReachedAt(database, failedAt ?? reachedAt);
  const missed = await scanForOverdueOrders(database, now, scannedMax);
  // The scan finds many only while the sweep is behind, and the sweep will reach those anyway.
  const toLapse = missed.slice(0, scanLapsesMax);
  await lapseEach(services, toLapse);
  return found + toLapse.length;
}

function earlier(a: Date, b: Date): Date {
  return a < b ? a : b;
}

/** An order that fails does not stop the others. Returns the failed orders. */
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
