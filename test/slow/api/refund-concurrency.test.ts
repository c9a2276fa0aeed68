import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertRefused } from '../../api/assertions.ts';
import { modeOf, startJourney } from '../../support/journey.ts';
import type { Reply } from '../../support/test-service.ts';

const { simulator, createPaid, refund, enquire, heal, assertSound } = await startJourney();
const timesFifty = Array.from({ length: 50 }, (_, index) => index);

for (const [provider, mode] of Object.entries(modeOf)) {
  test(`fifty concurrent refunds never exceed the available amount, at ${provider}`, async () => {
    const { orderId, transactionId } = await createPaid({}, mode);
    // Of 118, thirty-nine refunds of 3 are possible.
    const wished = { transaction_id: transactionId, refund_amount: 3 };
    const replies = await Promise.all(timesFifty.map(() => refund(wished)));
    const made = taken(replies, 'INVALID_REFUND_AMOUNT');
    assert.equal(made.length, 39);
    await simulator.settled();

    assert.deepEqual(
      madeThere(orderId)
        .map(({ reference, amount }) => [reference, amount])
        .sort(),
      made.map(({ body }) => [body.transaction_id, 300]).sort(),
    );
    assert.deepEqual(await detailsOf(orderId), { refunded: 117, available: 1 });
    await assertSound();
  });

  test(`fifty concurrent refunds of everything make one refund, at ${provider}`, async () => {
    const { orderId, transactionId } = await createPaid({}, mode);
    const wished = { transaction_id: transactionId };
    const replies = await Promise.all(timesFifty.map(() => refund(wished)));
    assert.equal(taken(replies, 'INVALID_REFUND_AMOUNT').length, 1);
    await simulator.settled();
    assert.deepEqual(
      madeThere(orderId).map(({ amount }) => amount),
      [11800],
    );
    assert.deepEqual(await detailsOf(orderId), { refunded: 118, available: 0 });
  });

  test(`fifty concurrent calls with one request id make one refund, at ${provider}`, async () => {
    const { orderId, transactionId } = await createPaid({}, mode);
    // A webhook in between would change the later replies.
    simulator.setScenarioFor(orderId, { name: 'lost-webhook' });
    const wished = {
      transaction_id: transactionId,
      refund_amount: 2,
      refund_request_id: `same-${mode}`,
    };
    const replies = await Promise.all(timesFifty.map(() => refund(wished)));
    const [first] = replies;
    for (const { status, body } of replies) {
      assert.deepEqual([status, body], [200, first?.body]);
    }
    const fresh = replies.filter(({ headers }) => headers.get('idempotent-replayed') === null);
    assert.equal(fresh.length, 1);
    await heal();
    await simulator.settled();
    assert.deepEqual(
      madeThere(orderId).map(({ amount }) => amount),
      [200],
    );
    assert.deepEqual(await detailsOf(orderId), { refunded: 2, available: 116 });
  });

  test(`one request id used concurrently for two orders makes one refund, at ${provider}`, async () => {
    const orders = [await createPaid({}, mode), await createPaid({}, mode)];
    const replies = await Promise.all(
      timesFifty.map((index) =>
        refund({
          transaction_id: orders[index % 2]?.transactionId,
          refund_amount: 2,
          refund_request_id: `two-orders-${mode}`,
        }),
      ),
    );
    const made = taken(replies, 'DUPLICATE_REFUND_REQUEST');
    assert.equal(made.length, 25, 'the repeats of the one that was made');
    assert.equal(new Set(made.map(({ body }) => body.transaction_id)).size, 1);
    await simulator.settled();
    const there = orders.flatMap(({ orderId }) => madeThere(orderId));
    assert.deepEqual(
      there.map(({ amount }) => amount),
      [200],
    );
  });
}

test('twenty-five concurrent request ids over five orders make twenty-five refunds', async () => {
  const orders = await Promise.all(Array.from({ length: 5 }, () => createPaid()));
  const replies = await Promise.all(
    timesFifty.slice(0, 25).map((index) =>
      refund({
        transaction_id: orders[index % 5]?.transactionId,
        refund_amount: 1,
        refund_request_id: `each-${index}`,
      }),
    ),
  );
  assert.equal(new Set(replies.map(({ body }) => body.transaction_id)).size, 25);
  await simulator.settled();
  for (const { orderId } of orders) {
    assert.equal(madeThere(orderId).length, 5);
    assert.deepEqual(await detailsOf(orderId), { refunded: 5, available: 113 });
  }
  await assertSound();
});

/** The refunds that were made; every other call must be refused for this reason. */
function taken(
  replies: readonly Reply[],
  code: 'INVALID_REFUND_AMOUNT' | 'DUPLICATE_REFUND_REQUEST',
) {
  for (const reply of replies.filter(({ status }) => status !== 200)) {
    if (code === 'INVALID_REFUND_AMOUNT')
      assertRefused(reply, code, 'refund_amount may be at most');
    else assertRefused(reply, code);
  }
  return replies.filter(({ status }) => status === 200);
}

/** What the provider refunded of an order. */
function madeThere(orderId: string) {
  return simulator.ledger().refunds.filter(({ reference }) => reference.startsWith(orderId));
}

async function detailsOf(orderId: string) {
  const { order } = (await enquire({ order_id: orderId })).body;
  const { refunded_amount: refunded, available_refundable_amount: available } =
    order.refund_details;
  return { refunded, available };
}
