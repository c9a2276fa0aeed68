/**
 * How far the half hours of orders were visited, to count figures and to learn e-mail addresses. The cursors are rows of
 * `sweep_cursors`; its column for an id holds a time here.
 */
import type { Queryable, Transaction } from '../../postgres/database.ts';
import type { Slot } from './figures.ts';

export type SlotPurpose = 'figures' | 'emails';

/** A pass visits what changed until a time, account by account. */
export type SlotPass = {
  /** What happened until then was visited. Undefined before the first pass has ended. */
  readonly reachedAt: Date | undefined;
  /** The end of the running pass; undefined between two. */
  readonly until: Date | undefined;
  /** The last account that the running pass has visited. */
  readonly accountId: string;
};

export async function findPass(database: Queryable, purpose: SlotPurpose): Promise<SlotPass> {
  const row = await findRow(database, purpose);
  return {
    reachedAt: row?.reached_at ?? undefined,
    until: row?.time ? new Date(row.time) : undefined,
    accountId: row?.account_id ?? '',
  };
}

/** Whatever another process saved meanwhile: what a pass says stays true. */
export async function savePass(
  database: Queryable,
  purpose: SlotPurpose,
  { reachedAt, until, accountId }: SlotPass,
): Promise<void> {
  await database.query({
    text: `insert into sweep_cursors as c (name, account_id, order_id, position, reached_at)
           values ($1, $2, $3, 0, $4)
           on conflict (name) do update set account_id = excluded.account_id,
             order_id = excluded.order_id, reached_at = greatest(c.reached_at, excluded.reached_at)`,
    values: [purpose, accountId, until?.toISOString() ?? '', reachedAt],
  });
}

/**
 * Ends the race of two visits: an older count must not replace a newer one, and an address that was read must not be
 * stored after it was erased.
 */
export async function lockSlots(tx: Transaction, purpose: SlotPurpose): Promise<void> {
  await tx.query({
    text: `insert into sweep_cursors as c (name, account_id, order_id, position) values ($1, '', '', 0)
           on conflict (name) do update set position = c.position`,
    values: [purpose],
  });
}

/** The endless walk over all half hours. */
export type SlotWalk = {
  /** The last half hour that was visited; undefined at the beginning of a walk. */
  readonly last: Slot | undefined;
  /** How many walks were completed. */
  readonly completed: number;
};

export async function findWalk(database: Queryable, purpose: SlotPurpose): Promise<SlotWalk> {
  const row = await findRow(database, `${purpose}-walk`);
  const last = row?.time && { accountId: row.account_id, startsAt: new Date(row.time) };
  return { last: last || undefined, completed: row?.position ?? 0 };
}

export async function saveWalk(
  database: Queryable,
  purpose: SlotPurpose,
  { last, completed }: SlotWalk,
): Promise<void> {
  await database.query({
    text: `insert into sweep_cursors (name, account_id, order_id, position) values ($1, $2, $3, $4)
           on conflict (name) do update set account_id = excluded.account_id,
             order_id = excluded.order_id, position = excluded.position`,
    values: [
      `${purpose}-walk`,
      ...[last?.accountId ?? '', last?.startsAt.toISOString() ?? '', completed],
    ],
  });
}

type CursorRow = { account_id: string; time: string; position: number; reached_at: Date | null };

async function findRow(database: Queryable, name: string): Promise<CursorRow | undefined> {
  const { rows } = await database.query<CursorRow>({
    text: `select account_id, order_id as time, position, reached_at from sweep_cursors where name = $1`,
    values: [name],
  });
  return rows[0];
}
