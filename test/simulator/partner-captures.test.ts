/** Captures that the shop requests at the partner, and the ends of a hold that it does not. */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { SimulatorOptions } from '../../simulator/simulator.ts';
import { caller, eventsOf, type Json, onlyPayment, shopAt, startShop } from './support.ts';

const reference = 'o_1-260101000000';
const money = { amount: 1050, currency: 'INR' };
const manual = {
  capture: 'manual',
  capture_options: { manual_expiry_period: 7200, refund_speed: 'normal' },
};

test('a capture is answered with the payment, then reported like any capture', async (t) => {
  const { simulator, receiver, capture, id } = await hold(t);
  assert.deepEqual(eventsOf(receiver.received), ['payment.authorized']);
  const { status, body } = await capture(money);
  assert.deepEqual([status, body.id, body.status, body.captured], [200, id, 'captured', true]);
  await simulator.settled();
  assert.deepEqual(eventsOf(receiver.received), [
    'payment.authorized',
    'payment.captured',
    'order.paid',
  ]);
  assert.deepEqual(JSON.parse(receiver.received[1]?.body ?? '').payload.payment.entity, body);
  assert.deepEqual(
    simulator.moved().map(({ kind, amount, isAfterFailure }) => [kind, amount, isAfterFailure]),
    [['captured', 1050, false]],
  );
});

test('another amount or currency is refused, and the payment stays authorized', async (t) => {
  const { simulator, capture } = await hold(t);
  for (const amount of [1049, 1051]) {
    assert.deepEqual(await refusalOf(capture({ ...money, amount })), [
      400,
      'Capture amount must be equal to the amount authorized.',
    ]);
  }
  const [status] = await refusalOf(capture({ ...money, currency: 'USD' }));
  assert.equal(status, 400);
  assert.equal(onlyPayment(simulator).status, 'authorized');
  assert.deepEqual(simulator.moved(), []);
});

test('a payment is captured once; the refusal of a repeat has one of two wordings', async (t) => {
  const shop = await startShop(t);
  const refusals = new Set<unknown>();
  for (let number = 0; number < 12; number += 1) {
    const id = await payManual(shop, `o_${number}-260101000000`);
    const path = `/v1/payments/${id}/capture`;
    assert.equal((await shop.partner('POST', path, money)).status, 200);
    const [status, description] = await refusalOf(shop.partner('POST', path, money));
    assert.equal(status, 400);
    refusals.add(description);
  }
  assert.deepEqual([...refusals].sort(), [
    'Capture failed because the order is already paid',
    'This payment has already been captured',
  ]);
  assert.equal(shop.simulator.moved().length, 12);
});

test('a payment that failed cannot be captured, nor one of another shop', async (t) => {
  const { simulator, receiver, partner, openOrder } = await startShop(t);
  await simulator.pay(await openOrder(), 'decline');
  const { id } = onlyPayment(simulator);
  const path = `/v1/payments/${id}/capture`;
  const [, description] = await refusalOf(partner('POST', path, money));
  assert.match(`${description}`, /authorized and not yet captured/);
  const other = shopAt(receiver.url).partner;
  simulator.register({ partner: { ...other, keyId: 'other' } });
  const asOther = caller(simulator.url, 'other:key-secret');
  const [, unknown] = await refusalOf(asOther('POST', path, money));
  assert.equal(unknown, 'The id provided does not exist');
});

test('a hold ends after the minutes that the order asked for, and cannot be captured then', async (t) => {
  let now = Date.now();
  const { simulator, receiver, partner, capture, id } = await hold(t, { now: () => now });
  now += 7200 * 60_000 - 1;
  assert.equal((await partner('GET', `/v1/payments/${id}`)).body.status, 'authorized');
  now += 1;
  const [status, description] = await refusalOf(capture(money));
  assert.equal(status, 400);
  assert.match(`${description}`, /authorized and not yet captured/);
  const read = (await partner('GET', `/v1/payments/${id}`)).body;
  assert.deepEqual([read.status, read.captured], ['refunded', false]);
  await simulator.settled();
  assert.deepEqual(eventsOf(receiver.received), ['payment.authorized', 'refund.processed']);
  assert.equal(onlyPayment(simulator).status, 'reversed');
});

