/** One statement of a pipeline: collects its rows and settles its promise. Knows nothing of the driver. */
import { type Columns, columnsOf, type Field, type Row, readRow } from './row-reader.ts';
import type { Statement, StatementResult } from './statement.ts';

const noColumns: Columns = columnsOf([]);

export class PipelinedStatement {
  readonly statement: Statement;
  readonly result: Promise<StatementResult>;
  /** Set before the statement is sent when an earlier result of the same named statement is known. */
  columns: Columns | undefined;
  readonly #settle: PromiseWithResolvers<StatementResult>;
  readonly #rows: Row[] = [];
  #unreadable: Error | undefined;

  constructor(statement: Statement) {
    this.statement = statement;
    this.#settle = Promise.withResolvers();
    this.result = this.#settle.promise;
  }

  setColumns(fields: readonly Field[]): Columns {
    this.columns = columnsOf(fields);
    return this.columns;
  }

  /** An unreadable row fails this statement alone, at its end: the rows behind it still arrive. */
  addRow(values: readonly (string | null)[]): void {
    try {
      this.#rows.push(readRow(this.columns ?? noColumns, values));
    } catch (error) {
      this.#unreadable = error as Error;
    }
  }

  /** Takes the server's command tag: `INSERT 0 3`, `SELECT 2`, `COMMIT`. */
  finish(commandTag: string): void {
    if (this.#unreadable) {
      this.fail(this.#unreadable);
      return;
    }
    const [command = '', ...counts] = commandTag.split(' ');
    const count = counts.at(-1);
    const rowCount = count === undefined ? null : Number(count);
    this.#settle.resolve({ rows: this.#rows as never[], rowCount, command });
  }

  fail(error: Error): void {
    this.#settle.reject(error);
  }
}
