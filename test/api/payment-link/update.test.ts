/** `PATCH /api/v3/payment-link`: what it changes, and when it refuses. Contract 19.2. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findCheckout, startJourney } from '../../support/journey.ts';
import { dumpTables } from '../../support/test-database.ts';
import { assertRefused, claimsOf } from '../assertions.ts';
import { linkCalls } from './link-calls.ts';

const journey = await startJourney();
const { service, simulator, shop, initiate, pay, assertSound } = journey;
const { createLink, enquire, cancel, update, openCheckout } = linkCalls(journey);
const inDays = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString();

test('amount, items, description and expires_at change; the rest and the address stay', async () => {
  const link = await createLink();
  const { invoice_id, payment_link_id, order_id } = link;
  await openCheckout(link);
  const expires_at = inDays(30);
  const { status, body } = await update({
    payment_link_id,
    amount_before_tax: 200,
    tax: '36.00',
    total_amount: 236,
    order_line_items: [{ title: 'Coffee', quantity: 2, rate: 100 }],
    description: 'Two packets of coffee',
    expires_at,
  });
  assert.equal(status, 200, JSON.stringify(body));
  assert.deepEqual([body.status, body.total_amount, body.tax], ['opened', 236, 36]);
  assert.deepEqual([body.expires_at, body.payment_link], [expires_at, link.payment_link]);
  assert.deepEqual(body.user, link.user);
  assert.equal(claimsOf(body.token).order_id, order_id);
  assert.equal(claimsOf(body.refresh_token).token_type, 'refresh');
  const { body: order } = await service.call(`/api/v3/order?invoice_id=${invoice_id}`, {
    token: shop.token,
  });
  assert.equal(order.description, 'Two packets of coffee');
  assert.deepEqual(order.order_line_items, [{ title: 'Coffee', quantity: 2, rate: 100 }]);
  const { rows } = await service.database.query({
    text: 'select lapses_at from checkouts where order_id = $1',
    values: [order_id],
  });
  assert.deepEqual(rows, [{ lapses_at: new Date(expires_at) }]);
  await pay(order_id);
  await simulator.settled();
  assert.equal((await enquire({ invoice_id })).body.payment_link_amount_paid, 236);
  await assertSound();
});

test('fields that are absent, null or empty stay, and a change of nothing leaves no history', async () => {
  const { invoice_id, expires_at } = await createLink({ description: 'Tea' });
  const before = await dumpTables(service.database);
  for (const more of [
    {},
    { total_amount: null, description: '', expires_at: null, order_line_items: null },
    { expires_at, description: 'Tea' },
  ]) {
    const { status, body } = await update({ invoice_id, ...more });
    assert.deepEqual([status, body.expires_at], [200, expires_at], JSON.stringify(body));
  }
  assert.deepEqual(await dumpTables(service.database), before);
});

test('the first request again returns the changed link', async () => {
  const { sent, invoice_id, payment_link } = await createLink();
  await update({ invoice_id, expires_at: inDays(2), total_amount: 10 });
  const again = await createLink(sent);
  assert.deepEqual([again.payment_link, again.total_amount], [payment_link, 10]);
});

test('bad input is refused with a sentence, and changes nothing', async () => {
  const { invoice_id } = await createLink();
  const before = await dumpTables(service.database);
  for (const [changes, says] of [
    [{ total_amount: 0 }, 'total_amount'],
    [{ tax: 5 }, 'total_amount'],
    [{ amount_before_tax: 1, total_amount: 3 }, 'total_amount'],
    [{ total_amount: 5, currency: 'USD' }, 'currency must stay INR'],
    [{ order_line_items: [{ title: 'Tea' }] }, 'order_line_items'],
    [{ expires_at: '2020-01-01 00:00:00' }, 'expires_at must be in the future'],
    [{ expires_at: inDays(367) }, 'expires_at must be at most 366 days'],
    [{ expires_at: '2027-01-01' }, 'expires_at must be a time'],
    [{ description: 5 }, 'description'],
  ] as const) {
    const reply = await update({ invoice_id, ...changes });
    assertRefused(reply, 'INVALID_REQUEST_PARAMETER', says);
  }
  assert.deepEqual(await dumpTables(service.database), before);
});

test('a link that was started, paid or cancelled cannot be changed', async () => {
  const [started, failed, paid, cancelled] = [
    await createLink(),
    await createLink(),
    await createLink(),
    await createLink(),
  ];
  await initiate(started.order_id);
  await pay(failed.order_id, 'upi', 'decline');
  await pay(paid.order_id);
  await simulator.settled();
  await cancel({ invoice_id: cancelled.invoice_id });
  const before = await dumpTables(service.database);
  for (const [{ invoice_id }, says] of [
    [started, 'started'],
    [failed, 'started'],
    [paid, 'is paid'],
    [cancelled, 'is cancelled'],
  ] as const) {
    const reply = await update({ invoice_id, total_amount: 5 });
    assertRefused(reply, 'LINK_CANNOT_BE_UPDATED', says);
  }
  assert.deepEqual(await dumpTables(service.database), before);
});

test('a change and a start at once: the payment has the amount that the link then shows', async () => {
  for (let round = 0; round < 5; round += 1) {
    const { invoice_id, order_id } = await createLink();
    const [changed, started] = await Promise.all([
      update({ invoice_id, total_amount: 236 }),
      initiate(order_id),
    ]);
    assert.equal(started.status, 200, JSON.stringify(started.body));
    if (changed.status !== 200) assertRefused(changed, 'LINK_CANNOT_BE_UPDATED', 'started');
    await simulator.pay(await findCheckout(started.body.next[0].url));
    await simulator.settled();
    const { body } = await enquire({ invoice_id });
    assert.deepEqual([body.status, body.payment_link_amount_paid], ['paid', body.total_amount]);
    assert.equal(body.total_amount, changed.status === 200 ? 236 : 118);
  }
  await assertSound();
});

/** Last in this file: it moves the clock. */
test('an expired link cannot be changed, and a changed end counts', async () => {
  const [short, longer] = [
    await createLink({ expires_at: inDays(1) }),
    await createLink({ expires_at: inDays(1) }),
  ];
  assert.equal((await update({ ...longer, expires_at: inDays(3) })).status, 200);
  service.advanceSeconds(2 * 86_400);
  const later = { expires_at: inDays(5) };
  const refused = await update({ invoice_id: short.invoice_id, ...later });
  assertRefused(refused, 'LINK_CANNOT_BE_UPDATED', 'is expired');
  assert.equal((await enquire({ invoice_id: longer.invoice_id })).body.status, 'created');
});
