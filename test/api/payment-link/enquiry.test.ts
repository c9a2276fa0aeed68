/** `POST /api/v3/payment-link/enquiry`: what it says in each status of a link. Contract 19.2. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startJourney } from '../../support/journey.ts';
import { dumpTables } from '../../support/test-database.ts';
import { assertRefused } from '../assertions.ts';
import { linkCalls } from './link-calls.ts';

const journey = await startJourney();
const { service, simulator, pay, refund, assertSound } = journey;
const { createLink, call, enquire, cancel, openPage, openCheckout } = linkCalls(journey);

test('a new link is created, and the reply has its order as transaction-enquiry shows it', async () => {
  const { invoice_id, order_id, payment_link_id, payment_link, expires_at } = await createLink();
  const { status, body } = await enquire({ invoice_id });
  assert.equal(status, 200, JSON.stringify(body));
  const { body: enquiry } = await call('transaction-enquiry', { order_id });
  assert.deepEqual(body, {
    payment_link_id,
    payment_link_url: payment_link,
    short_url: payment_link,
    order_id,
    invoice_id,
    status: 'created',
    currency: 'INR',
    total_amount: 118,
    payment_link_amount_paid: 0,
    expires_at,
    orders_with_transactions: [enquiry],
  });
  assert.deepEqual((await enquire({ payment_link_id })).body, body);
  assert.deepEqual((await enquire({ payment_link_id, invoice_id })).body, body);
});

test('opening the checkout makes it opened, and so does a payment that was started elsewhere', async () => {
  const [page, api] = [await createLink(), await createLink()];
  await openCheckout(page);
  await journey.initiate(api.order_id);
  for (const { invoice_id } of [page, api]) {
    assert.equal((await enquire({ invoice_id })).body.status, 'opened');
  }
});

test('a payment makes it paid, and a refund leaves it so', async () => {
  const { invoice_id, order_id } = await createLink();
  const transaction_id = await pay(order_id);
  await simulator.settled();
  const { body } = await enquire({ invoice_id });
  assert.deepEqual([body.status, body.payment_link_amount_paid], ['paid', 118]);
  assert.equal(body.orders_with_transactions[0].transaction.length, 1);
  assert.equal((await refund({ transaction_id })).status, 200);
  await simulator.settled();
  const { body: after } = await enquire({ invoice_id });
  assert.deepEqual([after.status, after.payment_link_amount_paid], ['paid', 118]);
  assert.equal(after.orders_with_transactions[0].transaction.length, 2);
});

test('a cancelled link is cancelled, and opens a page that says so', async () => {
  const link = await createLink();
  assert.equal((await cancel({ invoice_id: link.invoice_id })).status, 200);
  assert.equal((await enquire({ invoice_id: link.invoice_id })).body.status, 'cancelled');
  const page = await openPage(link);
  assert.equal(page.status, 200);
  assert.match(page.body, /This payment link was cancelled/);
  assert.equal(page.headers.get('location'), null);
});

test('what names no link of the account is not found, and two that differ are refused', async () => {
  const other = await journey.openShop();
  const [own, second] = [await createLink(), await createLink()];
  const { body: foreign } = await service.call('/api/v3/payment-link', {
    token: other.token,
    body: { ...own.sent, invoice_id: 'FOREIGN' },
  });
  const plain = 'PLAIN-1';
  await journey.createOrder({ invoice_id: plain });
  const before = await dumpTables(service.database);
  for (const path of ['enquiry', 'actions']) {
    const ask = (names: object) => call(`payment-link/${path}`, { action: 'cancel', ...names });
    for (const payment_link_id of [foreign.payment_link_id, 'x', `${own.payment_link_id}0`]) {
      assertRefused(await ask({ payment_link_id }), 'ORDER_NOT_FOUND', 'payment_link_id');
    }
    for (const invoice_id of ['FOREIGN', 'UNKNOWN', plain]) {
      assertRefused(await ask({ invoice_id }), 'INVOICE_NOT_FOUND', 'payment link');
    }
    assertRefused(await ask({}), 'INVALID_REQUEST_PARAMETER', 'Send payment_link_id or invoice_id');
    const { invoice_id } = second;
    const { payment_link_id } = own;
    const both = await ask({ payment_link_id, invoice_id });
    assertRefused(both, 'INVALID_REQUEST_PARAMETER', 'do not belong together');
  }
  assert.deepEqual(await dumpTables(service.database), before);
});

test('an order token may make none of the calls', async () => {
  const { token, invoice_id } = await createLink();
  const before = await dumpTables(service.database);
  for (const [method, path] of [
    ['POST', '/enquiry'],
    ['POST', '/actions'],
    ['POST', '/actions/actions'],
    ['PATCH', ''],
  ]) {
    const body = { invoice_id, action: 'cancel', description: 'x' };
    const reply = await service.call(`/api/v3/payment-link${path}`, { token, method, body });
    assertRefused(reply, 'PERMISSION_DENIED');
  }
  assert.deepEqual(await dumpTables(service.database), before);
});

/** Last in this file: it moves the clock. */
test('a link whose time is over is expired, unless it was cancelled before', async () => {
  const expires_at = new Date(Date.now() + 86_400_000).toISOString();
  const [left, cancelled] = [await createLink({ expires_at }), await createLink({ expires_at })];
  await cancel({ invoice_id: cancelled.invoice_id });
  service.advanceSeconds(86_400);
  const statusOf = async ({ invoice_id }: { invoice_id: string }) =>
    (await enquire({ invoice_id })).body.status;
  assert.deepEqual([await statusOf(left), await statusOf(cancelled)], ['expired', 'cancelled']);
  await assertSound();
});
