import assert from 'node:assert/strict';
import { test } from 'node:test';
import { chaosScenario } from '../../../simulator/chaos.ts';
import { pick, type Random, randomOf } from '../../../simulator/random.ts';
import { paysInFull } from '../../../simulator/simulator.ts';
import { waitUntil } from '../../../tools/harness/wait-until.ts';
import { assertAgrees, unfinishedOf } from '../../journey/outline.ts';
import { findCheckout, startJourney } from '../../support/journey.ts';

/**
 * Impatient consumers start another payment before the first one is final, and pay both. The shop sends concurrent
 * partial refunds that together exceed the payment.
 */
const journey = await startJourney();
const { service, simulator, createOrder, initiate, refund, enquire, heal } = journey;
const ordersCount = 40;
const concurrency = 20;

for (const seed of [7]) {
  test(`${ordersCount} impatient orders under chaos end correctly, seed ${seed}`, async () => {
    const orders = await forEach(ordersCount, async (index) => {
      const random = randomOf(seed, `impatient:${index}`);
      const orderId = await createOrder({ invoice_id: `I-${seed}-${index}` });
      await payImpatiently(orderId, random, `${seed}:${index}`, seed);
      await refundConcurrently(orderId, random, 'first');
      return { orderId, random };
    });
    await settleAll(orders);
    await forEach(orders.length, async (index) => {
      const order = orders[index];
      if (order) await refundConcurrently(order.orderId, order.random, 'second');
    });
    await settleAll(orders);

    const ledger = simulator.ledger();
    for (const { orderId } of orders) {
      const reply = await enquire({ order_id: orderId });
      assertAgrees(reply, ledger);
      const payments = ledger.payments.filter(({ reference }) => reference.startsWith(orderId));
      const captured = payments.filter(({ status }) => status === 'captured');
      // If a payment was released or captured in part, only agreement with the ledger can be checked.
      if (payments.some(({ status }) => status === 'reversed')) continue;
      if (!captured.every(paysInFull)) continue;
      // One payment completes the order, and every other one is flagged as a duplicate.
      assert.equal(await countDuplicates(orderId), Math.max(0, captured.length - 1), orderId);
    }
  });
}

test('some consumers paid twice, some refunds were made, and verify finds nothing', async () => {
  assert.ok((await countDuplicates('%')) > 0);
  assert.ok(simulator.ledger().refunds.some(({ status }) => status === 'processed'));
  await journey.assertSound();
});

async function payImpatiently(
  orderId: string,
  random: Random,
  label: string,
  seed: number,
): Promise<void> {
  const attempts = 1 + Math.floor(random() * 3);
  for (let attempt = 1; attempt <= attempts; attempt += 1) {
    simulator.setScenarioFor(orderId, chaosScenario(seed, `${label}:${attempt}`));
    const mode = pick(random, [
      'upi',
      'credit_card',
      'wallet',
      'net_banking',
      'debit_card',
    ] as const);
    const action = pick(random, ['pay', 'pay', 'pay', 'decline', 'cancel'] as const);
    const { status, body } = await initiate(orderId, mode);
    if (status === 409) return;
    assert.equal(status, 200, JSON.stringify(body));
    const url = body.next[0]?.url;
    if (url === undefined) continue;
    const checkout = await findCheckout(url).catch(() => undefined);
    if (!checkout) continue;
    await simulator.pay(checkout, action);
    if (random() < 0.3) await simulator.pay(checkout);
  }
}

async function refundConcurrently(orderId: string, random: Random, round: string): Promise<void> {
  const { body } = await enquire({ order_id: orderId });
  const paid = body.transaction.find(
    (entry: { payment_status: string | null }) => entry.payment_status === 'succeeded',
  );
  if (!paid || random() < 0.3) return;
  const amounts = [30, 50.5, 60].filter(() => random() < 0.7);
  const replies = await Promise.all(
    amounts.map((amount) =>
      refund({
        transaction_id: paid.svc_transaction_id,
        refund_amount: amount,
        refund_request_id: `${orderId}-${round}-${amount}`,
      }),
    ),
  );
  for (const { status, body: reply } of replies) {
    if (status === 200) continue;
    const { svc_error_code: code, svc_merchant_message: message } = reply.error;
    // Chaos voids payments: one may be reversed between the enquiry and the refund.
    if (code === 'REFUND_NOT_ALLOWED') await assertNoLongerPaid(paid.svc_transaction_id, message);
    else assert.ok(['INVALID_REFUND_AMOUNT', 'PAYMENT_DISPUTED'].includes(code), message);
  }
}

async function assertNoLongerPaid(transactionId: string, message: string): Promise<void> {
  const [payment] = (await enquire({ transaction_id: transactionId })).body.transaction;
  assert.ok(['authorized', 'reversing', 'reversed'].includes(payment.payment_status), message);
}

/** Waits until no webhook is due and nothing is pending: a day later, all orders have lapsed. */
async function settleAll(orders: readonly { readonly orderId: string }[]): Promise<void> {
  await simulator.settled();
  service.advanceSeconds(24 * 3600);
  await waitUntil('nothing is pending', async () => {
    await heal();
    const replies = await Promise.all(orders.map(({ orderId }) => enquire({ order_id: orderId })));
    return replies.every((reply) => unfinishedOf(reply).length === 0);
  });
}

async function countDuplicates(orderId: string): Promise<number> {
  const { rows } = await service.database.query({
    text: `select from transactions where order_id like $1 and 'duplicate_capture' = any(flags)`,
    values: [orderId],
  });
  return rows.length;
}

async function forEach<T>(count: number, make: (index: number) => Promise<T>): Promise<T[]> {
  const made: T[] = [];
  let next = 0;
  const work = async () => {
    while (next < count) {
      const index = next;
      next += 1;
      made[index] = await make(index);
    }
  };
  await Promise.all(Array.from({ length: concurrency }, work));
  return made;
}
