/** A statement as the store writes it, the handles that run it, and the ways in which it travels on a connection. */
import type pg from 'pg';

/** A named statement is prepared once per connection. */
export type Statement = {
  readonly name?: string;
  readonly text: string;
  readonly values?: readonly unknown[];
  /**
   * The unique constraints by which a concurrent transaction may be first with the same row. Their violation is retried,
   * and the second attempt finds that row.
   */
  readonly concurrentInserts?: readonly string[];
  /** Replaces name, text and values on a Citus cluster, unless it returns nothing. */
  readonly onCluster?: () => Pick<Statement, 'name' | 'text' | 'values'> | undefined;
  /** Sent in its place on a Citus cluster: one for each account. Their rows together are the result. */
  readonly perAccount?: () => readonly Statement[];
  /** Overrides the pool's limit, in milliseconds; the name is the one that `pg` reads. */
  readonly query_timeout?: number;
};

export type StatementResult = {
  readonly rows: never[];
  readonly rowCount: number | null;
  readonly command: string;
};

export type Send = (statement: Statement) => Promise<StatementResult>;

/** A session has the right isolation level by itself. */
export const begin: Statement = { name: 'begin', text: 'begin' };

/** Only a prepared statement can be pipelined: text without values may hold several statements. */
export function isPrepared({ name, values }: Statement): boolean {
  return name !== undefined || (values !== undefined && values.length > 0);
}

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

/** Sends each statement after the answer to the one before it, whether that failed or not. */
export function inTurn(send: Send): Send {
  let previous: Promise<unknown> = Promise.resolve();
  return (statement) => {
    const result = previous.then(() => send(statement));
    previous = result.catch(() => {});
    return result;
  };
}

/** How statements travel on one connection: pipelined, or one by one; directly, or through a pooler. */
export type Transport = {
  readonly isPipelined: boolean;
  /** A connection is not used again after a transaction that failed. */
  readonly isSpoiltByFailure: boolean;
  /** Begins a transaction. */
  readonly begin: Statement;
  /** One statement, committed by itself outside of a transaction. */
  readonly sendAlone: (client: pg.PoolClient, statement: Statement) => Promise<StatementResult>;
  /** Statements in the order of the calls, each committed by itself. */
  readonly openSeparate: (client: pg.PoolClient) => Send;
  /**
   * Statements of a transaction, in the order of the calls. A pipeline for which `findObstacle` returns an error when
   * it is about to be sent fails with that error, and none of its statements are sent.
   */
  readonly openPipeline: (client: pg.PoolClient, findObstacle: () => Error | undefined) => Send;
};

/**
 * Starts statements in a given order without waiting for the answers in between, so that all of them leave in one
 * pipeline. `Promise.all` would do the same and say "in any order". PostgreSQL runs the statements of a connection in
 * the order in which they are started. That holds for the first statement of each part: what a part sends after an
 * `await` of its own runs behind all other parts.
 */
export function inOrder<const Parts extends readonly (() => Promise<unknown>)[]>(
  parts: Parts,
): Promise<{ -readonly [Index in keyof Parts]: Awaited<ReturnType<Parts[Index]>> }> {
  return Promise.all(parts.map((start) => start())) as never;
}
