/** Which errors mean that a concurrent transaction was first with a unique row. Contract 10.4. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { explainConcurrentInsert, mayRunAgain } from '../../src/postgres/error-classes.ts';

const shard = 'provider_orders_pkey_102082';
const concurrentInserts = ['deliveries_event_id', 'provider_orders_pkey'];

for (const [what, error, isConcurrentInsert] of [
  ['its constraint', { code: '23505', constraint: 'deliveries_event_id' }, true],
  ['another unique constraint', { code: '23505', constraint: 'deliveries_pkey' }, false],
  [
    'a constraint with a longer name',
    { code: '23505', constraint: 'deliveries_event_id_by' },
    false,
  ],
  ['its constraint on a shard', { code: '23505', constraint: shard }, true],
  [
    'its constraint on a shard, named in the message only',
    { ...wrapped(shard), code: '23505' },
    true,
  ],
  ['its constraint on a shard, wrapped', wrapped(shard), true],
  ['another constraint on a shard, wrapped', wrapped('deliveries_pkey_102036'), false],
  ['the foreign key of the same name', { code: '23503', constraint: 'deliveries_event_id' }, false],
] as const) {
  test(`a violation of ${what} is ${isConcurrentInsert ? 'retried' : 'reported as it is'}`, () => {
    const failure = Object.assign(new Error(error.code), error);
    const explained = explainConcurrentInsert(failure, concurrentInserts);
    assert.equal(mayRunAgain(explained), isConcurrentInsert);
    if (isConcurrentInsert) assert.equal((explained as Error).cause, failure);
    else assert.equal(explained, failure);
  });
}

/** As the coordinator of Citus 13 reports the failed `insert … select` of a worker. */
function wrapped(constraint: string) {
  return {
    code: 'XX000',
    message: `duplicate key value violates unique constraint "${constraint}"`,
  };
}
