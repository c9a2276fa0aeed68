/** The handles that the store takes: anything that runs a statement, and a transaction. */
import type pg from 'pg';
import type { Statement } from './statement.ts';

export type AnyRow = pg.QueryResultRow;

/** Anything that runs a statement: the database, or a transaction. */
export type Queryable = {
  readonly query: <Row extends AnyRow>(
    statement: Statement,
  ) => Promise<{ readonly rows: Row[]; readonly rowCount: number | null }>;
};

/** Functions that lock rows require this type, so forgetting the transaction does not compile. */
export type Transaction = Queryable & {
  readonly inTransaction: true;
  /**
   * Sends the commit behind these writes without waiting for their results. All of their statements must have been
   * issued when `work` returns. PostgreSQL refuses to commit when one of them failed; a result that the code itself
   * has to check must be awaited instead.
   */
  readonly commitWith: (writes: Promise<unknown>) => void;
  /** Called once, after the transaction is committed for certain. It must not throw. */
  readonly onCommit: (callback: () => void) => void;
};
