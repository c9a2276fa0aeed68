import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventsOf, gatewaySecret, isSigned, noticesOf, startShop } from './support.ts';

test('the partner retries until it gets a 2xx, with the same event id and bytes', async (t) => {
  const { simulator, receiver, openOrder } = await startShop(t, { timeScale: 0.0001 });
  const answers = [500, 302, 404, 0, 204];
  receiver.answer = () => answers.shift() ?? 200;
  await simulator.pay(await openOrder(), 'decline');
  await simulator.settled();

  const { received } = receiver;
  assert.deepEqual(eventsOf(received), Array(5).fill('payment.failed'));
  assert.equal(new Set(received.map(({ body }) => body)).size, 1);
  assert.equal(new Set(received.map(({ headers }) => headers['x-razorpay-event-id'])).size, 1);
  assert.ok(received.every((request) => isSigned(request)));
});

test('the gateway retries with the same notification id and counts its tries', async (t) => {
  const { simulator, receiver, openSession } = await startShop(t, { timeScale: 0.0001 });
  receiver.answer = ({ headers }) => (headers['x-notification-attempt'] === '3' ? 200 : 503);
  await simulator.pay(await openSession());
  await simulator.settled();

  const tries = receiver.received.filter(({ body }) => body.includes('AUTHENTICATED'));
  assert.deepEqual(
    tries.map(({ headers }) => headers['x-notification-attempt']),
    ['1', '2', '3'],
  );
  assert.equal(new Set(tries.map(({ headers }) => headers['x-notification-id'])).size, 1);
  assert.equal(receiver.received.length, 6);
});

for (const [provider, tries] of [
  ['partner', 16],
  ['gateway', 13],
] as const) {
  test(`the ${provider} gives up after ${tries} tries and logs it`, async (t) => {
    const { simulator, receiver, lines, ...shop } = await startShop(t, { timeScale: 1e-8 });
    receiver.answer = () => 500;
    const open = provider === 'partner' ? shop.openOrder : shop.openSession;
    simulator.setScenario({ name: 'decline', reason: 'AUTHENTICATION_FAILED' });
    await simulator.pay(await open());
    await simulator.settled();
    assert.equal(receiver.received.length, tries);
    assert.match(lines.at(-1) ?? '', new RegExp(`GIVEN UP after ${tries} tries`));
  });
}

test('a webhook waits only for the first try of the one before, so a failing one does not delay others', async (t) => {
  const { simulator, receiver, openOrder } = await startShop(t, { timeScale: 0.0001 });
  const seen = new Set<string>();
  receiver.answer = ({ body }) => {
    const { event } = JSON.parse(body);
    const isFirst = !seen.has(event);
    seen.add(event);
    return event === 'payment.authorized' && isFirst ? 500 : 200;
  };
  await simulator.pay(await openOrder());
  await simulator.settled();
  assert.deepEqual([...seen], ['payment.authorized', 'payment.captured', 'order.paid']);
  assert.equal(receiver.received.length, 4);
});

test('closing does not wait for webhooks that are due', async (t) => {
  const { simulator, receiver, openOrder, openSession } = await startShop(t, { timeScale: 1 });
  receiver.answer = () => 500;
  simulator.setScenario({ name: 'late-success' });
  await simulator.pay(await openOrder());
  await simulator.pay(await openSession());
  await simulator.close();
  assert.ok(receiver.received.length <= 2);
});

test('a decline has a reason in each provider’s own format', async (t) => {
  const { simulator, receiver, openOrder, openSession } = await startShop(t, {
    scenario: { name: 'decline', reason: 'card_expired' },
  });
  await simulator.pay(await openOrder());
  await simulator.settled();
  const { error_code: code, error_reason: reason } = JSON.parse(receiver.received[0]?.body ?? '')
    .payload.payment.entity;
  assert.deepEqual([code, reason], ['BAD_REQUEST_ERROR', 'card_expired']);

  receiver.received.length = 0;
  await simulator.pay(await openSession());
  await simulator.settled();
  assert.deepEqual(noticesOf(receiver.received).at(-1), 'PAYMENT FAILURE 1');
  assert.match(receiver.received[1]?.body ?? '', /EXPIRED_CARD/);
});

test('duplicate-storm: each webhook is sent twenty times with one event id', async (t) => {
  const { simulator, receiver, openOrder } = await startShop(t, {
    scenario: { name: 'duplicate-storm' },
  });
  await simulator.pay(await openOrder());
  await simulator.settled();
  assert.equal(receiver.received.length, 60);
  const ids = receiver.received.map(({ headers }) => headers['x-razorpay-event-id']);
  assert.equal(new Set(ids).size, 3);
});

test('wrong-signature: the first try has a wrong signature, the retry a right one', async (t) => {
  const { simulator, receiver, openOrder, openSession } = await startShop(t, {
    scenario: { name: 'wrong-signature' },
  });
  receiver.answer = (request) => (isSigned(request) ? 200 : 401);
  await simulator.pay(await openOrder(), 'decline');
  await simulator.settled();
  assert.deepEqual(
    receiver.received.map((request) => isSigned(request)),
    [false, true],
  );

  receiver.received.length = 0;
  receiver.answer = ({ headers }) =>
    headers['x-notification-secret'] === gatewaySecret ? 200 : 401;
  simulator.setScenario({ name: 'wrong-signature', reason: 'AUTHENTICATION_FAILED' });
  await simulator.pay(await openSession(), 'decline');
  await simulator.settled();
  const secrets = receiver.received.map(({ headers }) => headers['x-notification-secret']);
  assert.deepEqual(secrets, ['another secret', gatewaySecret]);
});

for (const cut of ['connection', 'body'] as const) {
  test(`truncated: the first try is cut off (${cut}), the retry is complete`, async (t) => {
    const { simulator, receiver, openOrder } = await startShop(t, {
      scenario: { name: 'truncated', cut },
    });
    receiver.answer = (request) => (isSigned(request) ? 200 : 401);
    await simulator.pay(await openOrder(), 'decline');
    await simulator.settled();
    // The broken connection may be noticed only after the retry has arrived.
    await receiver.until(2);
    const [first, second] = receiver.received.toSorted((a, b) => a.body.length - b.body.length);
    assert.equal(receiver.received.length, 2);
    assert.equal(first?.isWhole, cut === 'body');
    assert.equal(second?.body.startsWith(first?.body ?? 'x'), true);
    assert.ok(second && isSigned(second) && first && first.body.length < second.body.length);
  });
}
