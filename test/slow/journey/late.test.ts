import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sweep } from '../../../src/use-cases/upkeep/sweep.ts';
import { waitUntil } from '../../../tools/harness/wait-until.ts';
import {
  findCheckout,
  modeOf,
  type SimulatedProvider,
  startJourney,
} from '../../support/journey.ts';

const { service, simulator, createOrder, initiate, enquire, heal, assertSound } =
  await startJourney();
const providers = Object.keys(modeOf) as SimulatedProvider[];
const hour = 3_600;

for (const provider of providers) {
  test(`${provider}: a payment after the order lapsed completes it, even with every webhook lost`, async () => {
    const orderId = await createOrder();
    simulator.setScenarioFor(orderId, { name: 'lost-webhook' });
    const { body } = await initiate(orderId, modeOf[provider]);
    const checkout = await findCheckout(body.next[0].url);
    await pass(31 * hour);
    assert.deepEqual(await shownOf(orderId), ['lapsed', 'failed']);

    await simulator.pay(checkout);
    await simulator.settled();
    await pass(12 * hour);
    assert.deepEqual(await shownOf(orderId), ['completed', 'succeeded']);
  });

  test(`${provider}: a payment is not polled any more three days after its order lapsed`, async () => {
    const orderId = await createOrder();
    await initiate(orderId, modeOf[provider]);
    await pass(25 * hour);
    assert.equal(await isPolled(orderId), true);
    await pass(4 * 24 * hour);
    assert.equal(await isPolled(orderId), false);
  });
}

test('partner: an uncaptured authorisation is flagged after an hour, and a capture removes the flag', async () => {
  const orderId = await createOrder();
  simulator.setScenarioFor(orderId, { name: 'manual-capture', delayMs: 8_000 });
  const { body } = await initiate(orderId, 'upi');
  await simulator.pay(await findCheckout(body.next[0].url));
  await heal();
  assert.deepEqual(await shownOf(orderId), ['pending', 'authorized']);
  assert.deepEqual(await flagsOf(orderId), []);
  // Polls are rare by then, and the flag must still be on time.
  await pass(50 * 60);
  assert.deepEqual(await flagsOf(orderId), []);
  await pass(11 * 60);
  assert.deepEqual(await flagsOf(orderId), ['not_captured']);
  await simulator.settled();
  assert.deepEqual(await shownOf(orderId), ['completed', 'succeeded']);
  assert.deepEqual(await flagsOf(orderId), []);
});

test('partner: an authorisation that arrives when polls are rare is flagged after an hour too', async () => {
  const orderId = await createOrder();
  simulator.setScenarioFor(orderId, { name: 'manual-capture', delayMs: 60_000 });
  const { body } = await initiate(orderId, 'upi');
  while ((await secondsToNextPoll(orderId)) < 2 * hour) await pass(hour);
  await simulator.pay(await findCheckout(body.next[0].url));
  await waitUntil('it is authorized', async () => (await shownOf(orderId))[1] === 'authorized');
  await pass(59 * 60);
  assert.deepEqual(await flagsOf(orderId), []);
  await pass(2 * 60);
  assert.deepEqual(await flagsOf(orderId), ['not_captured']);
});

test('the invariants hold after these tests', assertSound);

/** Moves the clock minute by minute and runs the background jobs that are due. */
async function pass(seconds: number): Promise<void> {
  const step = Math.max(61, Math.floor(seconds / 40));
  for (let passed = 0; passed < seconds; passed += step) {
    service.advanceSeconds(Math.min(step, seconds - passed) - 61);
    await heal();
  }
  await sweep(service.services);
}

async function shownOf(orderId: string): Promise<string[]> {
  const { order, transaction } = (await enquire({ order_id: orderId })).body;
  return [
    order.status,
    ...transaction.map((entry: { payment_status: string }) => entry.payment_status),
  ];
}

async function flagsOf(orderId: string): Promise<string[]> {
  const { rows } = await service.database.query<{ flags: string[] }>({
    text: 'select flags from transactions where order_id = $1',
    values: [orderId],
  });
  return rows.flatMap(({ flags }) => flags);
}

async function secondsToNextPoll(orderId: string): Promise<number> {
  const { rows } = await service.database.query<{ next_poll_at: Date }>({
    text: 'select next_poll_at from transactions where order_id = $1',
    values: [orderId],
  });
  return (Number(rows[0]?.next_poll_at) - service.services.clock().getTime()) / 1000;
}

async function isPolled(orderId: string): Promise<boolean> {
  const { rows } = await service.database.query({
    text: 'select from transactions where order_id = $1 and next_poll_at is not null',
    values: [orderId],
  });
  return rows.length > 0;
}
