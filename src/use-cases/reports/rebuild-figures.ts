/** Counts all figures of an account, or of all, again. Figures that are right do not change. */
import type { Actor } from '../../domain/audit.ts';
import type { Clock } from '../../domain/time.ts';
import type { Database } from '../../postgres/database.ts';
import { listAccountIds } from '../../store/accounts/accounts.ts';
import {
  endFigurePass,
  findFigureWalk,
  saveFigureWalk,
} from '../../store/reports/figure-cursors.ts';
import type { Slot } from '../../store/reports/figures.ts';
import { recordAudit } from '../accounts/record-audit.ts';
import { recountSlots } from './recount-slots.ts';
import { walkSlots } from './walk-slots.ts';

type Needs = { readonly database: Database; readonly clock: Clock };

export type RebuiltFigures = {
  /** Half hours with orders or figures. */
  readonly counted: number;
  /** Those whose figures were not right, or missing. */
  readonly changed: number;
};

/** A commit for each half hour would take most of the time. */
const batchSize = 20;

/** The log of each account whose figures changed says so. */
export async function rebuildFigures(
  needs: Needs,
  actor: Actor,
  accountId?: string,
): Promise<RebuiltFigures> {
  const { database, clock } = needs;
  const startedAt = clock();
  const accountIds = accountId ? [accountId] : (await listAccountIds(database)).toSorted();
  let counted = 0;
  let changed = 0;
  for (const id of accountIds) {
    const rebuilt = await rebuildAccount(needs, id);
    counted += rebuilt.counted;
    changed += rebuilt.changed;
    if (rebuilt.changed === 0) continue;
    const done = {
      accountId: id,
      action: 'figures.rebuilt',
      object: id,
      details: rebuilt,
    } as const;
    await recordAudit(needs, actor, [done]);
  }
  if (!accountId) {
    await endFigurePass(database, startedAt);
    const { completed } = await findFigureWalk(database);
    await saveFigureWalk(database, { last: undefined, completed: completed + 1 });
  }
  return { counted, changed };
}

async function rebuildAccount({ database }: Needs, accountId: string): Promise<RebuiltFigures> {
  let counted = 0;
  let changed = 0;
  let batch: Slot[] = [];
  const countBatch = async () => {
    changed += await recountSlots(database, batch);
    counted += batch.length;
    batch = [];
  };
  for await (const slot of walkSlots(database, [accountId])) {
    batch.push(slot);
    if (batch.length === batchSize) await countBatch();
  }
  await countBatch();
  return { counted, changed };
}
