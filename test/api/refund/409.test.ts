import assert from 'node:assert/strict';
import { test } from 'node:test';
import { modeOf, startJourney } from '../../support/journey.ts';
import { dumpTables } from '../../support/test-database.ts';
import { assertRefused } from '../assertions.ts';

const { service, simulator, createPaid, refund, assertSound } = await startJourney();

for (const [provider, mode] of Object.entries(modeOf)) {
  test(`a request id of a refund at ${provider} is taken for every order of the account`, async () => {
    const [one, other] = [await createPaid({}, mode), await createPaid({}, mode)];
    const refund_request_id = `taken-${mode}`;
    const first = await refund({
      transaction_id: one.transactionId,
      refund_amount: 1,
      refund_request_id,
    });
    assert.equal(first.status, 200, JSON.stringify(first.body));
    await simulator.settled();
    const before = [await dumpTables(service.database), simulator.ledger()];
    for (const [{ transactionId }, amounts] of [
      [one, [2, '1.01', undefined]],
      [other, [1, 2, undefined]],
    ] as const) {
      for (const refund_amount of amounts) {
        const wished = { transaction_id: transactionId, refund_amount, refund_request_id };
        assertRefused(await refund(wished), 'DUPLICATE_REFUND_REQUEST');
      }
    }
    assert.deepEqual([await dumpTables(service.database), simulator.ledger()], before);
  });
}

test('a request id of another order is refused before the amount is checked', async () => {
  const [one, other] = [await createPaid(), await createPaid()];
  const refund_request_id = 'elsewhere';
  await refund({ transaction_id: one.transactionId, refund_amount: 1, refund_request_id });
  const wished = { transaction_id: other.transactionId, refund_amount: 9_999, refund_request_id };
  assertRefused(await refund(wished), 'DUPLICATE_REFUND_REQUEST');
});

test('two request ids that look like card numbers with the same mask make two refunds', async () => {
  const { transactionId } = await createPaid();
  const ids = ['4111111111111111', '4111110000091111'];
  const replies = [];
  for (const refund_request_id of ids) {
    replies.push(
      await refund({ transaction_id: transactionId, refund_amount: 1, refund_request_id }),
    );
  }
  const made = replies.map(({ body }) => body.transaction_id);
  assert.equal(new Set(made).size, 2, JSON.stringify(replies.map(({ body }) => body)));
  const again = await refund({
    transaction_id: transactionId,
    refund_amount: 1,
    refund_request_id: ids[0],
  });
  assert.equal(again.body.transaction_id, made[0]);
  assert.equal(again.headers.get('idempotent-replayed'), 'true');
  const stored = JSON.stringify(await dumpTables(service.database));
  for (const id of ids) assert.ok(!stored.includes(id), id);
});

test('a request id is taken while its refund is pending', async () => {
  const { orderId, transactionId } = await createPaid();
  simulator.setScenarioFor(orderId, { name: 'lost-webhook' });
  const request = { transaction_id: transactionId, refund_amount: 1, refund_request_id: 'open' };
  assert.equal((await refund(request)).body.refund_status, 'pending');
  const before = await dumpTables(service.database);
  assertRefused(await refund({ ...request, refund_amount: 2 }), 'DUPLICATE_REFUND_REQUEST');
  assert.deepEqual(await dumpTables(service.database), before);
});

test('a request id stays taken when all is refunded: different content is refused as a duplicate id', async () => {
  const { transactionId } = await createPaid();
  const request = { transaction_id: transactionId, refund_request_id: 'everything' };
  assert.equal((await refund(request)).status, 200);
  await simulator.settled();
  assertRefused(await refund({ ...request, refund_amount: 1 }), 'DUPLICATE_REFUND_REQUEST');
});

test('the invariants hold after all of this', assertSound);
