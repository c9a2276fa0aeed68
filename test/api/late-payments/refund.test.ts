/** What an account that refunds late payments does with them. Contract 19.3. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { partnerEvent, partnerPayment } from '../../support/deliveries.ts';
import { assertInvariants, assertReceived } from '../webhooks/shop.ts';
import { captureAt, gatewayPaymentAt, openLateShop, paidAt } from './late-shop.ts';

const shop = await openLateShop();
const { createLapsed, outcomeOf, refundsOf, sent, work } = shop;

const refunded = {
  order: 'lapsed',
  payments: ['succeeded'],
  refunds: ['pending 118'],
  flags: ['refunded_late_payment'],
};
const kept = { order: 'completed', payments: ['succeeded'], refunds: [], flags: [''] };

describe('a payment that succeeded after its order lapsed', () => {
  test('at the partner is refunded in full, and the refund is sent at once', async () => {
    const order = await createLapsed();
    const { order_id } = order;
    const reply = await shop.sendPartner(captureAt(order, order.lapsedAt + 10, { id: 'pay_late' }));
    assertReceived(reply, {
      status: 'needs_review',
      order_id,
      message: 'flagged refunded_late_payment',
    });
    assert.deepEqual(await outcomeOf(order_id), refunded);
    const [refund] = await refundsOf(order_id);
    const { transactions } = await shop.show(order_id);
    assert.equal(refund?.refund_request_id, `late-${transactions[0]?.svc_transaction_id}`);
    assert.equal(refund?.transaction_type, 'full_refund');
    await work();
    assert.deepEqual(
      sent.map(({ path, body }) => [path, body.amount, body.receipt]),
      [['/v1/payments/pay_late/refund', 11_800, refund?.refund_request_id]],
    );
    assert.deepEqual((await outcomeOf(order_id)).refunds, ['succeeded 118']);
    assert.deepEqual(await shop.listEvents(order_id), [
      'payment_success',
      'review_needed',
      'refund_pending',
      'order_lapsed',
      'refund_success',
    ]);
    const { order: shown } = await shop.show(order_id);
    assert.equal(shown.status, 'lapsed');
    assert.equal(shown.refund_details.refunded_amount, 118);
  });

  test('at the bank gateway is refunded in full, and the refund is sent at once', async () => {
    sent.length = 0;
    const order = await createLapsed();
    await shop.sendGateway(gatewayPaymentAt(order, order.lapsedAt + 10));
    assert.deepEqual(await outcomeOf(order.order_id), refunded);
    const [refund] = await refundsOf(order.order_id);
    await work();
    assert.equal(sent.length, 1);
    assert.match(sent[0]?.path ?? '', new RegExp(`/transaction/${refund?.svc_transaction_id}$`));
    assert.deepEqual(sent[0]?.body.transaction, {
      amount: '118.00',
      currency: 'INR',
      targetTransactionId: '1',
      reference: refund?.refund_request_id,
    });
    assert.deepEqual((await outcomeOf(order.order_id)).refunds, ['succeeded 118']);
  });

  test('is found by the id of its refund request, which nobody else can use', async () => {
    const order = await createLapsed();
    await shop.sendPartner(captureAt(order, order.lapsedAt + 10));
    const [refund] = await refundsOf(order.order_id);
    const other = await shop.createOrder();
    await shop.sendPartner(captureAt(other, Date.now() / 1_000));
    const reply = await shop.service.call('/api/v3/refund', {
      token: await shop.freshToken(),
      body: { invoice_id: other.invoice_id, refund_request_id: refund?.refund_request_id },
    });
    assert.equal(reply.body.error.svc_error_code, 'DUPLICATE_REFUND_REQUEST');
  });

  test('is refunded once, however many deliveries report it at the same time', async () => {
    const order = await createLapsed();
    const capture = captureAt(order, order.lapsedAt + 10);
    await Promise.all(
      Array.from({ length: 30 }, (_, index) =>
        shop.sendPartner(index % 2 === 0 ? capture : { ...paidAt(capture), number: index % 10 }),
      ),
    );
    assert.deepEqual(await outcomeOf(order.order_id), refunded);
  });

  test('is refunded whatever its amount and its currency are', async () => {
    const order = await createLapsed();
    const of = (changes: object) => captureAt(order, order.lapsedAt + 10, { ...changes });
    await shop.sendPartner(of({ amount: 5_000 }));
    await shop.sendPartner(of({ amount: 700, currency: 'USD' }));
    const { order: status, refunds, flags } = await outcomeOf(order.order_id);
    assert.equal(status, 'lapsed');
    assert.deepEqual(refunds.sort(), ['pending 50', 'pending 7']);
    assert.ok(flags.every((each) => each.includes('refunded_late_payment')));
    assert.ok(flags.every((each) => each.includes('_mismatch')));
  });

  test('is refunded without the fee of the consumer, like any full refund', async () => {
    const order = await createLapsed();
    const fee = { amount: 12_036, fee: 236, fee_bearer: 'customer' };
    await shop.sendPartner(captureAt(order, order.lapsedAt + 10, fee));
    assert.deepEqual((await outcomeOf(order.order_id)).refunds, ['pending 118']);
  });

  test('is refunded beside another one; the second is a duplicate, too', async () => {
    const order = await createLapsed();
    await shop.sendPartner(captureAt(order, order.lapsedAt + 10));
    await shop.sendPartner(captureAt(order, order.lapsedAt + 90));
    assert.deepEqual(await outcomeOf(order.order_id), {
      order: 'lapsed',
      payments: ['succeeded', 'succeeded'],
      refunds: ['pending 118', 'pending 118'],
      flags: ['refunded_late_payment', 'duplicate_capture,refunded_late_payment'],
    });
  });

  test('stays refunded when a payment made in time is reported after it, which pays for the order', async () => {
    const order = await createLapsed();
    await shop.sendPartner(captureAt(order, order.lapsedAt + 10));
    await shop.sendPartner(captureAt(order, order.lapsedAt - 600));
    assert.deepEqual(await outcomeOf(order.order_id), {
      order: 'completed',
      payments: ['succeeded', 'succeeded'],
      refunds: ['pending 118'],
      flags: ['', 'duplicate_capture,refunded_late_payment'],
    });
  });
});

describe('a payment is not late', () => {
  test('if it succeeded in time and is reported after the order lapsed', async () => {
    const order = await createLapsed();
    await shop.sendPartner(captureAt(order, order.lapsedAt - 2));
    assert.deepEqual(await outcomeOf(order.order_id), kept);
    const other = await createLapsed();
    await shop.sendGateway(gatewayPaymentAt(other, other.lapsedAt - 1));
    assert.deepEqual(await outcomeOf(other.order_id), kept);
  });

  test('if its order is open, whatever the clock of the provider says', async () => {
    const order = await shop.createOrder();
    await shop.sendPartner(captureAt(order, Date.now() / 1_000 + 3_000_000));
    assert.deepEqual(await outcomeOf(order.order_id), kept);
  });

  test('if its order is paid: then it is a duplicate, and a person decides', async () => {
    const order = await createLapsed();
    await shop.sendPartner(captureAt(order, order.lapsedAt - 600));
    await shop.sendPartner(captureAt(order, order.lapsedAt + 10));
    assert.deepEqual(await outcomeOf(order.order_id), {
      order: 'completed',
      payments: ['succeeded', 'succeeded'],
      refunds: [],
      flags: ['', 'duplicate_capture'],
    });
  });

  test('if only its authorisation came after that, or only its failure', async () => {
    const order = await createLapsed();
    const record = {
      status: 'authorized',
      captured: false,
      notes: { svc_order_id: order.order_id },
    };
    const payment = partnerPayment(record);
    const late = { created_at: Math.ceil(order.lapsedAt + 10) };
    await shop.sendPartner(partnerEvent('payment.authorized', { payment }, late));
    const { refunds } = await outcomeOf(order.order_id);
    assert.deepEqual(refunds, []);
    const captured = { ...payment, status: 'captured', captured: true };
    await shop.sendPartner(partnerEvent('payment.captured', { payment: captured }, late));
    assert.deepEqual(await outcomeOf(order.order_id), refunded);
  });
});

describe('the order lapses by failed attempts', () => {
  const lapse = async (tag: string, hasTimes = true) => {
    const order = await shop.createOrder();
    const at = Math.floor(shop.service.services.clock().getTime() / 1_000) - 600;
    for (let index = 0; index < 15; index += 1) {
      const notes = { svc_order_id: order.order_id };
      const record = { id: `pay_${tag}${index}`, status: 'failed', captured: false, notes };
      const payment = partnerPayment({ ...record, created_at: at + index - 5 });
      const time = { created_at: hasTimes ? at + index : undefined };
      await shop.sendPartner(partnerEvent('payment.failed', { payment }, time));
    }
    assert.equal((await shop.show(order.order_id)).order.status, 'lapsed');
    return { ...order, lastFailureAt: at + 14 };
  };

  test('and one of them succeeds later: it is refunded, and the order stays lapsed', async () => {
    const order = await lapse('F');
    await shop.sendPartner(captureAt(order, order.lastFailureAt + 100, { id: 'pay_F3' }));
    const { order: status, refunds } = await outcomeOf(order.order_id);
    assert.deepEqual([status, refunds], ['lapsed', ['pending 118']]);
  });

  test('and one that succeeded before the last of them is reported: it is kept', async () => {
    const order = await lapse('G');
    await shop.sendPartner(captureAt(order, order.lastFailureAt - 2));
    const { order: status, refunds } = await outcomeOf(order.order_id);
    assert.deepEqual([status, refunds], ['completed', []]);
  });

  test('and nobody knows when they failed: it is kept', async () => {
    const order = await lapse('H', false);
    await shop.sendPartner(captureAt(order, order.lastFailureAt + 100));
    const { order: status, refunds } = await outcomeOf(order.order_id);
    assert.deepEqual([status, refunds], ['completed', []]);
  });
});

test('the invariants hold after all of this', () => assertInvariants(shop));
