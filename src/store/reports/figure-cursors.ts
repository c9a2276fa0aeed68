/**
 * How far figures are counted: up to which time changes were counted, and where the endless walk over all half hours
 * stands. Both are rows of `sweep_cursors`; its column for an id holds a time here.
 */
import type { Queryable, Transaction } from '../../postgres/database.ts';
import type { Slot } from './figures.ts';

/** A pass counts what changed until a time, account by account. */
export type FigurePass = {
  /** What happened until then is counted. Undefined before the first pass has ended. */
  readonly reachedAt: Date | undefined;
  /** The end of the running pass; undefined between two. */
  readonly until: Date | undefined;
  /** The last account that the running pass has counted. */
  readonly accountId: string;
};

export async function findFigurePass(database: Queryable): Promise<FigurePass> {
  const { rows } = await database.query<{
    reached_at: Date | null;
    until: string;
    account_id: string;
  }>({
    text: `select reached_at, order_id as until, account_id from sweep_cursors where name = 'figures'`,
  });
  const [row] = rows;
  if (!row) return { reachedAt: undefined, until: undefined, accountId: '' };
  return {
    reachedAt: row.reached_at ?? undefined,
    until: row.until === '' ? undefined : new Date(row.until),
    accountId: row.account_id,
  };
}

/** Joins the pass that another process has started meanwhile. */
export async function startFigurePass(database: Queryable, until: Date): Promise<void> {
  await database.query({
    text: `insert into sweep_cursors as c (name, account_id, order_id, position)
           values ('figures', '', $1, 0)
           on conflict (name) do update set order_id = excluded.order_id where c.order_id = ''`,
    values: [until.toISOString()],
  });
}

/** Does nothing if another process has ended the pass. */
export async function saveFigurePass(
  database: Queryable,
  until: Date,
  accountId: string,
): Promise<void> {
  await database.query({
    text: `update sweep_cursors set account_id = $2 where name = 'figures' and order_id = $1`,
    values: [until.toISOString(), accountId],
  });
}

/** Everything that happened until then is counted. A pass that ended later stays. */
export async function endFigurePass(database: Queryable, until: Date): Promise<void> {
  await database.query({
    text: `insert into sweep_cursors as c (name, account_id, order_id, position, reached_at)
           values ('figures', '', '', 0, $1)
           on conflict (name) do update set account_id = '', order_id = '',
             reached_at = greatest(c.reached_at, excluded.reached_at)`,
    values: [until],
  });
}

/** Ends the race of two counts of a half hour: an older one must not replace a newer one. */
export async function lockFigures(tx: Transaction): Promise<void> {
  const lock = `select 1 from sweep_cursors where name = 'figures' for update`;
  const { rowCount } = await tx.query({ text: lock });
  if (rowCount !== 0) return;
  await tx.query({
    text: `insert into sweep_cursors (name, account_id, order_id, position)
           values ('figures', '', '', 0) on conflict (name) do nothing`,
  });
  await tx.query({ text: lock });
}

export type FigureWalk = {
  /** The last half hour that was visited; undefined at the beginning of a walk. */
  readonly last: Slot | undefined;
  /** How many walks were completed. */
  readonly completed: number;
};

export async function findFigureWalk(database: Queryable): Promise<FigureWalk> {
  const { rows } = await database.query<{
    account_id: string;
    starts_at: string;
    position: number;
  }>({
    text: `select account_id, order_id as starts_at, position from sweep_cursors
            where name = 'figures-walk'`,
  });
  const [row] = rows;
  if (!row) return { last: undefined, completed: 0 };
  const startsAt = new Date(row.starts_at);
  const last = row.starts_at === '' ? undefined : { accountId: row.account_id, startsAt };
  return { last, completed: row.position };
}

export async function saveFigureWalk(
  database: Queryable,
  { last, completed }: FigureWalk,
): Promise<void> {
  await database.query({
    text: `insert into sweep_cursors (name, account_id, order_id, position)
           values ('figures-walk', $1, $2, $3)
           on conflict (name) do update set account_id = excluded.account_id,
             order_id = excluded.order_id, position = excluded.position`,
    values: [last?.accountId ?? '', last?.startsAt.toISOString() ?? '', completed],
  });
}
