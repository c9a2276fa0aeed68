/** A statement as the store writes it, and what the server answers. */

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
