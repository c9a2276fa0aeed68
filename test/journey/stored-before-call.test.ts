/** A payment or refund is stored before its provider is called, so it survives when the result cannot be saved. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findCheckout, modeOf, startJourney } from '../support/journey.ts';
import { refuseRows } from '../support/refuse-rows.ts';

const { service, simulator, createOrder, pay, initiate, refund, enquire, heal, assertSound } =
  await startJourney();
const { database } = service;

test('a stored refund is answered 200 when the result of its call cannot be saved, and is made once', async () => {
  const orderId = await createOrder();
  const transactionId = await pay(orderId);
  await simulator.settled();
  const repair = await refuseCallRecords();
  const reply = await refund({ transaction_id: transactionId, refund_amount: 59 });
  await repair();
  assert.equal(reply.status, 200);
  assert.equal(reply.body.refund_status, 'pending');
  await simulator.settled();
  await heal();
  await simulator.settled();
  const { body } = await enquire({ order_id: orderId });
  assert.equal(body.order.refund_details.refunded_amount, 59);
  const made = simulator.ledger().refunds.filter(({ reference }) => reference.startsWith(orderId));
  assert.deepEqual(
    made.map(({ amount, status }) => [amount, status]),
    [[5_900, 'processed']],
  );
});

test('a stored payment is answered 200 and pending when the result of its call cannot be saved', async () => {
  const orderId = await createOrder();
  const repair = await refuseCallRecords();
  const { status, body } = await initiate(orderId);
  await repair();
  assert.deepEqual([status, body.payment_status, body.next], [200, 'pending', []]);
  await heal();
  assert.equal((await enquire({ order_id: orderId })).body.transaction.length, 1);
});

for (const [provider, mode] of Object.entries(modeOf)) {
  test(`a declined checkout that is paid later, with its webhooks lost, is found by polling with ${provider}`, async () => {
    const orderId = await createOrder();
    simulator.setScenarioFor(orderId, { name: 'decline' });
    const { body: started } = await initiate(orderId, mode);
    const { transaction_id: transactionId } = started;
    const checkout = await findCheckout(started.next[0].url);
    await simulator.pay(checkout);
    await simulator.settled();
    const { body: declined } = await enquire({ transaction_id: transactionId });
    assert.equal(declined.transaction[0].payment_status, 'failed');

    simulator.setScenarioFor(orderId, { name: 'lost-webhook' });
    await simulator.pay(checkout);
    await heal();
    const { body } = await enquire({ transaction_id: transactionId });
    assert.equal(body.transaction[0].payment_status, 'succeeded');
    assert.equal(body.order.status, 'completed');
  });
}

test('polls of enquiries do not count as scheduled polls', async () => {
  const orderId = await createOrder();
  const { body } = await initiate(orderId);
  const plannedBefore = await nextPollOf(body.transaction_id);
  for (let minute = 0; minute < 12; minute += 1) {
    service.advanceSeconds(61);
    await enquire({ order_id: orderId });
  }
  assert.deepEqual(await nextPollOf(body.transaction_id), plannedBefore);
});

test('the invariants hold after these tests', () => assertSound());

/** The database refuses to store records of calls to providers until the returned function is called. */
async function refuseCallRecords(): Promise<() => Promise<void>> {
  return refuseRows(database, 'history', `entries::text not like '%"durationMs"%'`);
}

async function nextPollOf(transactionId: string): Promise<unknown> {
  const { rows } = await database.query({
    text: 'select polls, next_poll_at from transactions where transaction_id = $1',
    values: [transactionId],
  });
  return rows[0];
}
