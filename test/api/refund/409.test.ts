import assert from 'node:assert/strict';
import { test } from 'node:test';
import { modeOf, startJourney } from '../../support/journey.ts';
import { dumpTables } from '../../support/test-database.ts';
import { assertRefused } from '../assertions.ts';

const { service, simulator, createPaid, refund, assertSound } = await startJourney();

for (const [provider, mode] of Object.entries(modeOf)) {
  test(`a request id is taken by a refund at ${provider}, for every order of the account`, async () => {
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
    for (const transaction_id of [one.transactionId, other.transactionId]) {
      for (const refund_amount of [1, 2, undefined]) {
        const reply = await refund({ transaction_id, refund_amount, refund_request_id });
        assertRefused(reply, 'DUPLICATE_REFUND_REQUEST');
      }
    }
    assert.deepEqual([await dumpTables(service.database), simulator.ledger()], before);
  });
}

test('a request id is taken while its refund is pending', async () => {
  const { orderId, transactionId } = await createPaid();
  simulator.setScenarioFor(orderId, { name: 'lost-webhook' });
  const request = { transaction_id: transactionId, refund_amount: 1, refund_request_id: 'open' };
  assert.equal((await refund(request)).body.refund_status, 'pending');
  const before = await dumpTables(service.database);
  assertRefused(await refund(request), 'DUPLICATE_REFUND_REQUEST');
  assert.deepEqual(await dumpTables(service.database), before);
});

test('a request id is taken even when all is refunded: a repeat is told as one', async () => {
  const { transactionId } = await createPaid();
  const request = { transaction_id: transactionId, refund_request_id: 'everything' };
  assert.equal((await refund(request)).status, 200);
  await simulator.settled();
  assertRefused(await refund(request), 'DUPLICATE_REFUND_REQUEST');
});

test('long request ids that begin alike are two', async () => {
  for (const mode of Object.values(modeOf)) {
    const { transactionId } = await createPaid({}, mode);
    const alike = `${mode}-${'x'.repeat(60)}`;
    for (const end of ['a', 'b']) {
      const refund_request_id = `${alike}${end}`;
      const request = { transaction_id: transactionId, refund_amount: 1, refund_request_id };
      assert.equal((await refund(request)).status, 200);
      await simulator.settled();
      assertRefused(await refund(request), 'DUPLICATE_REFUND_REQUEST');
    }
  }
});

test('the invariants hold after all of this', assertSound);
