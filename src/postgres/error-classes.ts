/** What an error of the database means: whether the work may be retried, and what the caller receives. */
import { ServiceError } from '../domain/errors.ts';
import { driverMessages } from './pg-internals.ts';

/** The SQLSTATEs that mean something here. */
const states = {
  warning: '01000',
  notSupported: '0A000',
  uniqueViolation: '23505',
  readOnly: '25006',
  /** The transaction waited too long for its next statement, for example because the process was stopped for a while. */
  idleTimeout: '25P03',
  /** The whole transaction took too long, for a server whose limit we could not lift. */
  transactionTimeout: '25P04',
  unknownStatement: '26000',
  serializationFailure: '40001',
  deadlockDetected: '40P01',
  tooManyConnections: '53300',
  queryCanceled: '57014',
  adminShutdown: '57P01',
  crashShutdown: '57P02',
  ioError: '58030',
  /** Some errors of a worker of Citus reach us as internal errors. */
  internalError: 'XX000',
} as const;

function isState(error: unknown, ...names: ReadonlyArray<keyof typeof states>): boolean {
  return names.some((name) => states[name] === sqlState(error));
}

/** Contract 10.1: the database rolled everything back, or the connection was lost before the commit. */
export function mayRunAgain(error: unknown): boolean {
  if (isState(error, 'serializationFailure', 'deadlockDetected')) return true;
  // Nothing was written. A connection that is opened now may lead to the new primary.
  if (isReadOnly(error)) return true;
  // A migration of the next release adds a column while this one serves. A new connection prepares the statement anew.
  if (isUnprepared(error)) return true;
  // The coordinator may still hold connections to a worker that was restarted; the next attempt opens new ones.
  if (isLostWorker(error)) return !isRefusedByWorker(error);
  return isLostConnection(error) || error instanceof PipeliningFailed;
}

/** Contract 10.5: a server that cannot be written to is unavailable, and nothing is read from it either. */
export class StandbyError extends Error {
  readonly code = states.readOnly;

  constructor() {
    super('the server is a standby or read-only');
  }
}

/** The connection failed its check before anything was sent on it; the next one uses plain `pg`. */
export class PipeliningFailed extends Error {}

/** A concurrent transaction inserted the same unique row first. The retry finds that row. */
class ConcurrentInsertError extends Error {
  readonly code = states.serializationFailure;
}

/** The unique constraints are those of the statement that failed. */
export function explainConcurrentInsert(
  error: unknown,
  constraints: readonly string[] = [],
): unknown {
  const isConcurrentInsert = constraints.some((name) => violates(error, name));
  if (!isConcurrentInsert) return error;
  return new ConcurrentInsertError('a concurrent transaction inserted the row first', {
    cause: error,
  });
}

/** Citus may name the constraint in the message only, with the number of the shard. */
function violates(error: unknown, constraint: string): boolean {
  const { constraint: violated, message } = error as { constraint?: string; message?: string };
  const isViolation = isState(error, 'uniqueViolation', 'internalError');
  const named = violated === undefined ? message : `"${violated}"`;
  return isViolation && new RegExp(`"${constraint}(_\\d+)?"`).test(named ?? '');
}

/** The connection was already broken, so the driver or the socket refused to send. */
function wasNeverSent(error: unknown): boolean {
  if (sqlState(error) === 'EPIPE') return true;
  return error instanceof Error && error.message.includes(driverMessages.notQueryable);
}

/** A commit was sent and its answer lost: it may have been saved, so it must not be retried here. */
export function explainLostCommit(error: unknown): never {
  if (!isLostConnection(error) || wasNeverSent(error)) throw error;
  throw new ServiceError('SERVICE_UNAVAILABLE', undefined, { cause: error });
}

/** The commit itself failed. On Citus, a worker may have saved it before the coordinator lost the worker. */
export function explainFailedCommit(error: unknown): never {
  if (!isUnavailable(error) || wasNeverSent(error)) throw error;
  throw new ServiceError('SERVICE_UNAVAILABLE', undefined, { cause: error });
}

const lostWorkerStates = ['08000', '08001', '08003', '08006', '57P01', '57P02', '57P03'];

/** Citus reports these as internal errors, so they are recognised by their text. */
const lostWorkerMessages =
  /marked as essential|failed to complete COPY|any active placements|terminating connection due to|server closed the connection|connection not open|SYSCALL error|the database system is/;

