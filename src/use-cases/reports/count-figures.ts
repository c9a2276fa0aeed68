/**
 * Counts the figures of every half hour whose orders were created or changed since the last sweep. What this misses is
 * found by `walk-figures.ts`. See docs/decisions/0045.
 */
import { settledBefore } from '../../domain/reports/commit-delay.ts';
import { addSeconds } from '../../domain/time.ts';
import type { IsOver } from '../../services/run-step.ts';
import type { Services } from '../../services/services.ts';
import { findTextOrder } from '../../store/inbox/text-order.ts';
import {
  endFigurePass,
  findFigurePass,
  saveFigurePass,
  startFigurePass,
} from '../../store/reports/figure-cursors.ts';
import { listChangedSlots } from '../../store/reports/figure-slots.ts';
import { recountSlots } from './recount-slots.ts';

/** After a long pause the pass covers a part of it, and the next sweeps the rest. */
const passSecondsMax = 6 * 60 * 60;

/**
 * A pass that is not complete when its time is over continues with the next account in the next sweep. Returns how many
 * accounts are left.
 */
export async function countFigures(
  { database, clock }: Pick<Services, 'database' | 'clock'>,
  isOver: IsOver,
): Promise<number> {
  const now = clock();
  const order = await findTextOrder(database);
  const known = await findFigurePass(database);
  if (!known.until) {
    const latest = known.reachedAt && addSeconds(known.reachedAt, passSecondsMax);
    await startFigurePass(database, latest && latest < now ? latest : now);
  }
  const { reachedAt, until = now, accountId: after } = await findFigurePass(database);
  const from = settledBefore(reachedAt ?? until);
  const changed = [...(await listChangedSlots(database, order, { from, until, after }))];
  for (const [index, [accountId, slots]] of changed.entries()) {
    if (isOver()) return changed.length - index;
    await recountSlots(database, order, slots);
    await saveFigurePass(database, until, accountId);
  }
  await endFigurePass(database, until);
  return 0;
}
