/**
 * Lapses orders that are past their `lapses_at`. It continues where the last sweep stopped, then scans a part of all
 * orders for those that were missed.
 */
import { addSeconds } from '../../domain/time.ts';
import type { IsOver } from '../../services/run-step.ts';
import type { Services } from '../../services/services.ts';
import {
  findReachedAt,
  findWindowEnd,
  listOverdueOrders,
  type OverdueOrder,
  saveReachedAt,
  scanForOverdueOrders,
} from '../../store/orders/overdue-orders.ts';
import { countUnchecked } from '../../store/upkeep/backlogs.ts';
import { settleOrder } from '../order-state/save-order-state.ts';

const batchSize = 100;
const windowsMax = 50;
/** Orders of a window: few enough to read all of them with one statement. */
const windowOrdersMax = 50_000;
/** Ten million orders are scanned in 17 hours. */
const scannedMax = 10_000;
const scanLapsesMax = 500;
/**
 * An order that fails is retried by the next sweeps for this long. After that only the scan retries it, so that the
 * cursor can move on.
 */
const retrySeconds = 3600;

/** Returns how many orders are left to check. */
export async function lapseOverdue(
  services: Pick<Services, 'database' | 'announcer' | 'clock' | 'settings'>,
  isOver: IsOver,
): Promise<number> {
  const { database } = services;
  const now = services.clock();
  let reachedAt = earlier((await findReachedAt(database)) ?? now, now);
  const giveUpBefore = addSeconds(now, -retrySeconds);
  let failedAt: Date | undefined;
  for (let window = 0; window < windowsMax && reachedAt < now && !isOver(); window += 1) {
    const end = await findWindowEnd(database, reachedAt, windowOrdersMax);
    // If all orders of the window have one `lapses_at`, the cursor must still move.
    const until = earlier(later(end ?? now, addSeconds(reachedAt, 0.001)), now);
    const overdue = await listOverdueOrders(database, reachedAt, until, batchSize);
    const { failed, stoppedAt } = await lapseEach(services, overdue, isOver);
    failedAt ??= failed.find(({ lapsesAt }) => lapsesAt > giveUpBefore)?.lapsesAt;
    if (stoppedAt) {
      reachedAt = stoppedAt;
      break;
    }
    const last = overdue.length === batchSize ? overdue.at(-1)?.lapsesAt : undefined;
    // If a whole page has one `lapses_at` and all of it fails, the same page would be listed again and again.
    const isStuck = failed.length === batchSize && Number(last) === Number(reachedAt);
    reachedAt = isStuck ? addSeconds(reachedAt, 0.001) : (last ?? until);
  }
  await saveReachedAt(database, failedAt ?? reachedAt);
  const missed = await scanForOverdueOrders(database, now, scannedMax);
  // The scan finds many only while the sweep is behind, and the sweep will reach those anyway.
  const toLapse = missed.slice(0, scanLapsesMax);
  await lapseEach(services, toLapse, isOver);
  return reachedAt < now ? countUnchecked(database, reachedAt, now) : 0;
}

function earlier(a: Date, b: Date): Date {
  return a < b ? a : b;
}

function later(a: Date, b: Date): Date {
  return a > b ? a : b;
}

/** An order that fails does not stop the others. `stoppedAt`: of the first order for which no time was left. */
async function lapseEach(
  services: Pick<Services, 'database' | 'announcer' | 'clock' | 'settings'>,
  overdue: readonly OverdueOrder[],
  isOver: IsOver,
) {
  const failed: OverdueOrder[] = [];
  for (const order of overdue) {
    if (isOver()) return { failed, stoppedAt: order.lapsesAt };
    await settleOrder(services, order.accountId, order.orderId).catch(() => failed.push(order));
  }
  return { failed, stoppedAt: undefined };
}