/**
 * The coordinator of Citus cannot reach a worker. When a server ends our own connection, the severity is FATAL.
 * With ERROR it is about the connection to the worker, and ours can still be used.
 */
function isLostWorker(error: unknown): boolean {
  const { severity, message } = error as { severity?: string; message?: string };
  if (severity !== 'ERROR') return false;
  if (lostWorkerStates.includes(sqlState(error) ?? '')) return true;
  return isState(error, 'internalError', 'ioError') && lostWorkerMessages.test(message ?? '');
}

/** A new connection to the worker failed, perhaps after seconds: another attempt would fail in the same way. */
function isRefusedByWorker(error: unknown): boolean {
  return /could not establish|refused|the database system is/.test((error as Error).message);
}

/** A worker of Citus is away. The accounts of other workers can be served. */
export class WorkerUnavailable extends ServiceError {
  constructor(cause: Error) {
    super('SERVICE_UNAVAILABLE', undefined, { cause });
  }
}

/** One worker that hangs holds up a statement for all, until the statement is cancelled for taking too long. */
export function explainSlowWorker(error: unknown): unknown {
  return isState(error, 'queryCanceled') ? new WorkerUnavailable(error as Error) : error;
}

function isLostConnection(error: unknown): boolean {
  if (isLostWorker(error)) return false;
  if (isState(error, 'adminShutdown', 'crashShutdown', 'idleTimeout', 'transactionTimeout'))
    return true;
  if (sqlState(error) === 'ECONNRESET' || wasNeverSent(error)) return true;
  return error instanceof Error && error.message.startsWith(driverMessages.connectionLost);
}

/**
 * A commit that is cancelled while it waits for a synchronous standby is reported as done, with a warning before it. The
 * text of the warning depends on the language of the server; no other statement of ours causes one with these codes.
 */
export function warnsOfLostWait(notice: unknown): boolean {
  return isState(notice, 'warning', 'adminShutdown');
}

/** Nothing was sent: no connection could be opened. */
export function isOutOfConnections(error: unknown): boolean {
  return isState(error, 'tooManyConnections');
}

/** The server has become a standby: its other connections are of no use either. */
export function isReadOnly(error: unknown): error is Error {
  return isState(error, 'readOnly');
}

/** The server sent nothing for longer than a statement may take. */
export function isMute(error: unknown): error is Error {
  return error instanceof Error && error.message === driverMessages.readTimeout;
}

/** The columns of a prepared statement's result have changed, or the server no longer knows it. It was not executed. */
export function isUnprepared(error: unknown): error is Error {
  if (isState(error, 'unknownStatement')) return true;
  // Everything that Citus cannot do has the same code, and would fail again.
  if (!isState(error, 'notSupported')) return false;
  return (error as { readonly routine?: string }).routine === 'RevalidateCachedQuery';
}

/** The connection does not recover by itself and must be replaced. */
export function isSpoilt(error: unknown): error is Error {
  // The server announces a shutdown before it closes the connection, which must not be reused in between.
  if (isLostConnection(error) || isMute(error) || isReadOnly(error)) return true;
  return isUnprepared(error);
}

/** SQLSTATE classes for a temporary failure: connection, resources, operator intervention, system; timeouts of transactions; and a standby. */
const unavailableStates = /^(08|53|57|58|25P03|25P04|25006)/;
const unavailableSystemCodes = /^(ECONN|EPIPE|ENOENT|ETIMEDOUT|EHOSTUNREACH|ENOTFOUND|EAI_AGAIN)/;

export function isUnavailable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error instanceof AggregateError) return error.errors.some(isUnavailable);
  const code = sqlState(error) ?? '';
  return (
    unavailableStates.test(code) ||
    unavailableSystemCodes.test(code) ||
    driverMessages.unavailable.test(error.message) ||
    isMute(error) ||
    isLostWorker(error)
  );
}

export function translateDatabaseError(error: unknown): unknown {
  if (error instanceof ServiceError || !isUnavailable(error)) return error;
  if (isLostWorker(error)) return new WorkerUnavailable(error as Error);
  return new ServiceError('SERVICE_UNAVAILABLE', undefined, { cause: error });
}

/** The SQLSTATE of a database error, or the code of a system error. */
export function sqlState(error: unknown): string | undefined {
  const code = (error as { code?: unknown } | null)?.code;
  return typeof code === 'string' ? code : undefined;
}
