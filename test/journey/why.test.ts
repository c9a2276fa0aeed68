/** The explanation of orders that were paid here: requests, calls, polls, deliveries, events and time. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { explanationText } from '../../src/domain/why/text.ts';
import { createEventDeliveries } from '../../src/use-cases/events/deliver-events.ts';
import { explainOrder } from '../../src/use-cases/orders/explain-order.ts';
import { sweep } from '../../src/use-cases/upkeep/sweep.ts';
import { openCheckout } from '../support/checkout.ts';
import { findCheckout, startJourney } from '../support/journey.ts';
import { addEndpoint, startShopEndpoint } from '../support/shop-endpoint.ts';

const journey = await startJourney();
const { service, shop } = journey;
const { accountId } = shop;

test('a payment and its refund are on the timeline from the request to the event at the shop', async () => {
  const receiver = await startShopEndpoint();
  const { endpointId } = await addEndpoint(service, accountId, receiver.url);
  const { orderId, transactionId } = await journey.createPaid();
  service.advanceSeconds(1);
  const refunded = await journey.refund({ transaction_id: transactionId, amount: 50 });
  assert.equal(refunded.status, 200, JSON.stringify(refunded.body));
  await journey.simulator.settled();
  const deliveries = createEventDeliveries(service.services);
  await deliveries.startDue();
  await deliveries.stop();
  const explanation = await explain(orderId);
  const { entries } = explanation.timeline;
  const kinds = entries.map(({ kind }) => kind);
  assert.deepEqual(kinds.slice(0, 3), ['order-created', 'requested', 'provider-called']);
  const requests = entries.flatMap((entry) => (entry.kind === 'requested' ? [entry.name] : []));
  assert.deepEqual(requests, ['initiate-payment', 'refund']);
  const called = entries.flatMap((entry) =>
    entry.kind === 'provider-called' ? [[entry.call.operation, entry.call.outcome]] : [],
  );
  assert.deepEqual(called, [
    ['start-payment', 'done'],
    ['start-refund', 'done'],
  ]);
  const announced = entries.flatMap((entry) =>
    entry.kind === 'event-announced' ? [entry.type] : [],
  );
  for (const type of ['payment_success', 'order_completed', 'refund_success'] as const) {
    assert.ok(announced.includes(type), type);
  }
  const attempts = entries.flatMap((entry) =>
    entry.kind === 'event-attempted'
      ? [[entry.type, entry.endpointId, entry.url, entry.httpStatus]]
      : [],
  );
  assert.ok(attempts.length >= announced.length);
  assert.deepEqual(attempts[0], [announced[0], endpointId, receiver.url, 200]);

  const text = explanationText(explanation);
  assert.match(text, /Payment started by initiate-payment\n +o_\S+: status none → new/);
  assert.match(text, /Provider called for o_\S+: start-payment done, HTTP 200, \d+ ms\n/);
  assert.match(text, /Event evt_\S+ \w+ sent to [\w.:]+ \(ep_\w+\): HTTP 200/);
  assert.match(text, /Delivery dlv_\S+ received: payment\.captured from Razorpay, processed/);
  assert.match(text, /\n {2}status: succeeded\n {4}set by delivery dlv_\S+\. The highest status/);
  assert.match(text, /\n {4}not pending from our own call\. The highest status/);
  assert.match(text, /"upi_id":"a\*\*\*a@okbank"/);
  assert.doesNotMatch(text, /asha@|redirectUrl|https?:/);
  // Who may see personal data sees the UPI id.
  assert.match(explanationText(await explain(orderId, false)), /asha@okbank/);
});

test('a payment that was given up at the checkout and succeeds later names the delivery that says so', async () => {
  const orderId = await journey.createOrder();
  const browser = await openCheckout(service, { accountId, orderId });
  const started = await browser.submit(browser.page, { payment_mode_code: 'upi' });
  await browser.submit(await browser.get(`/checkout/${orderId}`));
  const launched = await findCheckout(`${service.baseUrl}${started.location}`);
  await journey.simulator.pay(launched, 'pay');
  await journey.simulator.settled();
  const { timeline, transactions } = await explain(orderId);
  const { entries } = timeline;
  const kinds = entries.map((entry) => (entry.kind === 'requested' ? entry.name : entry.kind));
  const inOrder = [
    'order-created',
    'checkout-opened',
    'payment-mode-chosen',
    'initiate-payment',
    'provider-called',
    'provider-polled',
    'give-up',
    'delivery-received',
  ];
  assert.deepEqual(
    inOrder.toSorted((a, b) => kinds.indexOf(a) - kinds.indexOf(b)),
    inOrder,
  );
  assert.ok(inOrder.every((kind) => kinds.includes(kind)));
  const status = transactions[0]?.fields.find(({ field }) => field === 'status');
  assert.equal(status?.value, 'succeeded');
  const received = entries.flatMap((entry) =>
    entry.kind === 'delivery-received' ? [entry.delivery.deliveryId] : [],
  );
  const [winner] = status?.setBy ?? [];
  assert.ok(winner?.kind === 'delivery' && received.includes(winner.deliveryId ?? ''));
});

test('an order that lapses says so, and time is the cause', async () => {
  const orderId = await journey.createOrder();
  await journey.initiate(orderId);
  service.advanceSeconds(25 * 3600);
  await sweep(service.services);
  const { timeline, order } = await explain(orderId);
  assert.equal(order.status, 'lapsed');
  const lapsed = timeline.entries.find(({ kind }) => kind === 'order-lapsed');
  assert.ok(lapsed && 'cause' in lapsed);
  assert.deepEqual(lapsed.cause, { kind: 'time' });
});

test('everything is sound after this', () => journey.assertSound());

async function explain(orderId: string, masked = true) {
  const explained = await explainOrder(service.services, { accountId, orderId }, { masked });
  assert.ok(explained);
  return explained;
}
