/** Paying on the checkout page without scripts: what a form starts, and that none starts two payments. Contract 14.3. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  headingOf,
  hiddenFieldsOf,
  newBrowser,
  type Seen,
} from '../../../tools/harness/plain-browser.ts';
import { openCheckout } from '../../support/checkout.ts';
import { startJourney } from '../../support/journey.ts';

const journey = await startJourney();
const { service, simulator, shop, enquire, heal } = journey;
const { accountId } = shop;
const upi = { payment_mode_code: 'upi' };

test('a chosen mode starts a payment, and the launch page leads to the provider', async () => {
  const { orderId, ...browser } = await open();
  const started = await browser.submit(browser.page, upi);
  const [payment] = await paymentsOf(orderId);
  assert.equal(started.status, 303);
  assert.equal(started.location, `/pay/${accountId}/${payment?.svc_transaction_id}`);
  assert.equal(payment?.payment_status, 'pending');
  const launch = await browser.get(started.location ?? '');
  assert.deepEqual([launch.status, headingOf(launch)], [200, 'Opening the payment page']);
  assert.ok(launch.text.includes(`${simulator.url}/v1/checkout/embedded`));
});

test('a bank is sent along, and a mode that needs one is refused without', async () => {
  const { orderId, ...browser } = await open();
  const refused = await browser.submit(browser.page, { payment_mode_code: 'net_banking' });
  assert.equal(refused.status, 422);
  assert.match(refused.text, /role="alert"><p>Please choose one from the list/);
  assert.match(refused.text, /value="net_banking" required checked/);
  assert.deepEqual(await paymentsOf(orderId), []);
  const started = await browser.submit(refused, {
    payment_mode_code: 'net_banking',
    bank_code: 'HDFC',
  });
  assert.equal(started.status, 303);
  const [payment] = await paymentsOf(orderId);
  assert.deepEqual(payment?.sub_payment_mode, { bank_name: 'HDFC' });
});

const wrongForms: [name: string, fields: Record<string, string>, status: number][] = [
  ['no mode', {}, 422],
  ['an unknown mode', { payment_mode_code: 'cheque' }, 422],
  ['a bank that is no code', { payment_mode_code: 'net_banking', bank_code: '<script>' }, 422],
  ['a UPI id that is none', { payment_mode_code: 'upi', upi_id: '4111111111111111' }, 422],
  ['the key of no form', { ...upi, form_key: 'x' }, 409],
  ['no key', { ...upi, form_key: '' }, 409],
  ['no attempt', { ...upi, attempt: '' }, 409],
  ['an attempt that is too high', { ...upi, attempt: '7' }, 409],
];
for (const [name, fields, status] of wrongForms) {
  test(`a form with ${name} is answered ${status} and starts nothing`, async () => {
    const { orderId, ...browser } = await open();
    const reply = await browser.submit(browser.page, fields);
    assert.equal(reply.status, status);
    assert.doesNotMatch(reply.text, /<script>|4111111111111111/);
    assert.deepEqual(await paymentsOf(orderId), []);
  });
}

test('a form that is posted without the cookie, as from another site, starts nothing', async () => {
  const { orderId, ...browser } = await open();
  const other = newBrowser(service);
  const reply = await other.submit(browser.page, upi);
  assert.equal(reply.status, 401);
  assert.deepEqual(await paymentsOf(orderId), []);
});

test('a form of a tab that was opened with an earlier token starts nothing, and the page it gets can be sent', async () => {
  const { orderId, ...browser } = await open();
  const again = await openCheckout(service, { accountId, orderId });
  const reply = await again.submit(browser.page, upi);
  assert.deepEqual([reply.status, headingOf(reply)], [409, 'How would you like to pay?']);
  assert.match(reply.text, /The order has changed since this page was opened/);
  assert.deepEqual(await paymentsOf(orderId), []);
  assert.equal((await again.submit(reply, upi)).status, 303);
  const stale = await again.submit(browser.page, {}, `/checkout/${orderId}/give-up`);
  assert.deepEqual([stale.status, headingOf(stale)], [409, 'Waiting for your bank']);
  assert.equal((await paymentsOf(orderId)).length, 1);
});

test('ten clicks at once start one payment, and all lead to the same page', async () => {
  const { orderId, ...browser } = await open();
  const replies = await Promise.all(
    Array.from({ length: 10 }, () => browser.submit(browser.page, upi)),
  );
  const [payment, ...others] = await paymentsOf(orderId);
  assert.deepEqual(others, []);
  const launch = `/pay/${accountId}/${payment?.svc_transaction_id}`;
  assert.deepEqual(new Set(replies.map(({ location }) => location)), new Set([launch]));
});

test('a second tab with another mode starts no second payment, and shows the first', async () => {
  const { orderId, ...browser } = await open();
  const secondTab = await browser.get(`/checkout/${orderId}`);
  await browser.submit(browser.page, upi);
  const reply = await browser.submit(secondTab, {
    payment_mode_code: 'wallet',
    wallet_code: 'phonepe',
  });
  assert.deepEqual([reply.status, headingOf(reply)], [409, 'Waiting for your bank']);
  assert.equal((await paymentsOf(orderId)).length, 1);
});

test('a payment that the shop has started meanwhile is shown, and no other is started', async () => {
  const { orderId, ...browser } = await open();
  await journey.initiate(orderId, 'upi');
  const reply = await browser.submit(browser.page, upi);
  assert.deepEqual([reply.status, headingOf(reply)], [409, 'Waiting for your bank']);
  assert.equal((await paymentsOf(orderId)).length, 1);
});

test('a failed payment is explained, other ways are offered, and an old form starts nothing', async () => {
  const { orderId, ...browser } = await open();
  await payAtProvider(browser, await browser.submit(browser.page, upi), 'decline');
  await heal();
  const page = await browser.get(`/checkout/${orderId}`);
  assert.deepEqual([page.status, headingOf(page)], [200, 'How would you like to pay?']);
  assert.match(page.text, /The payment failed/);
  assert.equal(hiddenFieldsOf(page).attempt, '1');
  const stale = await browser.submit(browser.page, { payment_mode_code: 'debit_card' });
  assert.equal(stale.status, 409);
  assert.match(stale.text, /The order has changed since this page was opened/);
  assert.equal((await paymentsOf(orderId)).length, 1);
  assert.equal((await browser.submit(page, upi)).status, 303);
  assert.equal((await paymentsOf(orderId)).length, 2);
});

test('a consumer who came back without paying can choose another way, and a late success still counts', async () => {
  const { orderId, ...browser } = await open();
  const started = await browser.submit(browser.page, upi);
  const waiting = await browser.get(`/checkout/${orderId}`);
  assert.equal(headingOf(waiting), 'Waiting for your bank');
  const givenUp = await browser.submit(waiting);
  assert.deepEqual([givenUp.status, givenUp.location], [303, `/checkout/${orderId}`]);
  const page = await browser.get(`/checkout/${orderId}`);
  assert.equal(headingOf(page), 'How would you like to pay?');
  assert.equal((await paymentsOf(orderId))[0]?.payment_status, 'pending');
  // A repeat of the old form must not give up what comes next.
  const second = await browser.submit(page, { payment_mode_code: 'debit_card' });
  assert.equal(second.status, 303);
  assert.equal((await browser.submit(waiting)).status, 303);
  assert.equal(headingOf(await browser.get(`/checkout/${orderId}`)), 'Waiting for your bank');
  await payAtProvider(browser, started, 'pay');
  await heal();
  assert.equal(headingOf(await browser.get(`/checkout/${orderId}`)), 'Payment received');
  await journey.assertSound();
});

test('a payment with an attempt at the provider is not given up', async () => {
  const { orderId, ...browser } = await open();
  simulator.setScenarioFor(orderId, { name: 'lost-webhook' });
  const started = await browser.submit(browser.page, upi);
  const waiting = await browser.get(`/checkout/${orderId}`);
  await payAtProvider(browser, started, 'pay');
  await browser.submit(waiting);
  // The poll has found the attempt and its success.
  assert.equal(headingOf(await browser.get(`/checkout/${orderId}`)), 'Payment received');
});

test('a provider that cannot be polled keeps the payment', async () => {
  const other = await startJourney();
  const orderId = await other.createOrder();
  const target = { accountId: other.shop.accountId, orderId };
  const browser = await openCheckout(other.service, target);
  await browser.submit(browser.page, upi);
  const waiting = await browser.get(`/checkout/${orderId}`);
  await other.simulator.close();
  const reply = await browser.submit(waiting);
  assert.deepEqual([reply.status, headingOf(reply)], [409, 'Waiting for your bank']);
  assert.match(reply.text, /We could not check this payment at the provider just now/);
});

for (const [language, heading, text, link] of [
  [
    'en',
    'Still waiting for your bank',
    /If you have not paid, open the payment page again/,
    'Open',
  ],
  ['hi', 'अब भी आपके बैंक की प्रतीक्षा है', /भुगतान पेज फिर से खोलें। यदि/, 'भुगतान पेज फिर से खोलें'],
] as const) {
  test(`after 15 seconds the page says what to do and offers the payment page again, ${language}`, async () => {
    const { orderId, ...browser } = await open();
    const path = `/checkout/${orderId}`;
    const accept = { 'accept-language': language };
    const started = await browser.submit(browser.page, upi);
    const early = await browser.get(path, accept);
    assert.doesNotMatch(early.text, text);
    service.advanceSeconds(16);
    const late = await browser.get(path, accept);
    assert.deepEqual([late.status, headingOf(late)], [200, heading]);
    assert.match(late.text, text);
    assert.ok(late.text.includes(`<a class="button" href="${started.location}">${link}`));
    // The script of the early page loads it again.
    const { state } = JSON.parse((await browser.get(`${path}/state`)).text);
    assert.equal(state, 'waiting-1-slow');
    assert.match(early.text, /data-state="waiting-1" /);
    assert.match(late.text, /data-state="waiting-1-slow" /);
    // Nothing else changes: another way to pay can be chosen.
    assert.equal((await browser.submit(late)).status, 303);
    assert.equal(headingOf(await browser.get(path)), 'How would you like to pay?');
  });
}

test('a payment without a page of its provider has no link to one, and the text does not mention it', async () => {
  const { orderId, ...browser } = await open();
  const started = await browser.submit(browser.page, upi);
  // As after a call whose answer was lost.
  await service.database.query({
    text: `update transactions set start = (start::jsonb - 'providerOrderId' - 'redirectUrl')::json
      where order_id = $1`,
    values: [orderId],
  });
  service.advanceSeconds(16);
  const page = await browser.get(`/checkout/${orderId}`);
  assert.equal(headingOf(page), 'Still waiting for your bank');
  assert.match(page.text, /If an app asks you to approve it, please do so/);
  assert.ok(!page.text.includes(started.location ?? '') && !page.text.includes('payment page'));
});

test('the payment page is not offered when it would only say that the order has lapsed', async () => {
  const { orderId, ...browser } = await open();
  const { location } = await browser.submit(browser.page, upi);
  await service.database.query({
    text: 'update orders set lapses_at = created_at where order_id = $1',
    values: [orderId],
  });
  const page = await browser.get(`/checkout/${orderId}`);
  assert.equal(headingOf(page), 'Waiting for your bank');
  assert.ok(!page.text.includes(`href="${location}"`));
  assert.equal((await browser.get(location ?? '')).status, 410);
});

test('an order that was changed too often by its own tokens starts no payment, and says so', async () => {
  const { orderId, ...browser } = await open();
  await service.database.query({
    text: 'update orders set token_changes = 100 where order_id = $1',
    values: [orderId],
  });
  const reply = await browser.submit(browser.page, upi);
  assert.equal(reply.status, 409);
  assert.match(reply.text, /There were too many tries for this order/);
  assert.deepEqual(await paymentsOf(orderId), []);
});

test('the state of the page changes with the order', async () => {
  const { orderId, ...browser } = await open();
  const state = async () => JSON.parse((await browser.get(`/checkout/${orderId}/state`)).text);
  assert.deepEqual(await state(), { state: 'choose-0' });
  assert.match(browser.page.text, /data-state="choose-0"/);
  const started = await browser.submit(browser.page, upi);
  assert.deepEqual(await state(), { state: 'waiting-1' });
  await payAtProvider(browser, started, 'pay');
  await heal();
  assert.deepEqual(await state(), { state: 'paid-1' });
});

async function open() {
  const orderId = await journey.createOrder({ callback_url: 'https://shop.example/back' });
  return { orderId, ...(await openCheckout(service, { accountId, orderId })) };
}

// biome-ignore lint/suspicious/noExplicitAny: fields of an enquiry
async function paymentsOf(orderId: string): Promise<Record<string, any>[]> {
  return (await enquire({ order_id: orderId })).body.transaction;
}

/** As the consumer does at the provider's page. */
async function payAtProvider(
  browser: Awaited<ReturnType<typeof open>> | Omit<Awaited<ReturnType<typeof open>>, 'orderId'>,
  started: Seen,
  action: 'pay' | 'decline',
): Promise<void> {
  const launch = await browser.get(started.location ?? '');
  const fields = new URLSearchParams(hiddenFieldsOf(launch));
  const [, target = ''] = /<form[^>]*action="([^"]+)"/.exec(launch.text) ?? [];
  const page = await (await fetch(target, { method: 'POST', body: fields })).text();
  const [, form = ''] = /<form[^>]*action="([^"]+)"/.exec(page) ?? [];
  const body = new URLSearchParams({ ...hiddenFieldsOf({ text: page } as Seen), action });
  await fetch(new URL(form, target), { method: 'POST', body, redirect: 'manual' });
  await simulator.settled();
}
