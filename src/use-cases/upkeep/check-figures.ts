/** Compares the stored figures with what the transactions give, half hour by half hour. See docs/decisions/0045. */
import { countOrder } from '../../domain/reports/count-orders.ts';
import { type Figure, listDifferences } from '../../domain/reports/figure.ts';
import { dayOf, settledBefore, slotAfter } from '../../domain/reports/slot.ts';
import type { Database, Queryable } from '../../postgres/database.ts';
import type { Services } from '../../services/services.ts';
import { listAccountIds } from '../../store/accounts/accounts.ts';
import { listWrongDays } from '../../store/reports/figure-days.ts';
import { hasChangedSince } from '../../store/reports/figure-slots.ts';
import { listFigures, type Slot } from '../../store/reports/figures.ts';
import { findPass, findWalk } from '../../store/reports/slot-cursors.ts';
import { eachSlotOrder } from '../../store/reports/slot-orders.ts';
import { readSnapshot } from '../../store/snapshot.ts';
import type { Breach, RowKey, RowsAfter } from '../../store/upkeep/invariants.ts';
import { walkSlots } from '../reports/visit-slots.ts';
import { type CheckedPage, nameBreaches } from './invariant-names.ts';

export async function* checkFigures(
  { database }: Pick<Services, 'database'>,
  { after, accountId }: Omit<RowsAfter, 'limit'>,
): AsyncGenerator<CheckedPage> {
  const accountIds = accountId ? [accountId] : await listAccountIds(database);
  let lastDay = '';
  for await (const slots of walkSlots(database, accountIds, slotOfKey(after))) {
    const breaches: Breach[] = [];
    let last: RowKey | undefined;
    for (const slot of slots) {
      last = [slot.accountId, slot.startsAt.toISOString()];
      breaches.push(...(await checkSlot(database, slot)));
      const day = dayOf(slot.startsAt);
      const key = `${slot.accountId} ${day.toISOString()}`;
      if (key !== lastDay) breaches.push(...(await checkDay(database, slot.accountId, day)));
      lastDay = key;
    }
    yield { rows: slots.length, last, breaches: nameBreaches('figures', breaches) };
  }
}

function slotOfKey(key: RowKey | undefined): Slot | undefined {
  const [accountId, time] = key ?? [];
  const startsAt = new Date(time ?? '');
  if (accountId === undefined || Number.isNaN(Number(startsAt))) return undefined;
  return { accountId, startsAt };
}

async function checkSlot(database: Database, slot: Slot): Promise<Breach[]> {
  const differences = await compare(database, slot);
  if (differences.length === 0) return [];
  // An order may have changed between the two reads, or may be too new to be counted.
  return readSnapshot(database, async (tx) => {
    if (!(await isDue(tx, slot))) return [];
    const where = `${slot.accountId} ${slot.startsAt.toISOString()}`;
    return (await compare(tx, slot)).map((what) => ({ where, what }));
  });
}

/** Days are written with their half hours, so they are never behind. */
async function checkDay(database: Queryable, accountId: string, day: Date): Promise<Breach[]> {
  const wrong = await listWrongDays(database, { accountId, day });
  const where = `${accountId} ${day.toISOString()}`;
  return wrong.map((name) => ({ where, what: `${name} is not the sum of its half hours` }));
}

async function compare(database: Queryable, slot: Slot): Promise<string[]> {
  const counted = new Map<string, Figure>();
  for await (const each of eachSlotOrder(database, slot)) countOrder(counted, each);
  return listDifferences(await listFigures(database, slot), [...counted.values()]);
}

/** True if the half hour must be counted by now: nothing in it is newer than the last count. */
async function isDue(tx: Queryable, slot: Slot): Promise<boolean> {
  const { reachedAt } = await findPass(tx, 'figures');
  if (!reachedAt) return false;
  const { accountId, startsAt } = slot;
  const { last, completed } = await findWalk(tx, 'figures');
  const isOfWalked = last !== undefined && accountId < last.accountId;
  const isWalked = isOfWalked || (accountId === last?.accountId && startsAt <= last.startsAt);
  // The first walk counts what was stored before there were figures.
  if (completed === 0 && !isWalked) return false;
  const before = settledBefore(reachedAt);
  return slotAfter(startsAt) <= before && !(await hasChangedSince(tx, slot, before));
}
