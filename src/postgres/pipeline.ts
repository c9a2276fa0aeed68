/**
 * Statements that leave in one turn go in one write with one barrier behind them, and are answered in one write.
 * The driver by itself sends a barrier behind each, so that the server answers, and wakes us, for every one of
 * them; and it asks each time what the columns of the answer are.
 */
import type pg from 'pg';
import type { Statement } from './database.ts';
import {
  type Answer,
  type Connection,
  DriversQuery,
  type Field,
  PipelinedStatement,
} from './pipelined-statement.ts';

export type Send = (statement: Statement) => Promise<Answer>;

/**
 * Sends what it is given until the turn ends, in the order in which it was given; for use within a transaction. When
 * one fails, the server passes over those behind it, and they fail with it. Nothing is sent of a turn for which
 * `findObstacle` finds one when it ends.
 */
export function createPipeline(
  client: pg.PoolClient,
  findObstacle: () => Error | undefined = () => undefined,
): Send {
  let turn: Pipeline | undefined;
  const flush = () => {
    const obstacle = findObstacle();
    if (turn && obstacle) turn.abandon(obstacle);
    else if (turn) client.query(turn as never);
    turn = undefined;
  };
  return (statement) => {
    if (!isPrepared(statement)) {
      flush();
      return sendAlone(client, statement);
    }
    if (!turn) {
      turn = new Pipeline();
      process.nextTick(flush);
    }
    return turn.add(statement);
  };
}

/** With a barrier of its own, and so with a commit of its own outside of a transaction. */
export function sendAlone(client: pg.PoolClient, statement: Statement): Promise<Answer> {
  // Text that may be many statements goes another way.
  if (!isPrepared(statement)) return client.query(statement as pg.QueryConfig) as Promise<never>;
  const turn = new SinglePipeline();
  const answer = turn.add(statement);
  client.query(turn as never);
  return answer;
}

function isPrepared({ name, values }: Statement): boolean {
  return name !== undefined || (values !== undefined && values.length > 0);
}

/**
 * To the driver all statements of a turn are one query. Each is done when the server says so: within a transaction
 * only the commit could take it back, and the server says that a commit is done when it is.
 */
class Pipeline extends DriversQuery {
  /** Longer than the limit of all where one of them asks for it. */
  query_timeout: number | undefined;
  /** Called at the end; the driver puts its own before it. */
  callback: (error?: Error | null) => void = () => {};
  /** In the order in which they are answered. */
  readonly #waiting: PipelinedStatement[] = [];

  constructor() {
    super('');
  }

  add(statement: Statement): Promise<Answer> {
    const { query_timeout } = statement;
    if (query_timeout) this.query_timeout = Math.max(this.query_timeout ?? 0, query_timeout);
    const sent = new PipelinedStatement(statement);
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
    const done = this.#waiting.shift();
    this.#tellNext();
    if (done) this.finish(done, text);
  }

  finish(done: PipelinedStatement, said: string): void {
    done.finish(said);
  }

  handleReadyForQuery(connection: Connection): void {
    if (this.#waiting.length > 0) {
      this.handleError(new Error('a statement was not answered'), connection);
    } else this.callback(null);
  }

  handleError(error: Error, connection: Connection): void {
    this.#fail(this.#waiting.splice(0), error, connection);
    this.callback(error);
  }

  /** Nothing of it was sent. */
  abandon(error: Error): void {
    for (const sent of this.#waiting.splice(0)) sent.fail(error);
  }

  /** By these the driver remembers which statements the server has prepared. */
  #tellNext(): void {
    this.name = this.#waiting[0]?.name;
    this.text = this.#waiting[0]?.text;
  }

  /** The server passed over them, and so has not prepared them. */
  #fail(failed: readonly PipelinedStatement[], error: Error, connection: Connection): void {
    for (const sent of failed) {
      if (sent.name) delete connection.submittedNamedStatements[sent.name];
      sent.fail(error);
    }
  }
}

/**
 * Outside of a transaction a statement is committed at the barrier, after the server has said that it is done; until
 * then it may still fail.
 */
class SinglePipeline extends Pipeline {
  #uncommitted: { readonly done: PipelinedStatement; readonly said: string } | undefined;

  override finish(done: PipelinedStatement, said: string): void {
    this.#uncommitted = { done, said };
  }

  override handleReadyForQuery(connection: Connection): void {
    const { done, said } = this.#uncommitted ?? {};
    this.#uncommitted = undefined;
    if (done && said !== undefined) done.finish(said);
    super.handleReadyForQuery(connection);
  }

  override handleError(error: Error, connection: Connection): void {
    this.#uncommitted?.done.fail(error);
    this.#uncommitted = undefined;
    super.handleError(error, connection);
  }
}
