import assert from 'node:assert/strict';
import { test } from 'node:test';
import { modeOf, startJourney } from '../support/journey.ts';

const { simulator, createOrder, pay, refund, enquire, assertSound } = await startJourney();

for (const [provider, mode] of Object.entries(modeOf)) {
  test(`an order is created, paid and refunded with ${provider}`, async () => {
    const orderId = await createOrder();
    const transactionId = await pay(orderId, mode);
    await simulator.settled();

    const paid = (await enquire({ order_id: orderId })).body;
    assert.equal(paid.order.status, 'completed');
    assert.deepEqual(
      paid.transaction.map((entry: Record<string, unknown>) => entry.svc_transaction_id),
      [transactionId],
    );
    const refunded = await refund({
      transaction_id: transactionId,
      refund_request_id: `R-${mode}`,
    });
    assert.equal(refunded.status, 200);
    assert.equal(refunded.body.transaction_type, 'full_refund');
    await simulator.settled();

    const done = (await enquire({ order_id: orderId })).body;
    assert.deepEqual(done.order.refund_details, {
      refundable_currency: 'INR',
      available_refundable_amount: 0,
      refunded_amount: 118,
      total_refundable_amount: 118,
    });
    await assertSound();
  });
}
