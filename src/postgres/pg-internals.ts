/**
 * Everything that relies on parts of `pg` and `pg-pool` which their documentation does not promise. Each part has a
 * test in test/postgres/pg-internals.test.ts, so an upgrade that breaks one fails there.
 */
import type { Duplex } from 'node:stream';
import pg from 'pg';
import type { Columns, Field, PipelinedStatement } from './pipelined-statement.ts';
import type { Servers } from './servers.ts';
import type { Statement } from './statement.ts';

/** The parts of the driver's connection that a query uses; the driver's types do not declare them. */
type Connection = {
  readonly sync: () => void;
  readonly describe: (message: unknown) => void;
  readonly stream: Duplex;
  readonly submittedNamedStatements: Record<string, string>;
};

type DriverQuery = {
  name: string | undefined;
  text: string | undefined;
  submit(connection: Connection): Error | null;
};

/** In pipeline mode the driver accepts only queries of its own class. */
const DriverQuery = pg.Query as unknown as new (
  text: string,
  values?: readonly unknown[],
) => DriverQuery;

/** Errors of the driver carry no code, so they are recognised by their text. */
export const driverMessages = {
  notQueryable: 'is not queryable',
  readTimeout: 'Query read timeout',
  connectionLost: 'Connection terminated unexpectedly',
  unavailable:
    /Connection terminated|timeout expired|timeout exceeded when trying to connect|Client has encountered a connection error|not queryable|pool after calling end/,
} as const;

/** Sends the statements with one Sync behind them. */
export function sendPipeline(
  client: pg.PoolClient,
  statements: readonly PipelinedStatement[],
  { completesAtSync = false } = {},
): void {
  client.query(new PipelineQuery(statements, completesAtSync) as never);
}

/** The driver sees all statements of a pipeline as one query. */
class PipelineQuery extends DriverQuery {
  /** Read by the driver. */
  query_timeout: number | undefined;
  /** Called at the end. The driver wraps it to stop its timer. */
  callback: (error?: Error | null) => void = () => {};
  /** In the order in which the server answers them. */
  readonly #unanswered: PipelinedStatement[];
  readonly #completesAtSync: boolean;
  #columnsByName: Map<string, Columns> | undefined;
  #uncommitted: { readonly done: PipelinedStatement; readonly commandTag: string } | undefined;

  /**
   * Outside of a transaction, the Sync commits. The server has then reported a statement as complete before its
   * commit, which may still fail: `completesAtSync` reports it after the commit.
   */
  constructor(statements: readonly PipelinedStatement[], completesAtSync: boolean) {
    super('');
    this.#unanswered = [...statements];
    this.#completesAtSync = completesAtSync;
    this.query_timeout = longestTimeout(statements);
  }

  override submit(connection: Connection): null {
    const shadows = shadowsOf(connection);
    this.#columnsByName = shadows.columnsByName;
    connection.stream.cork();
    for (const [index, pipelined] of this.#unanswered.entries()) {
      const failure = sendWithoutSync(pipelined, shadows);
      // The statements behind it must not run without it: the last of them may be a commit.
      if (failure) this.#fail(this.#unanswered.splice(index), failure, connection);
    }
    connection.sync();
    connection.stream.uncork();
    this.#showCurrent();
    return null;
  }

  handleRowDescription({ fields }: { readonly fields: readonly Field[] }): void {
    this.#setColumns(this.#unanswered[0], fields);
  }

  handleDataRow({ fields }: { readonly fields: readonly (string | null)[] }): void {
    this.#unanswered[0]?.addRow(fields);
  }

  handleCommandComplete({ text: commandTag }: { readonly text: string }): void {
    const done = this.#unanswered.shift();
    this.#showCurrent();
    if (!done) return;
    if (!done.columns) this.#setColumns(done, []);
    if (this.#completesAtSync) this.#uncommitted = { done, commandTag };
    else done.finish(commandTag);
  }

  handleReadyForQuery(connection: Connection): void {
    this.#uncommitted?.done.finish(this.#uncommitted.commandTag);
    this.#uncommitted = undefined;
    if (this.#unanswered.length > 0)
      this.handleError(new Error('a statement was not answered'), connection);
    else this.callback(null);
  }

  handleError(error: Error, connection: Connection): void {
    this.#uncommitted?.done.fail(error);
    this.#uncommitted = undefined;
    this.#fail(this.#unanswered.splice(0), error, connection);
    this.callback(error);
  }

  #setColumns(pipelined: PipelinedStatement | undefined, fields: readonly Field[]): void {
    const columns = pipelined?.setColumns(fields);
    const name = pipelined?.statement.name;
    if (columns && name) this.#columnsByName?.set(name, columns);
  }

  /** From the name and text of the active query the driver records which statements the server has parsed. */
  #showCurrent(): void {
    this.name = this.#unanswered[0]?.statement.name;
    this.text = this.#unanswered[0]?.statement.text;
  }

