/** Late captures of an authorisation at the bank gateway. Contract 4.9 and 19.3. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { sweep } from '../../../src/use-cases/upkeep/sweep.ts';
import { assertInvariants } from '../webhooks/shop.ts';
import { gatewayPaymentAt, isoTime, openLateShop } from './late-shop.ts';

const shop = await openLateShop();
const { createLapsed, outcomeOf } = shop;

const refunded = {
  order: 'lapsed',
  payments: ['succeeded'],
  refunds: ['pending 118'],
  flags: ['refunded_late_payment'],
};
const kept = { order: 'completed', payments: ['succeeded'], refunds: [], flags: [''] };

describe('captures at the bank gateway', () => {
  const authorise = (order: Parameters<typeof gatewayPaymentAt>[0], at: number) =>
    gatewayPaymentAt(order, at, {
      transaction: { id: '1', type: 'AUTHORIZATION' },
      order: { totalCapturedAmount: 0, creationTime: isoTime(at) },
    });
  const capture = (
    order: Parameters<typeof gatewayPaymentAt>[0],
    at: number,
    { id, amount, total = amount }: { id: string; amount: number; total?: number },
  ) =>
    gatewayPaymentAt(order, at, {
      transaction: { id, type: 'CAPTURE', targetTransactionId: '1', amount },
      order: { totalCapturedAmount: total, lastUpdatedTime: isoTime(at) },
    });

  test('in time, in part: the part is kept, also when the order lapses', async () => {
    const order = await shop.createOrder();
    const now = shop.service.services.clock().getTime() / 1_000;
    await shop.sendGateway(authorise(order, now));
    await shop.sendGateway(capture(order, now + 10, { id: '2', amount: 50 }));
    shop.service.advanceSeconds(25 * 3_600);
    // Something else about the order is the first thing that is saved after it lapsed.
    await shop.sendGateway(
      gatewayPaymentAt(order, now + 90_000, {
        result: 'FAILURE',
        transaction: { id: '9', type: 'PAYMENT' },
      }),
    );
    const { refunds, payments } = await outcomeOf(order.order_id);
    assert.deepEqual([payments.sort(), refunds], [['failed', 'succeeded'], []]);
  });

  test('in time, in part, and reported late: the part is kept', async () => {
    const order = await createLapsed();
    await shop.sendGateway(authorise(order, order.lapsedAt - 600));
    await shop.sendGateway(capture(order, order.lapsedAt - 300, { id: '2', amount: 50 }));
    const { payments, refunds } = await outcomeOf(order.order_id);
    assert.deepEqual([payments, refunds], [['succeeded'], []]);
  });

  for (const isSwept of [true, false]) {
    test(`of which the first was in time: the payment is kept, ${isSwept ? 'after' : 'before'} a sweep`, async () => {
      const order = await shop.createOrder();
      const now = shop.service.services.clock().getTime() / 1_000;
      await shop.sendGateway(authorise(order, now));
      await shop.sendGateway(capture(order, now + 10, { id: '2', amount: 50 }));
      shop.service.advanceSeconds(25 * 3_600);
      if (isSwept) await sweep(shop.service.services);
      const rest = { id: '3', amount: 68, total: 118 };
      await shop.sendGateway(capture(order, now + 90_000, rest));
      assert.deepEqual(await outcomeOf(order.order_id), kept);
    });
  }

  test('that are voided and made again are not refunded again by themselves', async () => {
    const order = await createLapsed();
    const at = order.lapsedAt + 10;
    await shop.sendGateway(authorise(order, at - 600));
    await shop.sendGateway(capture(order, at, { id: '2', amount: 50 }));
    await shop.sendGateway(
      gatewayPaymentAt(order, at + 10, {
        transaction: { id: '3', type: 'VOID_CAPTURE', targetTransactionId: '2' },
        order: { totalCapturedAmount: 0, lastUpdatedTime: isoTime(at + 10) },
      }),
    );
    assert.deepEqual((await outcomeOf(order.order_id)).payments, ['authorized']);
    await shop.sendGateway(capture(order, at + 20, { id: '4', amount: 118 }));
    const { order: status, payments, refunds } = await outcomeOf(order.order_id);
    assert.deepEqual([status, payments, refunds], ['lapsed', ['succeeded'], ['pending 50']]);
  });

  test('that are late: the first is refunded, and what is captured later is left to a person', async () => {
    const order = await createLapsed();
    await shop.sendGateway(authorise(order, order.lapsedAt - 600));
    await shop.sendGateway(capture(order, order.lapsedAt + 10, { id: '2', amount: 50 }));
    const first = await outcomeOf(order.order_id);
    assert.deepEqual([first.order, first.refunds], ['lapsed', ['pending 50']]);
    await shop.sendGateway(
      capture(order, order.lapsedAt + 20, { id: '3', amount: 68, total: 118 }),
    );
    assert.deepEqual(await outcomeOf(order.order_id), { ...refunded, refunds: ['pending 50'] });
    const { refund_details } = (await shop.show(order.order_id)).order;
    assert.equal(refund_details.available_refundable_amount, 68);
  });

  test('before their authorisation is known are refunded once', async () => {
    const order = await createLapsed();
    await shop.sendGateway(capture(order, order.lapsedAt + 10, { id: '2', amount: 118 }));
    await shop.sendGateway(authorise(order, order.lapsedAt - 600));
    await shop.sendGateway(capture(order, order.lapsedAt + 11, { id: '2', amount: 118 }));
    assert.deepEqual(await outcomeOf(order.order_id), refunded);
  });
});

test('the invariants hold after all of this', () => assertInvariants(shop));
