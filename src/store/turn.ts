/**
 * Statements that leave in one turn go in one write with one barrier behind them, and are answered in one write.
 * The driver by itself sends a barrier behind each, so that the server answers, and wakes us, for every one of
 * them; and it asks each time what the columns of the answer are.
 */
import pg from 'pg';
import type { Statement } from './database.ts';

export type Answer = {
  readonly rows: never[];
  readonly rowCount: number | null;
  readonly command: string;
};

export type Send = (statement: Statement) => Promise<Answer>;

/**
 * Sends what it is given until the turn ends, in the order in which it was given. When one fails, the server passes
 * over those behind it, and they fail with it. Outside of a transaction all of a turn would be one.
 */
export function sendInTurns(client: pg.PoolClient): Send {
  let turn: Turn | undefined;
  const endTurn = () => {
    if (turn) client.query(turn as never);
    turn = undefined;
  };
  return (statement) => {
    if (!isPrepared(statement)) {
      endTurn();
      return sendAlone(client, statement);
    }
    if (!turn) {
      turn = new Turn();
      process.nextTick(endTurn);
    }
    return turn.add(statement);
  };
}

/** With a barrier of its own, and so with a commit of its own outside of a transaction. */
export function sendAlone(client: pg.PoolClient, statement: Statement): Promise<Answer> {
  // Text that may be many statements goes another way.
  if (!isPrepared(statement)) return client.query(statement as pg.QueryConfig) as Promise<never>;
  const turn = new Turn();
  const answer = turn.add(statement);
  client.query(turn as never);
  return answer;
}

function isPrepared({ name, values }: Statement): boolean {
  return name !== undefined || (values !== undefined && values.length > 0);
}

/** What the driver asks of a query, and a query of the connection; its own types do not tell. */
type Connection = {
  readonly sync: () => void;
  readonly describe: (what: unknown) => void;
  readonly stream: { readonly cork: () => void; readonly uncork: () => void };
  readonly submittedNamedStatements: Record<string, string>;
};
type DriversQuery = {
  name: string | undefined;
  text: string | undefined;
  submit: (connection: Connection) => Error | null;
};
/** The driver takes only queries of its own class. */
const DriversQuery = pg.Query as unknown as new (
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
  readonly withoutBarrier: Connection;
  /** And without asking what the columns of the answer are. */
  readonly withColumnsKnown: Connection;
  /** Of the answers to named statements. */
  readonly columns: Map<string, Columns>;
};

const ways = new WeakMap<Connection, Way>();

function wayOf(connection: Connection): Way {
  const known = ways.get(connection);
  if (known) return known;
  const withoutBarrier = Object.assign(Object.create(connection), { sync: noop });
  const withColumnsKnown = Object.assign(Object.create(withoutBarrier), { describe: noop });
  const way = { withoutBarrier, withColumnsKnown, columns: new Map() };
  ways.set(connection, way);
  return way;
}

function noop(): void {}

/** To the driver all statements of a turn are one query. */
class Turn extends DriversQuery {
  /** Longer than the limit of all where one of them asks for it. */
  query_timeout: number | undefined;
  /** Called at the end; the driver puts its own before it. */
  callback: (error?: Error | null) => void = () => {};
  /** In the order in which they are answered. */
  readonly #waiting: Sent[] = [];

  constructor() {
    super('');
  }

  add(statement: Statement): Promise<Answer> {
    const { query_timeout } = statement;
    if (query_timeout) this.query_timeout = Math.max(this.query_timeout ?? 0, query_timeout);
    const sent = new Sent(statement);
    this.#waiting.push(sent);
    return sent.answer;
  }

  override submit = (connection: Connection): null => {
    connection.stream.cork();
    for (const [place, sent] of this.#waiting.entries()) {
      const failure = sent.sendOn(connection);
      // It must not be missing among those behind it, of which the last may be a commit.
      if (failure) this.#fail(this.#waiting.splice(place), failure, connection);
    }
    connection.sync();
    connection.stream.uncork();
    this.#tellNext();
    return null;
  };

  handleRowDescription({ fields }: { readonly fields: readonly Field[] }): void {
    this.#waiting[0]?.learnColumns(fields);
  }

  handleDataRow({ fields }: { readonly fields: readonly (string | null)[] }): void {
    this.#waiting[0]?.addRow(fields);
  }

  handleCommandComplete({ text }: { readonly text: string }): void {
    this.#waiting.shift()?.finish(text);
    this.#tellNext();
  }

  handleReadyForQuery(): void {
    this.callback(null);
  }

  handleError(error: Error, connection: Connection): void {
    this.#fail(this.#waiting.splice(0), error, connection);
    this.callback(error);
  }

  /** By these the driver remembers which statements the server has prepared. */
  #tellNext(): void {
    this.name = this.#waiting[0]?.name;
    this.text = this.#waiting[0]?.text;
  }

  /** The server passed over them, and so has not prepared them. */
  #fail(failed: readonly Sent[], error: Error, connection: Connection): void {
    for (const sent of failed) {
      if (sent.name) delete connection.submittedNamedStatements[sent.name];
      sent.fail(error);
    }
  }
}

type Field = { readonly name: string; readonly dataTypeID: number };

/** One statement, and its answer as it comes in. */
class Sent extends DriversQuery {
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
    const { columns, withoutBarrier, withColumnsKnown } = wayOf(connection);
    this.#columnsByName = columns;
    this.#columns = columns.get(this.name ?? '');
    return this.submit(this.#columns ? withColumnsKnown : withoutBarrier) ?? this.#failure;
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