  /** The server skipped these statements, so it has not prepared them. */
  #fail(failed: readonly PipelinedStatement[], error: Error, connection: Connection): void {
    for (const pipelined of failed) {
      const { name } = pipelined.statement;
      if (name) delete connection.submittedNamedStatements[name];
      pipelined.fail(error);
    }
  }
}

function longestTimeout(statements: readonly PipelinedStatement[]): number | undefined {
  const longest = Math.max(0, ...statements.map(({ statement }) => statement.query_timeout ?? 0));
  return longest > 0 ? longest : undefined;
}

/** Lets the driver write Parse, Bind, Describe and Execute of one statement. */
class StatementQuery extends DriverQuery {
  failure: Error | undefined;

  constructor({ name, text, values }: Statement) {
    super(text, values);
    this.name = name;
  }

  /** Called while the statement is written, for a value that cannot be encoded. */
  handleError(error: Error): void {
    this.failure = error;
  }
}

function sendWithoutSync(pipelined: PipelinedStatement, shadows: Shadows): Error | undefined {
  const { columnsByName, withoutSync, withoutDescribe } = shadows;
  pipelined.columns = columnsByName.get(pipelined.statement.name ?? '');
  const query = new StatementQuery(pipelined.statement);
  return query.submit(pipelined.columns ? withoutDescribe : withoutSync) ?? query.failure;
}

/** A connection seen through objects that leave out some of its messages. */
type Shadows = {
  /** The driver writes a Sync behind every statement, which costs a write of the server for each. */
  readonly withoutSync: Connection;
  /** The columns of a named statement do not change, so they are requested once per connection. */
  readonly withoutDescribe: Connection;
  readonly columnsByName: Map<string, Columns>;
};

const shadowsByConnection = new WeakMap<Connection, Shadows>();

function shadowsOf(connection: Connection): Shadows {
  const known = shadowsByConnection.get(connection);
  if (known) return known;
  const withoutSync = Object.assign(Object.create(connection), { sync: skip });
  const withoutDescribe = Object.assign(Object.create(withoutSync), { describe: skip });
  const shadows = { withoutSync, withoutDescribe, columnsByName: new Map() };
  shadowsByConnection.set(connection, shadows);
  return shadows;
}

function skip(): void {}

/** Statements sent in the same tick leave in one write: system calls cost more than bytes. */
export function corkUntilNextTick(client: pg.PoolClient): void {
  const stream = streamOf(client);
  stream.cork();
  process.nextTick(() => stream.uncork());
}

/** Ends the connection without a farewell to a server that may never read it. */
export function destroySocket(client: pg.PoolClient): void {
  streamOf(client).destroy();
}

function streamOf(client: pg.PoolClient): Duplex {
  return (client as unknown as { connection: Connection }).connection.stream;
}

/** The process id that the server announced at the start of the connection; a pooler announces one of its own. */
export function announcedPidOf(client: pg.ClientBase): number {
  return (client as unknown as { processID: number | null }).processID ?? 0;
}

/** Takes effect when the pool next needs a connection; open ones stay. */
export function setConnectionsMax(pool: pg.Pool, connectionsMax: number): void {
  pool.options.max = connectionsMax;
}

/**
 * A client class for the pool. It limits the time for connecting apart from the time for waiting in the pool's queue,
 * and reports the outcome of a connection before the pool hears of it and opens the next one.
 */
export function clientClass(options: {
  readonly connectMsMax: number;
  /** Without it the driver sends a query only after the answer to the one before. */
  readonly isPipelined: () => boolean;
  readonly servers: Pick<Servers, 'current' | 'assign'>;
  readonly onConnect: (error: unknown, client: pg.Client) => void;
}): typeof pg.Client {
  return class extends pg.Client {
    constructor(config?: pg.ClientConfig) {
      const server = options.servers.current();
      super({
        ...config,
        ...server,
        connectionTimeoutMillis: options.connectMsMax,
        pipeline: options.isPipelined(),
      });
      options.servers.assign(this, server);
    }

    /** The pool connects with a callback; the driver's types declare other ways as well. */
    override connect(callback?: unknown): never {
      return super.connect((error: Error) => {
        options.onConnect(error, this);
        (callback as (error: Error) => void)(error);
      }) as never;
    }
  };
}
