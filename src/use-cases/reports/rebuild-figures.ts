/** Counts all figures of an account, or of all, again. Figures that are right do not change. */
import type { Actor } from '../../domain/audit.ts';
import type { Services } from '../../services/services.ts';
import { listAccountIds } from '../../store/accounts/accounts.ts';
import { findWalk, savePass, saveWalk } from '../../store/reports/slot-cursors.ts';
import { recordAudit } from '../accounts/record-audit.ts';
import { recountSlots } from './count-figures.ts';
import { walkSlots } from './visit-slots.ts';

type RebuiltFigures = {
  /** Half hours with orders or figures. */
  readonly counted: number;
  /** Those whose figures were not right, or missing. */
  readonly changed: number;
};

/** The log of each account whose figures changed says so. */
export async function rebuildFigures(
  services: Pick<Services, 'database' | 'clock'>,
  actor: Actor,
  accountId?: string,
): Promise<RebuiltFigures> {
  const { database, clock } = services;
  const startedAt = clock();
  const accountIds = accountId ? [accountId] : await listAccountIds(database);
  let counted = 0;
  let changed = 0;
  for (const id of accountIds) {
    const rebuilt = await rebuildAccount(services, id);
    counted += rebuilt.counted;
    changed += rebuilt.changed;
    if (rebuilt.changed === 0) continue;
    const done = {
      accountId: id,
      action: 'figures.rebuilt',
      object: id,
      details: rebuilt,
    } as const;
    await recordAudit(services, actor, [done]);
  }
  if (!accountId) {
    await savePass(database, 'figures', { reachedAt: startedAt, until: undefined, accountId: '' });
    const { completed } = await findWalk(database, 'figures');
    await saveWalk(database, 'figures', { last: undefined, completed: completed + 1 });
  }
  return { counted, changed };
}

async function rebuildAccount(
  { database }: Pick<Services, 'database'>,
  accountId: string,
): Promise<RebuiltFigures> {
  let counted = 0;
  let changed = 0;
  for await (const slots of walkSlots(database, [accountId])) {
    changed += await recountSlots(database, slots);
    counted += slots.length;
  }
  return { counted, changed };
}
