/**
 * Counts half hours again and stores what differs: in the sweep, or all of them for an operator. Doing it again changes
 * nothing. See docs/decisions/0045.
 */
import type { Actor } from '../../domain/audit.ts';
import { listDifferences } from '../../domain/reports/figure.ts';
import { dayOf } from '../../domain/reports/slot.ts';
import type { Database } from '../../postgres/database.ts';
import type { IsOver } from '../../services/run-step.ts';
import type { Services } from '../../services/services.ts';
import { listAccountIds } from '../../store/accounts/accounts.ts';
import { appendAudit } from '../../store/accounts/audit.ts';
import { listWrongDays, replaceDay } from '../../store/reports/figure-days.ts';
import { countSlot, listFigures, replaceFigures, type Slot } from '../../store/reports/figures.ts';
import { findWalk, lockSlots, savePass, saveWalk } from '../../store/reports/slot-cursors.ts';
import { type SlotVisitor, visitChanged, visitSome, walkSlots } from './visit-slots.ts';

const figures: SlotVisitor = { purpose: 'figures', visit: recountSlots };

/** Those whose orders were created or changed since the last sweep. Returns how many accounts are left. */
export function countFigures(services: Pick<Services, 'database' | 'clock'>, isOver: IsOver) {
  return visitChanged(services, figures, isOver);
}

/** A part of all others. The walk is endless, so nothing counts as left. */
export async function walkFigures(services: Pick<Services, 'database'>, isOver: IsOver) {
  await visitSome(services, figures, isOver);
  return 0;
}

/** Few, because the lock is held while they are counted. */
const batchSize = 20;

/** Returns how many had other figures stored. */
async function recountSlots(database: Database, slots: readonly Slot[]): Promise<number> {
  let changed = 0;
  for (let from = 0; from < slots.length; from += batchSize) {
    changed += await recountBatch(database, slots.slice(from, from + batchSize));
  }
  return changed;
}

function recountBatch(database: Database, slots: readonly Slot[]): Promise<number> {
  return database.transaction(async (tx) => {
    let changed = 0;
    await lockSlots(tx, 'figures');
    for (const slot of slots) {
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

/** Counts all figures of an account, or of all, again. The log of each account whose figures changed says so. */
export async function rebuildFigures(
  { database, clock }: Pick<Services, 'database' | 'clock'>,
  actor: Actor,
  accountId?: string,
) {
  const startedAt = clock();
  const accountIds = accountId ? [accountId] : await listAccountIds(database);
  let counted = 0;
  let changed = 0;
  for (const id of accountIds) {
    const details = { counted: 0, changed: 0 };
    for await (const slots of walkSlots(database, [id])) {
      details.changed += await recountSlots(database, slots);
      details.counted += slots.length;
    }
    counted += details.counted;
    changed += details.changed;
    if (details.changed === 0) continue;
    const done = { accountId: id, action: 'figures.rebuilt', object: id, details } as const;
    await database.transaction((tx) => appendAudit(tx, actor, clock(), done));
  }
  if (!accountId) {
    await savePass(database, 'figures', { reachedAt: startedAt, until: undefined, accountId: '' });
    const { completed } = await findWalk(database, 'figures');
    await saveWalk(database, 'figures', { last: undefined, completed: completed + 1 });
  }
  return { counted, changed };
}
