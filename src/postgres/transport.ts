/** The ways in which statements travel on one connection: pipelined, or one by one; directly, or through a pooler. */
import type pg from 'pg';
import type { Send, Statement, StatementResult } from './statement.ts';

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
