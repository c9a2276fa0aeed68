/** One statement as the driver sends it, and its answer as it comes in. */
import pg from 'pg';
import type { Statement } from './database.ts';

export type Answer = {
  readonly rows: never[];
  readonly rowCount: number | null;
  readonly command: string;
};

/** What the driver asks of a query, and a query of the connection; its own types do not tell. */
export type Connection = {
  readonly sync: () => void;
  readonly describe: (what: unknown) => void;
  readonly stream: { readonly cork: () => void; readonly uncork: () => void };
  readonly submittedNamedStatements: Record<string, string>;
};
export type DriversQuery = {
  name: string | undefined;
  text: string | undefined;
  submit: (connection: Connection) => Error | null;
};
/** The driver takes only queries of its own class. */
export const DriversQuery = pg.Query as unknown as new (
  text: string,
  values?: readonly unknown[],
) => DriversQuery;

type Row = Record<string, unknown>;
type Columns = {
  readonly readers: ReadonlyArray<readonly [name: string, read: (text: string) => unknown]>;
  readonly emptyRow: Row;
};
const noColumns: Columns = { readers: [], emptyRow: {} };

/** A connection as a statement of a turn is sent on it. */
type Way = {
  readonly withoutSync: Connection;
  /** And without asking what the columns of the answer are. */
  readonly withColumnsKnown: Connection;
  /** Of the answers to named statements. */
  readonly columns: Map<string, Columns>;
};

const ways = new WeakMap<Connection, Way>();

function wayOf(connection: Connection): Way {
  const known = ways.get(connection);
  if (known) return known;
  const withoutSync = Object.assign(Object.create(connection), { sync: noop });
  const withColumnsKnown = Object.assign(Object.create(withoutSync), { describe: noop });
  const way = { withoutSync, withColumnsKnown, columns: new Map() };
  ways.set(connection, way);
  return way;
}

function noop(): void {}

export type Field = { readonly name: string; readonly dataTypeID: number };

/** One statement, and its answer as it comes in. */
export class PipelinedStatement extends DriversQuery {
  readonly answer: Promise<Answer>;
  readonly #settle: PromiseWithResolvers<Answer>;
  readonly #rows: Row[] = [];
  #columns: Columns | undefined;
  #columnsByName: Way['columns'] | undefined;
  #failure: Error | undefined;

  constructor({ name, text, values }: Statement) {
    super(text, values);
    this.name = name;
    this.#settle = Promise.withResolvers();
    this.answer = this.#settle.promise;
  }

  /** What could not be sent at all is given back. */
  sendOn(connection: Connection): Error | undefined {
    const { columns, withoutSync, withColumnsKnown } = wayOf(connection);
    this.#columnsByName = columns;
    this.#columns = columns.get(this.name ?? '');
    return this.submit(this.#columns ? withColumnsKnown : withoutSync) ?? this.#failure;
  }

  learnColumns(fields: readonly Field[]): void {
    this.#columns = {
      readers: fields.map(({ name, dataTypeID }) => [name, pg.types.getTypeParser(dataTypeID)]),
      emptyRow: Object.fromEntries(fields.map(({ name }) => [name, null])),
    };
    if (this.name) this.#columnsByName?.set(this.name, this.#columns);
  }

  addRow(values: readonly (string | null)[]): void {
    const { readers, emptyRow } = this.#columns ?? noColumns;
    const row = { ...emptyRow };
    try {
      for (let place = 0; place < readers.length; place += 1) {
        const value = values[place];
        const reader = readers[place];
        if (reader && typeof value === 'string') row[reader[0]] = reader[1](value);
      }
    } catch (error) {
      this.#failure = error as Error;
    }
    this.#rows.push(row);
  }

  /** As the server says it: `INSERT 0 3`, `SELECT 2`, `COMMIT`. */
  finish(said: string): void {
    if (!this.#columns) this.learnColumns([]);
    const [command = '', ...counts] = said.split(' ');
    const count = counts.at(-1);
    const rowCount = count === undefined ? null : Number(count);
    if (this.#failure) this.fail(this.#failure);
    else this.#settle.resolve({ rows: this.#rows as never[], rowCount, command });
  }

  fail(error: Error): void {
    this.#settle.reject(error);
  }

  /** The driver calls it for a value that cannot be sent. */
  handleError(error: Error): void {
    this.#failure = error;
  }
}
