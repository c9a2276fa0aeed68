/** One statement of a pipeline: reads its rows, with one parser per column, and settles its promise. */
import pg from 'pg';
import type { Statement, StatementResult } from './statement.ts';

export type Field = { readonly name: string; readonly dataTypeID: number };

type Row = Record<string, unknown>;

export type Columns = {
  readonly readers: ReadonlyArray<readonly [name: string, read: (text: string) => unknown]>;
  /** Copied for each row: objects of one shape are faster than objects that grow. */
  readonly emptyRow: Row;
};

// Amounts and counts stay far below 2^53 (limits.amountMinorMax), so bigint columns are numbers here.
const bigintType = 20;
pg.types.setTypeParser(bigintType, (text) => {
  const value = Number(text);
  if (!Number.isSafeInteger(value)) throw new Error('a bigint column is beyond exact numbers');
  return value;
});

function columnsOf(fields: readonly Field[]): Columns {
  return {
    readers: fields.map(({ name, dataTypeID }) => [name, pg.types.getTypeParser(dataTypeID)]),
    emptyRow: Object.fromEntries(fields.map(({ name }) => [name, null])),
  };
}

/** Throws what a parser throws. */
function readRow({ readers, emptyRow }: Columns, values: readonly (string | null)[]): Row {
  const row = { ...emptyRow };
  for (let index = 0; index < readers.length; index += 1) {
    const value = values[index];
    const reader = readers[index];
    if (reader && typeof value === 'string') row[reader[0]] = reader[1](value);
  }
  return row;
}

const noColumns: Columns = columnsOf([]);

export class PipelinedStatement {
  readonly statement: Statement;
  readonly #settle = Promise.withResolvers<StatementResult>();
  readonly result = this.#settle.promise;
  /** Set before the statement is sent when an earlier result of the same named statement is known. */
  columns: Columns | undefined;
  readonly #rows: Row[] = [];
  #unreadable: Error | undefined;

  constructor(statement: Statement) {
    this.statement = statement;
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
