/**
 * Counts all figures again, a few in every sweep. The first walk counts what was stored before there were figures and
 * takes all the time of its step. Later ones find what was missed because a clock was wrong. See docs/decisions/0045.
 */
import type { Database } from '../../postgres/database.ts';
import type { IsOver } from '../../services/run-step.ts';
import { listAccountIds } from '../../store/accounts/accounts.ts';
import { findFigureWalk, saveFigureWalk } from '../../store/reports/figure-cursors.ts';
import type { Slot } from '../../store/reports/figures.ts';
import { recountSlots } from './recount-slots.ts';
import { walkSlots } from './walk-slots.ts';

type Needs = { readonly database: Database };

const slotsPerSweep = 100;
const slotsPerSave = 20;

/** An endless walk, a part in every sweep, so nothing counts as left. */
export async function walkFigures({ database }: Needs, isOver: IsOver): Promise<number> {
  const { last: lastVisited, completed } = await findFigureWalk(database);
  const accountIds = (await listAccountIds(database)).toSorted();
  const slotsMax = completed === 0 ? Infinity : slotsPerSweep;
  let last = lastVisited;
  let visited = 0;
  let batch: Slot[] = [];
  const countBatch = async () => {
    await recountSlots(database, batch);
    last = batch.at(-1) ?? last;
    batch = [];
    await saveFigureWalk(database, { last, completed });
  };
  for await (const slot of walkSlots(database, accountIds, last)) {
    batch.push(slot);
    visited += 1;
    if (batch.length === slotsPerSave) await countBatch();
    if (isOver() || visited >= slotsMax) {
      await countBatch();
      return 0;
    }
  }
  await countBatch();
  await saveFigureWalk(database, { last: undefined, completed: completed + 1 });
  return 0;
}
