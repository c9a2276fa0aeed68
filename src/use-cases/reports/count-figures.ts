/** Counts half hours again and stores what differs. Doing it again changes nothing. See docs/decisions/0045. */
import { listDifferences } from '../../domain/reports/figure.ts';
import { dayOf } from '../../domain/reports/slot.ts';
import type { Clock } from '../../domain/time.ts';
import type { Database } from '../../postgres/database.ts';
import type { IsOver } from '../../services/run-step.ts';
import { listWrongDays, replaceDay } from '../../store/reports/figure-days.ts';
import { countSlot, listFigures, replaceFigures, type Slot } from '../../store/reports/figures.ts';
import { lockSlots } from '../../store/reports/slot-cursors.ts';
import type { TextOrder } from '../../store/text-order.ts';
import { type SlotVisitor, visitChanged, visitSome } from './visit-slots.ts';

const figures: SlotVisitor = { purpose: 'figures', visit: recountSlots };

/** Those whose orders were created or changed since the last sweep. Returns how many accounts are left. */
export function countFigures(
  services: { readonly database: Database; readonly clock: Clock },
  isOver: IsOver,
): Promise<number> {
  return visitChanged(services, figures, isOver);
}

/** A part of all others. The walk is endless, so nothing counts as left. */
export async function walkFigures(
  services: { readonly database: Database },
  isOver: IsOver,
): Promise<number> {
  await visitSome(services, figures, isOver);
  return 0;
}

/** Few, because the lock is held while they are counted. */
const batchSize = 20;

/** Returns how many had other figures stored. */
export async function recountSlots(
  database: Database,
  order: TextOrder,
  slots: readonly Slot[],
): Promise<number> {
  let changed = 0;
  for (let from = 0; from < slots.length; from += batchSize) {
    changed += await recountBatch(database, order, slots.slice(from, from + batchSize));
  }
  return changed;
}

function recountBatch(
  database: Database,
  order: TextOrder,
  slots: readonly Slot[],
): Promise<number> {
  return database.transaction(async (tx) => {
    let changed = 0;
    await lockSlots(tx, 'figures');
    for (const slot of slots) {
      // Each statement sees what was committed before it, so a count under the lock is newer than every stored one.
      const [counted, stored] = [await countSlot(tx, order, slot), await listFigures(tx, slot)];
      if (listDifferences(stored, counted).length === 0) continue;
      await replaceFigures(tx, slot, counted);
      changed += 1;
    }
    for (const day of daysOf(slots)) {
      if ((await listWrongDays(tx, day)).length > 0) await replaceDay(tx, day);
    }
    return changed;
  });
}

function daysOf(slots: readonly Slot[]) {
  const days = slots.map(({ accountId, startsAt }) => ({ accountId, day: dayOf(startsAt) }));
  return new Map(days.map((day) => [`${day.accountId} ${Number(day.day)}`, day])).values();
}
