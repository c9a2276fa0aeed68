/** Cancelling a payment link, alone and while it is being paid. Contract 19.2. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findCheckout, startJourney } from '../../support/journey.ts';
import { dumpTables } from '../../support/test-database.ts';
import { assertRefused } from '../assertions.ts';
import { linkCalls } from './link-calls.ts';

const journey = await startJourney();
const { service, simulator, shop, initiate, pay, assertSound } = journey;
const { createLink, call, enquire, cancel, openPage, openCheckout } = linkCalls(journey);

test('the order lapses, with its history, and the reply has the link and no tokens', async () => {
  const { payment_link_id, payment_link, order_id, invoice_id } = await createLink();
  const { status, body } = await cancel({ payment_link_id });
  assert.equal(status, 200, JSON.stringify(body));
  assert.equal(body.status, 'cancelled');
  assert.deepEqual([body.payment_link, body.invoice_id], [payment_link, invoice_id]);
  assert.deepEqual([body.token, body.refresh_token, body.next], [undefined, undefined, []]);
  assert.ok(Date.parse(body.expires_at) <= Date.now());
  const { body: order } = await service.call(`/api/v3/order?order_id=${order_id}`, {
    token: shop.token,
  });
  assert.equal(order.status, 'lapsed');
  assertRefused(await initiate(order_id), 'ORDER_LAPSED');
  const { rows } = await service.database.query({
    text: `select entries from history where order_id = $1 and cause = 'cancel-link' order by position`,
    values: [order_id],
  });
  assert.match(JSON.stringify(rows), /status.*lapsed.*lapsesAt/);
  await assertSound();
});

test('cancelling twice answers 200 and changes nothing, also by the longer path', async () => {
  const { invoice_id } = await createLink();
  const first = await cancel({ invoice_id });
  const before = await dumpTables(service.database);
  const again = await call('payment-link/actions/actions', { action: 'cancel', invoice_id });
  assert.deepEqual([again.status, again.body], [200, first.body]);
  assert.deepEqual(await dumpTables(service.database), before);
});

test('a paid link is refused and stays paid', async () => {
  const { invoice_id, order_id } = await createLink();
  await pay(order_id);
  await simulator.settled();
  const before = await dumpTables(service.database);
  assertRefused(await cancel({ invoice_id }), 'ORDER_COMPLETED', 'refund the payment');
  assert.deepEqual(await dumpTables(service.database), before);
});

test('a payment that was started before and succeeds later counts, and makes the link paid', async () => {
  const link = await createLink();
  const { invoice_id, order_id } = link;
  const { body: started } = await initiate(order_id);
  const checkout = await findCheckout(started.next[0].url);
  assert.equal((await cancel({ invoice_id })).body.status, 'cancelled');
  await simulator.pay(checkout);
  await simulator.settled();
  const { body } = await enquire({ invoice_id });
  assert.deepEqual([body.status, body.payment_link_amount_paid], ['paid', 118]);
  assert.equal(body.orders_with_transactions[0].order.status, 'completed');
  assertRefused(await cancel({ invoice_id }), 'ORDER_COMPLETED', 'refund the payment');
  // It leads to the checkout again, which says that it is paid.
  assert.equal((await openPage(link)).status, 303);
  await assertSound();
});

test('send and what is no action are refused with a sentence, and change nothing', async () => {
  const { invoice_id } = await createLink();
  const before = await dumpTables(service.database);
  const act = (action: unknown) => call('payment-link/actions', { invoice_id, action });
  assertRefused(await act('send'), 'LINK_CANNOT_BE_SENT', 'The service sends no messages');
  for (const action of ['Cancel', '', null, undefined, 5, {}]) {
    assertRefused(await act(action), 'INVALID_REQUEST_PARAMETER', 'action');
  }
  assert.deepEqual(await dumpTables(service.database), before);
});

test('twenty cancels and twenty starts at once: what started counts, and nothing starts after the cancel', async () => {
  const { invoice_id, order_id } = await createLink();
  const [cancels, starts] = await Promise.all([
    Promise.all(Array.from({ length: 20 }, () => cancel({ invoice_id }))),
    Promise.all(Array.from({ length: 20 }, () => initiate(order_id))),
  ]);
  for (const { status, body } of cancels)
    assert.deepEqual([status, body.status], [200, 'cancelled']);
  const started = starts.filter(({ status }) => status === 200);
  for (const reply of starts) {
    if (reply.status !== 200) assertRefused(reply, 'ORDER_LAPSED');
  }
  assertRefused(await initiate(order_id), 'ORDER_LAPSED');
  const { body } = await enquire({ invoice_id });
  assert.equal(body.orders_with_transactions[0].transaction.length, started.length);
  assert.equal(body.status, 'cancelled');
  await assertSound();
});

test('a cancel and a success at once: either the cancel is refused, or the link is paid late', async () => {
  for (let round = 0; round < 10; round += 1) {
    const { invoice_id, order_id } = await createLink();
    const { body: started } = await initiate(order_id);
    const checkout = await findCheckout(started.next[0].url);
    const [reply] = await Promise.all([cancel({ invoice_id }), simulator.pay(checkout)]);
    await simulator.settled();
    if (reply.status !== 200) assertRefused(reply, 'ORDER_COMPLETED', 'refund the payment');
    assert.equal((await enquire({ invoice_id })).body.status, 'paid');
  }
  await assertSound();
});

test('the checkout of a cancelled link ends, and is counted as left', async () => {
  const link = await createLink();
  await openCheckout(link);
  await cancel({ invoice_id: link.invoice_id });
  const { rows } = await service.database.query<{ same: boolean }>({
    text: `select o.lapses_at = c.lapses_at as same
             from orders o join checkouts c using (account_id, order_id) where order_id = $1`,
    values: [link.order_id],
  });
  assert.deepEqual(rows, [{ same: true }]);
});

/** Last in this file: it moves the clock. */
test('an expired link can be cancelled, and keeps the time at which it lapsed', async () => {
  const expires_at = new Date(Date.now() + 3_600_000).toISOString();
  const { invoice_id } = await createLink({ expires_at });
  service.advanceSeconds(7_200);
  const { status, body } = await cancel({ invoice_id });
  assert.deepEqual([status, body.status, body.expires_at], [200, 'cancelled', expires_at]);
  await assertSound();
});
