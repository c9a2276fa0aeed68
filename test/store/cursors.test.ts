/** Statements that a run reaches only with very many rows, or at the first start. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createServices } from '../../src/process/create-services.ts';
import { listFirstAccounts } from '../../src/store/accounts/accounts.ts';
import { saveEventBody } from '../../src/store/events/event-bodies.ts';
import { findDeliveryCursor, saveDeliveryCursor } from '../../src/store/sweep-cursors.ts';
import { createTestAccount } from '../support/test-account.ts';
import { createTestDatabase } from '../support/test-database.ts';
import { testMasterKeyHex } from '../support/test-service.ts';

const { database } = await createTestDatabase();
const services = createServices({
  database,
  masterKeyHex: testMasterKeyHex,
  settings: { publicUrl: 'http://service.test', orderLapseSeconds: 3600 },
});

test('a walk over deliveries continues where it stopped', async () => {
  for (const deliveryId of ['dlv_1', 'dlv_2']) {
    const cursor = { accountId: 'acc_1', deliveryId };
    await saveDeliveryCursor(database, 'a walk', cursor);
    assert.deepEqual(await findDeliveryCursor(database, 'a walk'), cursor);
  }
});

test('the first accounts are the oldest', async () => {
  const first = await createTestAccount(services, { name: 'First' });
  await createTestAccount(services, { name: 'Second' });
  assert.deepEqual(await listFirstAccounts(database, 1), [
    { accountId: first.accountId, name: 'First' },
  ]);
});

test('an event that loses its body is not sent any more; one that was delivered stays so', async () => {
  const event = { accountId: 'acc_1', orderId: 'ORDER', sequence: 1 };
  for (const [endpointId, state] of [
    ['end_1', 'pending'],
    ['end_2', 'delivered'],
  ] as const) {
    await database.query({
      text: `insert into events (account_id, order_id, sequence, endpoint_id, event_type, status, state, body,
                                 occurred_at, next_attempt_at, attempts, failures)
             values ('acc_1', 'ORDER', 1, $1, 'order.paid', 'completed', $2, '{}', now(), now(), 0, 0)`,
      values: [endpointId, state],
    });
  }
  await database.transaction((tx) => saveEventBody(tx, event, null));
  const { rows } = await database.query({
    text: 'select state, body, next_attempt_at is null as is_over from events order by endpoint_id',
  });
  assert.deepEqual(
    rows.map(({ state, body }) => [state, body]),
    [
      ['undelivered', null],
      ['delivered', null],
    ],
  );
  assert.equal(rows[0]?.is_over, true);
});