test('release: the hold ends soon, unless the shop was faster', async (t) => {
  const scenario = { name: 'release', delayMs: 300 } as const;
  const captured = await hold(t, { scenario });
  assert.equal((await captured.capture(money)).status, 200);
  const left = await hold(t, { scenario });
  await captured.simulator.settled();
  await left.simulator.settled();
  assert.equal(onlyPayment(captured.simulator).status, 'captured');
  assert.equal(onlyPayment(left.simulator).status, 'reversed');
});

test('manual-capture: who captures on the dashboard first leaves nothing for the shop', async (t) => {
  const { simulator, capture } = await hold(t, { scenario: { name: 'manual-capture' } });
  await simulator.settled();
  assert.equal((await refusalOf(capture(money)))[0], 400);
  assert.equal(simulator.moved().length, 1);
});

test('capture-declined: the capture is refused, and the payment stays authorized', async (t) => {
  const { simulator, capture } = await hold(t, { scenario: { name: 'capture-declined' } });
  const [status, description] = await refusalOf(capture(money));
  assert.deepEqual([status, description], [400, 'The payment could not be captured.']);
  assert.equal(onlyPayment(simulator).status, 'authorized');
});

test('late-success: a capture after an approval that came late moves money that had failed', async (t) => {
  const { simulator, capture } = await hold(t, { scenario: { name: 'late-success' } });
  assert.equal(onlyPayment(simulator).status, 'failed');
  await simulator.settled();
  assert.equal((await capture(money)).status, 200);
  assert.deepEqual(
    simulator.moved().map(({ kind, isAfterFailure }) => [kind, isAfterFailure]),
    [['captured', true]],
  );
});

test('answer-lost: the capture is made once, and all calls are counted', async (t) => {
  const { simulator, capture } = await hold(t);
  simulator.setScenario({ name: 'answer-lost', times: 1 });
  await assert.rejects(capture(money));
  assert.equal((await refusalOf(capture(money)))[0], 400);
  assert.equal(simulator.moved().length, 1);
  const counts = { provider: 'partner', reference };
  assert.deepEqual(simulator.calls(), [
    { ...counts, operation: 'start-payment', arrived: 1, made: 1 },
    { ...counts, operation: 'start-capture', arrived: 2, made: 1 },
  ]);
});

test('rate-limited: a capture is refused in all three ways, then made', async (t) => {
  const { simulator, capture } = await hold(t);
  simulator.setScenario({ name: 'rate-limited' });
  const answers = [];
  for (let calls = 0; calls < 4; calls += 1) answers.push((await capture(money)).status);
  assert.deepEqual(answers, [429, 400, 400, 200]);
  assert.deepEqual(simulator.calls().at(-1)?.made, 1);
});

test('a tester captures the whole hold or lets it expire, and voids nothing', async (t) => {
  const { simulator, id } = await hold(t);
  assert.equal(await simulator.holds.capture(id, 1049), false);
  assert.equal(await simulator.holds.void(id), false);
  assert.equal(await simulator.holds.capture(id), true);
  assert.equal(await simulator.holds.expire(id), false);
  const expiring = await hold(t);
  assert.equal(await expiring.simulator.holds.expire(expiring.id), true);
  assert.equal(await expiring.simulator.holds.capture(expiring.id), false);
  assert.equal(onlyPayment(expiring.simulator).status, 'reversed');
});

/** A payment that waits for the shop's capture. */
async function hold(t: TestContext, options: SimulatorOptions = {}) {
  const shop = await startShop(t, options);
  const id = await payManual(shop, reference);
  await shop.receiver.until(1);
  const capture = (body: Json) => shop.partner('POST', `/v1/payments/${id}/capture`, body);
  return { ...shop, id, capture };
}

async function payManual(
  { simulator, openOrder }: Awaited<ReturnType<typeof startShop>>,
  name: string,
): Promise<string> {
  await simulator.pay(await openOrder(name, { payment: manual }));
  return simulator.ledger().payments.find((payment) => payment.reference === name)?.id ?? '';
}

async function refusalOf(answer: Promise<{ status: number; body: Json }>) {
  const { status, body } = await answer;
  return [status, (body.error as Json | undefined)?.description];
}
