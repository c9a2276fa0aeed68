import assert from 'node:assert/strict';
import { test } from 'node:test';
import pg from 'pg';
import { paymentLimits } from '../../src/domain/payments/limits.ts';
import { onOneServer } from '../support/citus-cluster.ts';
import { partnerEvent, partnerPayment, sendPartner } from '../support/deliveries.ts';
import { orderBody } from '../support/order-bodies.ts';
import { createTestDatabase } from '../support/test-database.ts';

/** Every named statement that the service sends. Each is planned once per connection, and the plan is reused. */
const statements = new Map<string, string>();
type Sent = { readonly name?: string; readonly text?: string };
const { prototype } = pg.Query as unknown as { prototype: { submit: (to: unknown) => unknown } };
const { submit } = prototype;
prototype.submit = function note(this: Sent, connection) {
  const isPlanned = !/^(begin|commit|set) ?/.test(this.text ?? '');
  if (this.name && this.text && isPlanned) statements.set(this.name, this.text);
  return submit.call(this, connection);
};

const { startJourney } = await import('../support/journey.ts');
const { service, shop, openShop, createOrder, createPaid, initiate, refund, simulator, heal } =
  await startJourney();
const { addEndpoint, answerStatus, startShopEndpoint } = await import(
  '../support/shop-endpoint.ts'
);
const receiver = await startShopEndpoint();
await addEndpoint(service, shop.accountId, receiver.url);
for (const mode of ['credit_card', 'upi'] as const) {
  const { orderId, transactionId } = await createPaid({ invoice_id: `PLAN-${mode}` }, mode);
  await refund({ invoice_id: `PLAN-${mode}`, refund_amount: 18, refund_request_id: `R-${mode}` });
  await simulator.settled();
  for (const query of [
    `order_id=${orderId}`,
    `invoice_id=PLAN-${mode}`,
    `transaction_id=${transactionId}`,
  ])
    await service.call(`/api/v3/order?${query}`, { token: shop.token });
}
// A large order, of which only a part is loaded.
const large = orderBody({ invoice_id: 'PLAN-large' });
await service.call('/api/v3/create-order', { token: shop.token, body: large });
for (let payment = 0; payment < paymentLimits.transactionsLoadedMax + 2; payment += 1) {
  const notes = { invoice_id: 'PLAN-large' };
  const body = partnerPayment({ id: `pay_L${payment}`, order_id: null, notes });
  await sendPartner(service, shop, partnerEvent('payment.captured', { payment: body }));
}
// A payment link of a new order, one that is added to an order, and its use.
const [linked, added] = [orderBody(), orderBody()];
for (const [path, body] of [
  ['payment-link', linked],
  ['create-order', added],
  ['payment-link', added],
] as const) {
  const reply = await service.call(`/api/v3/${path}`, { token: shop.token, body });
  if (path === 'payment-link') await fetch(reply.body.payment_link, { redirect: 'manual' });
}
// A payment that nobody completes, which is polled.
await initiate(await createOrder({ invoice_id: 'PLAN-open' }), 'upi');
await heal();
const { retryDue } = await import('../../src/use-cases/inbox/retry-due.ts');
const payment = partnerPayment({ notes: { invoice_id: 'PLAN-later' } });
await sendPartner(service, shop, partnerEvent('payment.captured', { payment }));
service.advanceSeconds(2);
await retryDue(service.services);
// Two shops at once: on one server their requests share statements.
const shops = [shop, await openShop()];
const atOnce = <Result>(send: (to: (typeof shops)[number], index: number) => Promise<Result>) =>
  Promise.all(Array.from({ length: 20 }, (_one, index) => send(shops[index % 2] ?? shop, index)));
const shared = await atOnce(({ token }, index) =>
  service.call('/api/v3/create-order', {
    token,
    body: orderBody({ invoice_id: `PLAN-shared-${index}` }),
  }),
);
for (const status of ['payment.authorized', 'payment.captured']) {
  await atOnce((to, index) => {
    const notes = { svc_order_id: shared[index]?.body.order_id };
    const body = partnerPayment({ id: `pay_S${index}`, notes });
    return sendPartner(service, to, partnerEvent(status, { payment: body }));
  });
}
await atOnce(({ token }, index) =>
  service.call('/api/v3/transaction-enquiry', {
    token,
    body: { order_id: shared[index]?.body.order_id },
  }),
);
const { createEventDeliveries } = await import('../../src/use-cases/events/deliver-events.ts');
const deliveries = createEventDeliveries(service.services);
await deliveries.startDue();
await receiver.waitFor(1);
receiver.answer = answerStatus(500);
await deliveries.startDue();
await deliveries.stop();
const { database } = await createTestDatabase();

test('a journey sends every kind of statement', onOneServer, () => {
  for (const name of [
    'insert-orders',
    'find-referenced-orders',
    'list-parked-deliveries',
    'list-affected-transactions',
    'list-transaction-ids',
    'lock-due-deliveries',
    'delete-other-references',
    'claim-due-polls',
    'insert-events',
    'list-due-endpoints',
    'claim-events',
    'save-event-results',
    'insert-event-attempts',
    'save-endpoint-health',
    'insert-links',
    'insert-link',
    'find-link',
    'find-linked-order',
    'list-parked-deliveries-of-accounts',
    'find-orders-with-transactions-of-accounts',
    'lock-deliveries-by-key-of-accounts',
    'find-referenced-orders-of-accounts',
    'list-transactions-of-small-of-accounts',
    'save-order-summaries-of-accounts',
    'append-history-of-accounts',
    'update-transactions-of-accounts',
  ]) {
    assert.ok(statements.has(name), `${name} is not among ${[...statements.keys()].join(', ')}`);
  }
});

/** Rows that an index scan reads and then filters out. No index can leave out a list. */
const filteredByKey =
  /(?<!One-Time )Filter: (?!.*<> ALL).*\b(account_id|\w*order_id|invoice_id|\w*transaction_id|delivery_\w+|endpoint_id|reference)\b/;

for (const [name, text] of statements) {
  test(
    `on an empty database the plan of ${name} finds rows by complete keys`,
    onOneServer,
    async () => {
      const { rows } = await database.query<{ 'QUERY PLAN': string }>({
        text: `explain (generic_plan, costs off) ${text}`,
      });
      const plan = rows.map((row) => row['QUERY PLAN']).join('\n');
      assert.doesNotMatch(plan, filteredByKey);
    },
  );
}

test('the transactions of a large order are not read before its tally', onOneServer, async () => {
  const text = statements.get('list-transactions-of-small');
  const { rows } = await database.query<{ 'QUERY PLAN': string }>({
    text: `explain (generic_plan, costs off) ${text}`,
  });
  const plan = rows.map((row) => row['QUERY PLAN']).join('\n');
  // The outer side of a nested loop is printed first.
  assert.ok(plan.indexOf(' on orders ') < plan.indexOf(' on transactions '), plan);
});
