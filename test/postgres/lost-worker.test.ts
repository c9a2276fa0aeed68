/** What the coordinator of Citus reports when it loses a worker, and what follows from it. Contract 10.4. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ServiceError } from '../../src/domain/errors.ts';
import {
  explainFailedCommit,
  explainSlowWorker,
  isSpoilt,
  mayRunAgain,
  translateDatabaseError,
  WorkerUnavailable,
} from '../../src/postgres/error-classes.ts';

/** As Citus 13 reported them while workers were killed, restarted and frozen, and whether another attempt may succeed. */
const reports = [
  ['08006', 'connection to the remote node failed: Connection refused', false],
  ['08006', 'connection to the remote node failed: the database system is starting up', false],
  ['08006', 'could not establish any connections to the node 127.0.0.1:7002 after 3000 ms', false],
  ['08006', 'connection to the remote node failed: server closed the connection', true],
  ['XX000', 'failure on connection marked as essential: 127.0.0.1:7002', true],
  ['XX000', 'terminating connection due to administrator command', true],
  ['58030', 'failed to complete COPY on 127.0.0.1:7002', true],
  ['57P01', 'terminating connection due to administrator command', true],
] as const;

for (const [code, message, isStale] of reports) {
  test(`a lost worker answers 503 and leaves our connection in use: ${code} ${message}`, () => {
    const error = reported(code, 'ERROR', message);
    assert.equal(isSpoilt(error), false);
    const translated = translateDatabaseError(error);
    assert.ok(translated instanceof WorkerUnavailable);
    assert.equal(translated.code, 'SERVICE_UNAVAILABLE');
  });

  test(`another attempt is ${isStale ? '' : 'not '}made after: ${code} ${message}`, () => {
    assert.equal(mayRunAgain(reported(code, 'ERROR', message)), isStale);
  });

  test(`a commit that loses a worker is not tried again: ${code} ${message}`, () => {
    const error = reported(code, 'ERROR', message);
    assert.throws(
      () => explainFailedCommit(error),
      (thrown) =>
        thrown instanceof ServiceError &&
        thrown.code === 'SERVICE_UNAVAILABLE' &&
        !(thrown instanceof WorkerUnavailable) &&
        !mayRunAgain(thrown),
    );
  });
}

test('a server that ends our own connection is no lost worker', () => {
  const error = reported('57P01', 'FATAL', 'terminating connection due to administrator command');
  assert.equal(isSpoilt(error), true);
  assert.ok(!(translateDatabaseError(error) instanceof WorkerUnavailable));
});

test('a statement that a worker holds up for too long is that of a lost worker', () => {
  const timeout = reported('57014', 'ERROR', 'canceling statement due to statement timeout');
  assert.ok(explainSlowWorker(timeout) instanceof WorkerUnavailable);
  assert.ok(!(translateDatabaseError(timeout) instanceof WorkerUnavailable));
  const other = reported('23505', 'ERROR', 'duplicate key');
  assert.equal(explainSlowWorker(other), other);
});

test('an internal error that names no lost connection is reported as it is', () => {
  const error = reported('XX000', 'ERROR', 'new row violates check constraint "orders_amounts"');
  assert.equal(mayRunAgain(error), false);
  assert.equal(translateDatabaseError(error), error);
});

test('a commit that the database refuses for another reason is reported as it is', () => {
  const error = reported('40001', 'ERROR', 'could not serialize access');
  assert.throws(
    () => explainFailedCommit(error),
    (thrown) => thrown === error,
  );
});

function reported(code: string, severity: string, message: string): Error {
  return Object.assign(new Error(message), { code, severity });
}
