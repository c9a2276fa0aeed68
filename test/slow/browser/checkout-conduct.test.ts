/**
 * What consumers and shops do with the checkout page in a real browser: clicks, reloads, tabs, and the calls of a shop's
 * own page. No way of using it starts a second payment by accident. Contract 14.1 and 14.3.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { waitUntil } from '../../../tools/harness/wait-until.ts';
import { noBrowser } from '../../support/browser.ts';
import {
  newContext,
  pay,
  startCheckoutPages,
  startPayment,
  startShopPage,
  watch,
} from '../../support/checkout-page.ts';
import { orderBody } from '../../support/order-bodies.ts';
import { signatureOf } from '../../support/plugin-signature.ts';

const skip = noBrowser;
const pages = await startCheckoutPages();
const { service, simulator, shop, shopPage, countPayments, createReturning } = pages;
const otherSite = await startShopPage('localhost');

for (const [scripts, postsExpected] of [
  ['on', 1],
  ['off', 2],
] as const) {
  test(`a second click while the first is on its way starts no second payment, scripts ${scripts}`, {
    skip,
  }, async () => {
    const { page, orderId } = await pages.openPage({ javaScriptEnabled: scripts === 'on' });
    simulator.setScenarioFor(orderId, { name: 'slow', delayMs: 1_000 });
    let posts = 0;
    page.on('request', (request) => {
      posts += Number(request.method() === 'POST' && request.url().endsWith('/pay'));
    });
    await page.getByLabel('UPI').first().check();
    await page.getByRole('button', { name: 'Pay ₹118.00' }).hover();
    const first = page.waitForRequest('**/pay');
    await press(page);
    await first;
    await press(page);
    // Without scripts the second post aborts the navigation of the first, so none of them is waited for.
    await waitUntil('the payment is shown', () => /\/pay\/|\/v1\/checkout/.test(page.url()));
    assert.equal(posts, postsExpected);
    assert.equal(await countPayments(orderId), 1);
  });
}

test('a reload and the back button start no payment, and show the one that is open', {
  skip,
}, async () => {
  const { page, orderId } = await pages.openPage();
  await startPayment(page, 'UPI');
  await page.goBack();
  await page.getByRole('heading', { name: 'Waiting for your bank' }).waitFor();
  assert.equal(new URL(page.url()).pathname, `/checkout/${orderId}`);
  await page.reload();
  await page.getByRole('heading', { name: 'Waiting for your bank' }).waitFor();
  assert.equal(await countPayments(orderId), 1);
});

test('after paying, the back button shows the outcome and no way to pay', { skip }, async () => {
  const { page, orderId } = await pages.openPage();
  await pay(page, 'UPI');
  await page.getByRole('link', { name: 'Back to the shop' }).click();
  await page.getByText('Thank you for your order').waitFor();
  await page.goBack();
  await page.getByRole('heading', { name: 'Payment received' }).waitFor();
  await page.goto(`${service.baseUrl}/checkout/${orderId}`);
  await page.getByRole('heading', { name: 'Payment received' }).waitFor();
  assert.equal(await page.getByRole('button', { name: /^Pay/ }).count(), 0);
  assert.equal(await countPayments(orderId), 1);
});

test('an old form in a second tab shows the current state and starts nothing', {
  skip,
}, async () => {
  const order = await createReturning();
  const context = await newContext();
  const { page: first } = await pages.openTab(context, order);
  const [second, third] = [await context.newPage(), await context.newPage()];
  for (const tab of [second, third]) await tab.goto(first.url());
  await startPayment(first, 'UPI');
  await sendForm(second, 'Credit card');
  await second.getByRole('heading', { name: 'Waiting for your bank' }).waitFor();
  // A reload of this page posts the form once more.
  await second.reload();
  await second.getByRole('heading', { name: 'Waiting for your bank' }).waitFor();
  await first.getByRole('button', { name: 'Pay' }).first().click();
  await first.getByRole('heading', { name: 'Payment received' }).waitFor();
  await sendForm(third, 'Debit card');
  await third.getByRole('heading', { name: 'Payment received' }).waitFor();
  assert.equal(await countPayments(order.orderId), 1);
});

