import assert from 'node:assert/strict';
import { test } from 'node:test';
import { verifyInvariants } from '../../../src/use-cases/upkeep/verify-invariants.ts';
import { gatewayBody, sendGateway } from '../../support/deliveries.ts';
import { collectDefects } from '../../support/fuzz-state.ts';
import { orderBody } from '../../support/order-bodies.ts';
import { startTestService } from '../../support/test-service.ts';

const service = await startTestService();
const account = await service.createAccount({ bankGatewayMerchant: 'TESTMERCHANT' });
const defects = collectDefects(service);

/** Minimal cases that the webhook fuzz test found; each: type, id, target, result. */
const sets = [
  [
    ['PAYMENT', '2', undefined, 'SUCCESS'],
    ['CAPTURE', '2', '1', 'PENDING'],
    ['CAPTURE', '2', '2', 'FAILURE'],
  ],
  [
    ['PAYMENT', '3', undefined, 'SUCCESS'],
    ['CAPTURE', '3', '1', 'PENDING'],
    ['AUTHENTICATION', '3', undefined, 'FAILURE'],
  ],
  [
    ['PAYMENT', '2', undefined, 'FAILURE'],
    ['CAPTURE', '2', '1', 'PENDING'],
    ['CAPTURE', '1', '2', 'FAILURE'],
  ],
  [
    ['CAPTURE', '3', '2', 'SUCCESS'],
    ['CAPTURE', '3', '1', 'PENDING'],
    ['CAPTURE', '3', undefined, 'FAILURE'],
  ],
] as const;

for (const set of sets) {
  const names = set.map(([type, id, target = 'none']) => `${type} ${id} of ${target}`).join(', ');
  test(`${names}: one id for two transactions is flagged, and nothing is stuck`, async () => {
    const before = defects.length;
    const body = orderBody();
    await service.call('/api/v3/create-order', { token: account.token, body });
    for (const [type, id, targetTransactionId, result] of set) {
      const transaction = { id, type, targetTransactionId };
      const order = { id: body.invoice_id };
      const reply = await sendGateway(
        service,
        account,
        gatewayBody({ order, transaction, result }),
      );
      assert.equal(reply.status, 200);
      assert.notEqual(reply.body.status, 'parked', reply.body.message);
    }
    assert.deepEqual(defects.slice(before), []);
    assert.deepEqual((await verifyInvariants(service.services)).breaches, []);
  });
}

test('the transaction decides which came first, not the times of the deliveries', async () => {
  const body = orderBody({ invoice_id: 'TIMES' });
  const reply = await service.call('/api/v3/create-order', { token: account.token, body });
  const order = { id: reply.body.order_id };
  const said = [
    { transaction: { id: 'X', type: 'CAPTURE', targetTransactionId: 'A' } },
    { transaction: { id: 'X', type: 'PAYMENT' }, timeOfLastUpdate: '2026-11-14T10:00:32.000Z' },
  ];
  for (const entry of said) {
    const { body: received } = await sendGateway(
      service,
      account,
      gatewayBody({ order, ...entry }),
    );
    assert.notEqual(received.status, 'duplicate', JSON.stringify(received));
  }
  // As if the first had waited for a lock of the second, which had started earlier.
  const { rowCount } = await service.database.query({
    text: `update deliveries set finished_at = received_at - case when body like '%"CAPTURE"%'
             then interval '0 s' else interval '1 s' end where order_id = $1`,
    values: [order.id],
  });
  assert.equal(rowCount, 2);
  assert.deepEqual((await verifyInvariants(service.services)).breaches, []);
});
