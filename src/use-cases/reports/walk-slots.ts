/** Walks over all half hours that have orders or figures, account by account. */
import { slotAfter } from '../../domain/reports/slot.ts';
import type { Queryable } from '../../postgres/database.ts';
import { findNextSlot } from '../../store/reports/figure-slots.ts';
import type { Slot } from '../../store/reports/figures.ts';

/** The accounts must be sorted. `after` is the last half hour of an earlier walk. */
export async function* walkSlots(
  database: Queryable,
  accountIds: readonly string[],
  after?: Slot,
): AsyncGenerator<Slot, void> {
  for (const accountId of accountIds) {
    if (after && accountId < after.accountId) continue;
    const isResumed = accountId === after?.accountId;
    let startsAt = isResumed && after ? slotAfter(after.startsAt) : new Date(0);
    for (;;) {
      const slot = await findNextSlot(database, { accountId, startsAt });
      if (!slot) break;
      yield slot;
      startsAt = slotAfter(slot.startsAt);
    }
  }
}
