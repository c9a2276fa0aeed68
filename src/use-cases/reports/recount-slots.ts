/**
 * Counts half hours again and stores what differs, and learns the e-mail addresses of their orders for search. Doing it
 * again changes nothing, so a repeat or a crash is harmless.
 */
import { listDifferences } from '../../domain/reports/figure.ts';
import { dayOf } from '../../domain/reports/slot.ts';
import type { Database } from '../../postgres/database.ts';
import { learnEmails } from '../../store/consumers/consumer-emails.ts';
import { lockFigures } from '../../store/reports/figure-cursors.ts';
import { listWrongDays, replaceDay } from '../../store/reports/figure-days.ts';
import { countSlot, listFigures, replaceFigures, type Slot } from '../../store/reports/figures.ts';

/** Few, because the lock is held while they are counted. */
const batchSize = 20;

/** Returns how many had other figures stored. */
export async function recountSlots(database: Database, slots: readonly Slot[]): Promise<number> {
  let changed = 0;
  for (let from = 0; from < slots.length; from += batchSize) {
    changed += await recountBatch(database, slots.slice(from, from + batchSize));
  }
  return changed;
}

function recountBatch(database: Database, slots: readonly Slot[]): Promise<number> {
  return database.transaction(async (tx) => {
    let changed = 0;
    await lockFigures(tx);
    for (const slot of slots) {
      await learnEmails(tx, slot);
      // Each statement sees what was committed before it, so a count under the lock is newer than every stored one.
      const [counted, stored] = [await countSlot(tx, slot), await listFigures(tx, slot)];
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
