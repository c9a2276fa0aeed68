/**
 * Visits the half hours of orders for a purpose, in every sweep: those whose orders were created or changed since the
 * last one, and a few of all others. See docs/decisions/0045.
 */
import { settledBefore, slotAfter } from '../../domain/reports/slot.ts';
import { addSeconds } from '../../domain/time.ts';
import type { Database, Queryable } from '../../postgres/database.ts';
import type { IsOver } from '../../services/run-step.ts';
import type { Services } from '../../services/services.ts';
import { listAccountIds } from '../../store/accounts/accounts.ts';
import { findNextSlot, listChangedSlots } from '../../store/reports/figure-slots.ts';
import type { Slot } from '../../store/reports/figures.ts';
import {
  findPass,
  findWalk,
  type SlotPurpose,
  savePass,
  saveWalk,
} from '../../store/reports/slot-cursors.ts';

/** Visiting a half hour again must be harmless: a visit may be repeated, cut off or made by two processes. */
export type SlotVisitor = {
  readonly purpose: SlotPurpose;
  readonly visit: (database: Database, slots: readonly Slot[]) => Promise<unknown>;
};

/** After a long pause the pass covers a part of it, and the next sweeps the rest. */
const passSecondsMax = 6 * 60 * 60;

/**
 * A pass that is not complete when its time is over continues with the next account in the next sweep. Returns how many
 * accounts are left.
 */
export async function visitChanged(
  { database, clock }: Pick<Services, 'database' | 'clock'>,
  { purpose, visit }: SlotVisitor,
  isOver: IsOver,
): Promise<number> {
  const now = clock();
  const pass = await findPass(database, purpose);
  const latest = addSeconds(pass.reachedAt ?? now, passSecondsMax);
  const until = pass.until ?? (latest < now ? latest : now);
  const from = settledBefore(pass.reachedAt ?? until);
  // The first pass must be known even if nothing of it is done: a later one would begin too late.
  if (!pass.reachedAt && !pass.until) await savePass(database, purpose, { ...pass, until });
  const range = { from, until, after: pass.accountId };
  const changed = [...(await listChangedSlots(database, range))];
  for (const [index, [accountId, slots]] of changed.entries()) {
    if (isOver()) return changed.length - index;
    await visit(database, slots);
    await savePass(database, purpose, { ...pass, until, accountId });
  }
  await savePass(database, purpose, { reachedAt: until, until: undefined, accountId: '' });
  return 0;
}

const slotsPerSweep = 100;

/**
 * A part of an endless walk over all half hours. The first walk visits what was stored before there was this purpose,
 * and takes all the time of its step. Later ones find what was missed because a clock was wrong.
 */
export async function visitSome(
  { database }: Pick<Services, 'database'>,
  { purpose, visit }: SlotVisitor,
  isOver: IsOver,
): Promise<void> {
  const { last, completed } = await findWalk(database, purpose);
  const slotsMax = completed === 0 ? Infinity : slotsPerSweep;
  let visited = 0;
  for await (const slots of walkSlots(database, await listAccountIds(database), last)) {
    await visit(database, slots);
    await saveWalk(database, purpose, { last: slots.at(-1), completed });
    visited += slots.length;
    if (isOver() || visited >= slotsMax) return;
  }
  await saveWalk(database, purpose, { last: undefined, completed: completed + 1 });
}

const slotsOfPage = 20;

/** All half hours that have orders or figures, account by account, in pages. `after` is the last of an earlier walk. */
export async function* walkSlots(
  database: Queryable,
  accountIds: readonly string[],
  after?: Slot,
): AsyncGenerator<readonly Slot[], void> {
  let page: Slot[] = [];
  for (const accountId of accountIds.toSorted()) {
    if (after && accountId < after.accountId) continue;
    const isResumed = accountId === after?.accountId;
    let startsAt = isResumed && after ? slotAfter(after.startsAt) : new Date(0);
    for (;;) {
      const slot = await findNextSlot(database, { accountId, startsAt });
      if (!slot) break;
      page.push(slot);
      startsAt = slotAfter(slot.startsAt);
      if (page.length < slotsOfPage) continue;
      yield page;
      page = [];
    }
  }
  if (page.length > 0) yield page;
}