test('an order that is opened again with a new token can be paid in the first tab', {
  skip,
}, async () => {
  const order = await createReturning();
  const context = await newContext();
  const { page: first } = await pages.openTab(context, order);
  await pages.openTab(context, order);
  await sendForm(first, 'UPI');
  await first.getByText('The order has changed since this page was opened').waitFor();
  assert.equal(await countPayments(order.orderId), 0);
  await startPayment(first, 'UPI');
  assert.equal(await countPayments(order.orderId), 1);
});

test('two orders in two tabs of one browser do not mix', { skip }, async () => {
  const one = await createReturning();
  const amounts = { amount_before_tax: 50, tax: 9, total_amount: 59 };
  const otherId = await pages.createOrder({ ...amounts, callback_url: `${shopPage.url}/back` });
  const context = await newContext();
  const first = await pages.openTab(context, one);
  const second = await pages.openTab(context, { accountId: shop.accountId, orderId: otherId });
  await sendForm(first.page, 'UPI');
  await sendForm(second.page, 'UPI');
  await second.page.getByText('INR 59.00').waitFor();
  await first.page.getByText('INR 118.00').waitFor();
  for (const { page, orderId } of [second, first]) await assertPaysOwn(page, orderId);
});

async function assertPaysOwn(page: Page, orderId: string): Promise<void> {
  await page.getByRole('button', { name: 'Pay' }).first().click();
  await page.getByRole('link', { name: 'Back to the shop' }).click();
  await page.getByText('Thank you for your order').waitFor();
  const payload = shopPage.take();
  assert.deepEqual([payload.svc_order_id, payload.status], [orderId, 'success']);
  assert.equal(await countPayments(orderId), 1);
}

test("a shop's own page changes the order, leads to the checkout, and gets a signed result", {
  skip,
}, async () => {
  const { body: order } = await service.call('/api/v3/create-order', {
    token: shop.token,
    body: orderBody(),
  });
  const page = await (await newContext()).newPage();
  const troubles = watch(page);
  await page.goto(otherSite.url);
  const changes = {
    user: { first_name: 'Meera', last_name: 'Iyer', mobile_number: '9123456780' },
    shipping_address: { address_1: '7 Beach Road', city: 'Chennai', pincode: '600001' },
    callback_url: `${otherSite.url}/back?basket=7`,
  };
  const call = { url: `${service.baseUrl}/api/v3/order`, token: order.token, changes };
  const status = await page.evaluate(async ({ url, token, changes }) => {
    const headers = { 'content-type': 'application/json', authorization: `Bearer ${token}` };
    return (await fetch(url, { method: 'PATCH', headers, body: JSON.stringify(changes) })).status;
  }, call);
  assert.equal(status, 200);
  assert.match(service.logText(), /"method":"OPTIONS","route":"\/api\/v3\/order","status":204/);
  await page.evaluate(`location.href = '${service.baseUrl}/?token=${order.token}'`);
  await page.waitForURL(`${service.baseUrl}/checkout/${order.order_id}`);
  await pay(page, 'UPI');
  await page.getByRole('link', { name: 'Back to the shop' }).click();
  await page.waitForURL(`${otherSite.url}/back?basket=7&response=*`);
  const payload = otherSite.take();
  assert.deepEqual([payload.svc_order_id, payload.status], [order.order_id, 'success']);
  assert.equal(payload.svc_signature, signatureOf(payload, shop.accessSecret));
  const { body: stored } = await service.call(`/api/v3/order?order_id=${order.order_id}`, {
    token: shop.token,
  });
  assert.equal(stored.user.first_name, 'Meera');
  assert.equal(stored.shipping_address.city, 'Chennai');
  assert.deepEqual(
    troubles.filter((text) => !text.startsWith(otherSite.url)),
    [],
  );
});

test('the invariants hold after all of this', pages.assertSound);

/** Of the mouse, where it is. Unlike a click on an element, it does not wait for the page. */
async function press({ mouse }: Page): Promise<void> {
  await mouse.down();
  await mouse.up();
}

async function sendForm(page: Page, label: string): Promise<void> {
  await page.getByLabel(label).first().check();
  await page.getByRole('button', { name: /^Pay ₹/ }).click();
}
