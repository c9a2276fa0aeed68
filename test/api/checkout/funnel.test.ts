/** What is recorded about checkouts: opened, a way chosen, and how they ended. Contract 14.7. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { endCheckouts } from '../../../src/use-cases/checkout/get-checkout.ts';
import type { PlainBrowser } from '../../../tools/harness/plain-browser.ts';
import { openCheckout } from '../../support/checkout.ts';
import { findCheckout, startJourney } from '../../support/journey.ts';

const journey = await startJourney();
const { service, shop, simulator } = journey;
const { accountId } = shop;
const upi = { payment_mode_code: 'upi' };

test('each checkout is counted once in each step', async () => {
  const paid = await open();
  await open(paid.orderId);
  assert.deepEqual(counted(), { opened: 1, chosen: 0, paid: 0, failed: 0, left: 0 });
  await pay(paid, 'pay');
  for (let count = 0; count < 2; count += 1) await paid.get(`/checkout/${paid.orderId}`);
  assert.deepEqual(counted(), { opened: 1, chosen: 1, paid: 1, failed: 0, left: 0 });

  const failed = await open();
  await pay(failed, 'decline');
  await pay(failed, 'decline');
  await open();
  const unseen = await open();
  await pay(unseen, 'pay');
  assert.deepEqual(counted(), { opened: 4, chosen: 3, paid: 1, failed: 0, left: 0 });
  await end();
  assert.deepEqual(counted(), { opened: 4, chosen: 3, paid: 1, failed: 0, left: 0 });
  service.advanceSeconds(24 * 3600 + 1);
  await end();
  await end();
  assert.deepEqual(counted(), { opened: 4, chosen: 3, paid: 2, failed: 1, left: 1 });
});

async function open(known?: string) {
  const orderId = known ?? (await journey.createOrder());
  return { orderId, ...(await openCheckout(service, { accountId, orderId })) };
}

/** Chooses UPI on the page and acts at the provider. */
async function pay(
  browser: PlainBrowser & { readonly orderId: string },
  action: 'pay' | 'decline',
): Promise<void> {
  const page = await browser.get(`/checkout/${browser.orderId}`);
  const { location } = await browser.submit(page, upi);
  await simulator.pay(await findCheckout(`${service.baseUrl}${location}`), action);
  await simulator.settled();
}

function counted(): Record<string, number> {
  const entries = service.services.counters.listCheckouts();
  return Object.fromEntries(entries.map(({ step, count }) => [step, count]));
}

function end(): Promise<number> {
  return endCheckouts(service.services, () => false);
}
