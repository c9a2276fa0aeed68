/**
 * How far the half hours of orders were visited, to count figures and to learn e-mail addresses. The id of a cursor is a
 * time here.
 */
import type { Queryable, Transaction } from '../../postgres/database.ts';
import { execute } from '../query.ts';
import { findCursor, saveCursor } from '../sweep-cursors.ts';
import type { Slot } from './figures.ts';

export type SlotPurpose = 'figures' | 'emails';

/** A pass visits what changed until a time, account by account. */
type SlotPass = {
  /** What happened until then was visited. Undefined before the first pass has ended. */
  readonly reachedAt: Date | undefined;
  /** The end of the running pass; undefined between two. */
  readonly until: Date | undefined;
  /** The last account that the running pass has visited. */
  readonly accountId: string;
};

export async function findPass(database: Queryable, purpose: SlotPurpose): Promise<SlotPass> {
  const { accountId, id, reachedAt } = await findCursor(database, purpose);
  return { reachedAt, until: id === '' ? undefined : new Date(id), accountId };
}

/** Whatever another process saved meanwhile: what a pass says stays true. */
export function savePass(
  database: Queryable,
  purpose: SlotPurpose,
  { reachedAt, until, accountId }: SlotPass,
): Promise<void> {
  return saveCursor(database, purpose, { accountId, id: until?.toISOString() ?? '', reachedAt });
}

/**
 * Ends the race of two visits: an older count must not replace a newer one, and an address that was read must not be
 * stored after it was erased.
 */
export async function lockSlots(tx: Transaction, purpose: SlotPurpose) {
  await execute(tx, [purpose])`
    insert into sweep_cursors as c (name, account_id, order_id, position) values ($1, '', '', 0)
    on conflict (name) do update set position = c.position`;
}

/** The endless walk over all half hours. */
type SlotWalk = {
  /** The last half hour that was visited; undefined at the beginning of a walk. */
  readonly last: Slot | undefined;
  /** How many walks were completed. */
  readonly completed: number;
};

export async function findWalk(database: Queryable, purpose: SlotPurpose): Promise<SlotWalk> {
  const { accountId, id, position } = await findCursor(database, `${purpose}-walk`);
  const last = id === '' ? undefined : { accountId, startsAt: new Date(id) };
  return { last, completed: position };
}

export function saveWalk(database: Queryable, purpose: SlotPurpose, { last, completed }: SlotWalk) {
  const at = last && { accountId: last.accountId, id: last.startsAt.toISOString() };
  return saveCursor(database, `${purpose}-walk`, { ...at, position: completed });
}
