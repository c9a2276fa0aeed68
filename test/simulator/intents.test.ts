/** UPI intents at the simulated partner: the call, the page that plays the UPI app, and the scenarios. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventsOf, type Json, startShop } from './support.ts';

const wished = {
  amount: 1050,
  currency: 'INR',
  email: 'asha@example.com',
  contact: '+919876543210',
  method: 'upi',
  description: 'Tea <1>',
  notes: { svc_transaction_id: 'o_1-260101000000' },
  upi: { flow: 'intent' },
};

type Shop = Awaited<ReturnType<typeof startShop>>;

async function startIntent({ partner, openOrder }: Shop, reference?: string) {
  const orderId = await openOrder(reference);
  const { body } = await partner('POST', '/v1/payments/create/upi', {
    ...wished,
    order_id: orderId,
  });
  return { orderId, id: String(body.razorpay_payment_id), link: String(body.link) };
}

function answer(link: string, action: string): Promise<Response> {
  return fetch(`${link}/act`, { method: 'POST', body: new URLSearchParams({ action }) });
}

test('an intent is an attempt that is created, with a link to the UPI app', async (t) => {
  const shop = await startShop(t);
  const { orderId, id, link } = await startIntent(shop);
  assert.match(id, /^pay_\w{14}$/);
  assert.equal(link, `${shop.simulator.url}/upi/${id}`);
  const { body } = await shop.partner('GET', `/v1/orders/${orderId}/payments`);
  const [payment] = body.items as Json[];
  assert.deepEqual(
    [payment?.id, payment?.status, payment?.method, payment?.email, payment?.contact],
    [id, 'created', 'upi', wished.email, wished.contact],
  );
  assert.deepEqual(payment?.notes, wished.notes);
  assert.equal(shop.receiver.received.length, 0);

  const page = await (await fetch(link)).text();
  assert.match(page, /INR 10\.50/);
  assert.match(page, /Tea &#60;1&#62;/);
  assert.doesNotMatch(page, /<script|src=|url\(/);
});

test('approving sends the webhooks of a payment, once', async (t) => {
  const shop = await startShop(t);
  const { id, link } = await startIntent(shop);
  for (let tries = 1; tries <= 2; tries += 1) {
    assert.match(await (await answer(link, 'pay')).text(), /Payment approved/);
  }
  await shop.simulator.settled();
  const { received } = shop.receiver;
  const expected = ['payment.authorized', 'payment.captured', 'order.paid'];
  assert.deepEqual(eventsOf(received), expected);
  const { entity } = JSON.parse(received[1]?.body ?? '').payload.payment;
  assert.deepEqual([entity.id, entity.status, entity.upi.flow], [id, 'captured', 'intent']);
  assert.doesNotMatch(await (await fetch(link)).text(), /<button/);
});

test('declining fails the payment for good, and the order can still be paid on the page', async (t) => {
  const shop = await startShop(t);
  const { orderId, link } = await startIntent(shop);
  for (const action of ['decline', 'pay']) {
    assert.match(await (await answer(link, action)).text(), /Payment not made/);
  }
  await shop.simulator.pay(orderId);
  await shop.simulator.settled();
  const statuses = shop.simulator.ledger().payments.map(({ status }) => status);
  assert.deepEqual(statuses, ['failed', 'captured']);
});

test('a scenario applies to an intent as to a payment on the page', async (t) => {
  const shop = await startShop(t);
  shop.simulator.setScenario({ name: 'second-attempt' });
  const { orderId, link } = await startIntent(shop);
  assert.match(await (await answer(link, 'pay')).text(), /Payment not made/);
  await shop.simulator.pay(orderId);
  await shop.simulator.settled();
  const statuses = shop.simulator.ledger().payments.map(({ status }) => status);
  assert.deepEqual(statuses, ['failed', 'captured']);
});

test('a partner that is down refuses intents without effect', async (t) => {
  const shop = await startShop(t);
  const reference = 'o_1-260101000000';
  const order_id = await shop.openOrder(reference);
  shop.simulator.setScenarioFor(reference, { name: 'provider-down' });
  const call = () => shop.partner('POST', '/v1/payments/create/upi', { ...wished, order_id });
  await assert.rejects(call(), /fetch failed/);
  assert.equal((await call()).status, 503);
  assert.deepEqual(shop.simulator.ledger().payments, []);
  assert.equal((await call()).status, 200);
});

test('an intent of an order that is paid, or that lacks something, is refused', async (t) => {
  const shop = await startShop(t);
  const order_id = await shop.openOrder();
  for (const fields of [
    { order_id: 'order_none' },
    { amount: 1 },
    { currency: 'USD' },
    { email: '' },
    { contact: undefined },
    { method: 'card' },
    { upi: { flow: 'collect' } },
  ]) {
    const body = { ...wished, order_id, ...fields };
    const { status } = await shop.partner('POST', '/v1/payments/create/upi', body);
    assert.equal(status, 400, JSON.stringify(fields));
  }
  assert.deepEqual(shop.simulator.ledger().payments, []);
  await shop.simulator.pay(order_id);
  const late = await shop.partner('POST', '/v1/payments/create/upi', { ...wished, order_id });
  assert.equal(late.status, 400);
  assert.equal((await fetch(`${shop.simulator.url}/upi/pay_none`)).status, 404);
  assert.equal((await answer(`${shop.simulator.url}/upi/pay_none`, 'steal')).status, 400);
});
