/** What a failure of the database means: whether it may be tried again, and what callers are told. */
import { ServiceError } from '../domain/errors.ts';

const serializationFailure = '40001';
const deadlockDetected = '40P01';

/** Contract 10.1: the database rolled everything back, or the connection broke before commit. */
export function mayRunAgain(error: unknown): boolean {
  const state = sqlState(error);
  return state === serializationFailure || state === deadlockDetected || isLostConnection(error);
}

/** Another was faster with a row that there may be only once; all is done again, and finds that row. */
class RivalError extends Error {
  readonly code = serializationFailure;
}

const uniqueViolation = '23505';

export function explainRival(error: unknown): unknown {
  if (sqlState(error) !== uniqueViolation) return error;
  return new RivalError('another was faster', { cause: error });
}

const adminShutdown = '57P01';
const crashShutdown = '57P02';

/** Nothing is sent over a connection that broke before: the driver refuses, or the socket does. */
function wasNeverSent(error: unknown): boolean {
  if (sqlState(error) === 'EPIPE') return true;
  return error instanceof Error && error.message.includes('is not queryable');
}

/** A commit that was sent and not answered: nobody knows, so running it again is not ours to decide. */
export function explainLostCommit(error: unknown): never {
  if (!isLostConnection(error) || wasNeverSent(error)) throw error;
  throw new ServiceError('SERVICE_UNAVAILABLE', undefined, { cause: error });
}

function isLostConnection(error: unknown): boolean {
  const code = sqlState(error) ?? '';
  if ([adminShutdown, crashShutdown, 'ECONNRESET', 'EPIPE'].includes(code)) return true;
  if (wasNeverSent(error)) return true;
  return error instanceof Error && error.message.startsWith('Connection terminated unexpectedly');
}

const tooManyConnections = '53300';

/** Nothing was sent: there was no connection to send it on. */
export function isOutOfConnections(error: unknown): boolean {
  return sqlState(error) === tooManyConnections;
}

/** Nothing was heard for longer than a statement may take. */
export function isMute(error: unknown): error is Error {
  return error instanceof Error && error.message === 'Query read timeout';
}

/** What the answer looks like has changed since a statement was prepared, or the server has forgotten it. */
const unpreparedStates = ['0A000', '26000'];

/** A connection that does not get better by itself; the next one is as good as new. */
export function isSpoilt(error: unknown): error is Error {
  // One that is ending says so before it ends, and must not be taken for a good one in between.
  if (isLostConnection(error) || isMute(error)) return true;
  return unpreparedStates.includes(sqlState(error) ?? '');
}

/** Classes and codes that say "not now": connection, resources, operator, cancelled by timeout. */
const unavailableStates = /^(08|53|57|58)/;
const unavailableSystemCodes = /^(ECONN|EPIPE|ENOENT|ETIMEDOUT|EHOSTUNREACH|ENOTFOUND|EAI_AGAIN)/;
const unavailableMessages =
  /Connection terminated|timeout expired|timeout exceeded when trying to connect|Client has encountered a connection error|not queryable|pool after calling end/;

export function isUnavailable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error instanceof AggregateError) return error.errors.some(isUnavailable);
  const code = sqlState(error) ?? '';
  return (
    unavailableStates.test(code) ||
    unavailableSystemCodes.test(code) ||
    unavailableMessages.test(error.message) ||
    isMute(error)
  );
}

export function translateDatabaseError(error: unknown): unknown {
  if (error instanceof ServiceError || !isUnavailable(error)) return error;
  return new ServiceError('SERVICE_UNAVAILABLE', undefined, { cause: error });
}

/** The SQLSTATE of a database error, or the code of a system error. */
export function sqlState(error: unknown): string | undefined {
  const code = (error as { code?: unknown } | null)?.code;
  return typeof code === 'string' ? code : undefined;
}
