/**
 * The checkout in a frame of a shop on another site, in a browser with all its protections: every end, closing, blocked
 * windows and cookies, and who hears of it. Contract 14.8.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AxeBuilder } from '@axe-core/playwright';
import type { Page } from 'playwright-core';
import { findFreePort } from '../../../tools/harness/free-port.ts';
import { waitUntil } from '../../../tools/harness/wait-until.ts';
import { noBrowser } from '../../support/browser.ts';
import { newContext, startCheckoutPages, upiIntent } from '../../support/checkout-page.ts';
import { heardOn, payInWindow, resultOn, startFrameShop } from '../../support/frame-shop.ts';
import { signatureOf } from '../../support/plugin-signature.ts';
import { startSampleShop } from '../../support/samples.ts';

const skip = noBrowser;
const pages = await startCheckoutPages();
const { service, simulator } = pages;
const shop = await startFrameShop(pages);

test('a library that frames the address hears once, by itself, from the service; the token is in no address', {
  skip,
}, async () => {
  const { page, frame, order, token, troubles } = await shop.openByAddress();
  await frame.getByRole('heading', { name: 'How would you like to pay?' }).waitFor();
  const addresses: string[] = [];
  page.context().on('request', (request) => {
    addresses.push(request.url(), request.headers().referer ?? '');
  });
  assert.equal(page.frames()[1]?.url(), `${service.baseUrl}/checkout/${order.orderId}`);
  const entries = await page.evaluate<number>('history.length');
  await payInWindow(page, frame);
  await frame.getByText(/You return to the shop in \d s/).waitFor();
  await waitUntil('the page hears', async () => (await heardOn(page)).length > 0);
  const [{ origin, text } = { origin: '', text: '' }, ...more] = await heardOn(page);
  assert.deepEqual([origin, more], [service.baseUrl, []]);
  const { event_type, payload } = JSON.parse(text);
  assert.deepEqual([event_type, payload.status], ['globalHandleCheckoutResponse', 'success']);
  assert.equal(payload.svc_signature, signatureOf(payload, order.accessSecret));
  assert.equal(await page.evaluate('history.length'), entries, 'the back button leaves the shop');
  assert.ok(addresses.some((address) => address.includes('/pay/')));
  assert.ok(!addresses.some((address) => address.includes(token)));
  assert.ok(!service.logText().includes(token));
  assert.deepEqual(await page.context().cookies(service.baseUrl), [], 'it does without cookies');
  assert.deepEqual(troubles, []);
});

test('the payload is the one that the consumer brings to the callback URL', { skip }, async () => {
  const { page, frame, order } = await shop.openByButton();
  await payInWindow(page, frame);
  await frame.getByRole('heading', { name: 'Payment received' }).waitFor();
  await frame.getByRole('link', { name: 'Back to the shop' }).click();
  const result = await resultOn(page);
  const path = `/pay/${order.accountId}/${result.svc_transaction_id}/return?to=shop`;
  const reply = await fetch(`${service.baseUrl}${path}`, { redirect: 'manual' });
  const response = new URL(reply.headers.get('location') ?? '').searchParams.get('response');
  const returned = JSON.parse(Buffer.from(response ?? '', 'base64').toString('utf8'));
  assert.deepEqual(result, returned.payload);
});

test('a payment that fails can be tried again, and one that failed for good ends the checkout', {
  skip,
}, async () => {
  const { page, frame, order } = await shop.openByButton();
  await payInWindow(page, frame, 'Decline');
  await frame.getByText('The payment failed').waitFor();
  simulator.setScenarioFor(order.orderId, {
    name: 'decline',
    reason: 'payment_risk_check_failed',
  });
  await payInWindow(page, frame);
  await frame.getByRole('heading', { name: 'The payment failed' }).waitFor();
  const result = await resultOn(page);
  assert.equal(result.status, 'failed');
  assert.equal(result.transaction.failure_reason.svc_error_code, 'RISK_REJECTED');
  assert.equal(result.svc_signature, signatureOf(result, order.accessSecret));
});

const ways: [name: string, leave: (page: Page) => Promise<void>][] = [
  ['the link in the frame', (page) => linkOf(page).click()],
  ['the Escape key in the frame', (page) => linkOf(page).press('Escape')],
  ['the button of the dialog', (page) => page.getByRole('button', { name: 'Close' }).click()],
  ['the Escape key on the dialog', (page) => closeOf(page).press('Escape')],
  ['the page of the shop', (page) => page.evaluate('checkout.close()')],
];
for (const [name, leave] of ways) {
  test(`closed by ${name} before any payment, the shop hears that it is not paid`, {
    skip,
  }, async () => {
    const { page, troubles } = await shop.openByButton();
    await linkOf(page).waitFor();
    await leave(page);
    assert.deepEqual(await unpaidOn(page), ['failed', null, null, null, 'new']);
    assert.equal(await page.locator('dialog, iframe').count(), 0);
    assert.equal(await page.evaluate('document.activeElement.textContent'), 'Pay');
    // A timer of the same length ends after the one of the module, which waits for an answer of the frame.
    await page.evaluate('new Promise((resolve) => setTimeout(resolve, 1_000))');
    assert.equal(await page.evaluate('results.length'), 1);
    assert.deepEqual(troubles, []);
  });
}

test('closed while the bank is waited for, the payment is pending, and the order can be opened again', {
  skip,
}, async () => {
  const { page, frame } = await shop.openByButton();
  await frame.getByLabel('UPI').first().check();
  const [popup] = await Promise.all([
    page.waitForEvent('popup'),
    frame.getByRole('button', { name: /^Pay ₹/ }).click(),
  ]);
  await frame.getByRole('heading', { name: 'Waiting for your bank' }).waitFor();
  await page.getByRole('button', { name: 'Close' }).click();
  assert.equal((await resultOn(page)).status, 'pending');
  await page.evaluate('results.length = 0');
  await page.getByRole('button', { name: 'Pay' }).click();
  await frame.getByRole('heading', { name: 'Waiting for your bank' }).waitFor();
  // The first frame is gone; the window pays, and the second one shows it.
  await popup.getByRole('button', { name: 'Pay' }).first().click();
  await frame.getByRole('heading', { name: 'Payment received' }).waitFor();
  await page.getByRole('button', { name: 'Close' }).click();
  assert.equal((await resultOn(page)).status, 'success');
});

test('the consumer who closes the window without paying can choose another way to pay', {
  skip,
}, async () => {
  const { page, frame, troubles } = await shop.openByButton();
  await frame.getByLabel('UPI').first().check();
  const [popup] = await Promise.all([
    page.waitForEvent('popup'),
    frame.getByRole('button', { name: /^Pay ₹/ }).click(),
  ]);
  await popup.getByText('INR 118.00').waitFor();
  await popup.close();
  await frame.getByRole('button', { name: 'Choose another way to pay' }).click();
  await frame.getByRole('heading', { name: 'How would you like to pay?' }).waitFor();
  await payInWindow(page, frame);
  await frame.getByRole('heading', { name: 'Payment received' }).waitFor();
  await frame.getByRole('link', { name: 'Back to the shop' }).click();
  assert.equal((await resultOn(page)).status, 'success');
  assert.deepEqual(troubles, []);
});

test('a UPI code needs no window, and the app opens beside the page of the shop', {
  skip,
}, async () => {
  const settings = { frameOrigins: [shop.url], ...upiIntent };
  const { page, frame, open } = await shop.prepare({}, settings);
  await open();
  await frame.getByLabel('UPI').first().check();
  const [popup] = await Promise.all([
    page.waitForEvent('popup'),
    frame.getByRole('button', { name: /^Pay ₹/ }).click(),
  ]);
  await frame.getByRole('heading', { name: 'Pay with your UPI app' }).waitFor();
  await waitUntil('the window that is not needed closes', () => popup.isClosed());
  const [app] = await Promise.all([
    page.context().waitForEvent('page'),
    frame.getByRole('link', { name: 'Open a UPI app' }).click(),
  ]);
  await app.getByRole('button', { name: 'Approve' }).click();
  await page.bringToFront();
  await frame.getByRole('heading', { name: 'Payment received' }).waitFor();
  assert.equal(page.url(), `${shop.url}/`);
});

test('the language that is chosen in a frame stays', { skip }, async () => {
  const { frame } = await shop.openByButton();
  await frame.getByRole('link', { name: 'हिन्दी' }).click();
  await frame.getByRole('heading', { name: 'आप कैसे भुगतान करना चाहेंगे?' }).waitFor();
  await frame.getByLabel('नेट बैंकिंग').first().check();
  await frame.getByRole('button', { name: /का भुगतान करें/ }).click();
  await frame.getByText('कृपया सूची में से एक चुनें').waitFor();
  assert.equal(await frame.locator('html').getAttribute('lang'), 'hi-IN');
});

test('where the browser blocks the window, a link opens it', { skip }, async () => {
  const { page, frame } = await shop.openByButton();
  await frame.getByLabel('UPI').first().check();
  // The browser of the tests has no blocker, so this is what a page sees of one.
  await page.frames()[1]?.evaluate('void (window.open = () => null)');
  await frame.getByRole('button', { name: /^Pay ₹/ }).click();
  await frame.getByText('The payment page opens in a new window.').waitFor();
  assert.equal(page.context().pages().length, 1, 'it was blocked');
  const [popup] = await Promise.all([
    page.context().waitForEvent('page'),
    frame.getByRole('link', { name: 'Continue to the payment page' }).click(),
  ]);
  await popup.getByRole('button', { name: 'Pay' }).first().click();
  await page.bringToFront();
  await frame.getByRole('heading', { name: 'Payment received' }).waitFor();
  await frame.getByRole('link', { name: 'Back to the shop' }).click();
  assert.equal((await resultOn(page)).status, 'success');
});

test('where the browser blocks third-party cookies, the consumer pays', { skip }, async () => {
  const { page, frame, open } = await shop.prepare();
  const session = await page.context().newCDPSession(page);
  await session.send('Network.enable');
  await session.send('Network.setCookieControls', { enableThirdPartyCookieRestriction: true });
  await open();
  await payInWindow(page, frame);
  await frame.getByRole('heading', { name: 'Payment received' }).waitFor();
  await frame.getByRole('link', { name: 'Back to the shop' }).click();
  assert.equal((await resultOn(page)).status, 'success');
});

test('a page that is no frame origin shows nothing and hears nothing', { skip }, async () => {
  for (const origins of [[], ['http://127.0.0.1:1'], ['http://localhost:1']]) {
    const { page, frame, troubles } = await shop.openByAddress(origins);
    await waitUntil('the browser refuses the frame', () =>
      troubles.some((text) => text.includes('frame-ancestors')),
    );
    assert.equal(await frame.getByText('₹118.00').count(), 0);
    assert.deepEqual(await heardOn(page), []);
  }
});

test('a Pay button whose frame is refused can be closed, and there is no result', {
  skip,
}, async () => {
  const { page, open, troubles } = await shop.prepare({}, {});
  await open();
  await waitUntil('the browser refuses the frame', () =>
    troubles.some((text) => text.includes('frame-ancestors')),
  );
  await closeOf(page).click();
  assert.equal(await resultOn(page), null);
});

test('of several frame origins only that of the page is told, and strangers cannot close the frame', {
  skip,
}, async () => {
  const { page, frame, troubles } = await shop.openByAddress(['https://other.example', shop.url]);
  await frame.getByRole('heading', { name: 'How would you like to pay?' }).waitFor();
  await page.frames()[1]?.evaluate(`postMessage('closeCheckout', '*')`);
  await page.evaluate(`frames[0].postMessage('anything else', '*')`);
  assert.deepEqual(await heardOn(page), []);
  await page.evaluate(`frames[0].postMessage('closeCheckout', '*')`);
  await waitUntil('the page hears', async () => (await heardOn(page)).length === 1);
  assert.deepEqual(troubles, [], 'no message was sent to another origin');
  // What the script passes to the browser: a target that is any origin would reach any page.
  const targets = await page.frames()[1]?.evaluate<string[]>(`(() => {
    const targets = [];
    window.parent = { postMessage: (_text, target) => targets.push(target) };
    dispatchEvent(new KeyboardEvent('keydown', { key: 'Escape' }));
    return targets;
  })()`);
  assert.deepEqual(targets, [shop.url]);
});

test('a result that another page posts from the frame is ignored', { skip }, async () => {
  const { page, frame } = await shop.openByButton();
  await linkOf(page).waitFor();
  await page.evaluate(`document.querySelector('iframe').src = '/forged'`);
  await frame.getByRole('heading', { name: 'Tea shop' }).waitFor();
  await closeOf(page).click();
  assert.equal(await resultOn(page), null);
});

for (const [width, colorScheme] of [
  [1280, 'light'],
  [1280, 'dark'],
  [390, 'light'],
  [390, 'dark'],
] as const) {
  test(`axe finds nothing in the dialog and its frame, ${width} px, ${colorScheme}`, {
    skip,
  }, async () => {
    const { page, frame } = await shop.openByButton({ width, colorScheme });
    const assertSound = async () => {
      const { violations } = await new AxeBuilder({ page }).include('dialog').analyze();
      assert.deepEqual(
        violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)]),
        [],
      );
      const tooWide = await frame
        .locator('html')
        .evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth);
      assert.ok(tooWide <= 0, `${tooWide} px too wide`);
    };
    await linkOf(page).waitFor();
    await assertSound();
    await payInWindow(page, frame);
    await frame.getByRole('heading', { name: 'Payment received' }).waitFor();
    await assertSound();
  });
}

test('the sample with the Pay button sells, as docs/integrate.md shows it', { skip }, async () => {
  const { page, frame } = await openSample();
  await page.getByRole('button', { name: 'Pay 118 INR' }).click();
  await frame.getByRole('link', { name: 'Back to the shop' }).waitFor();
  await closeOf(page).click();
  await page.getByText(/^INV-\S+ is not paid yet\.$/).waitFor();
  await page.getByRole('button', { name: 'Pay 118 INR' }).click();
  await payInWindow(page, frame);
  await page.getByText(/^INV-\S+ is paid\. Thank you!$/).waitFor();
});

test('the invariants hold after all of this', pages.assertSound);

// Last, because it moves the end of an order, which the service never does.
test('an order that expires while it is shown ends the checkout', { skip }, async () => {
  const { page, frame, order } = await shop.openByButton();
  await frame.getByLabel('UPI').first().check();
  await service.database.query({
    text: 'update orders set lapses_at = created_at where order_id = $1',
    values: [order.orderId],
  });
  const [popup] = await Promise.all([
    page.waitForEvent('popup'),
    frame.getByRole('button', { name: /^Pay ₹/ }).click(),
  ]);
  await frame.getByRole('heading', { name: 'This order has expired' }).waitFor();
  await waitUntil('the window that is not needed closes', () => popup.isClosed());
  assert.deepEqual(await unpaidOn(page), ['failed', null, null, null, 'lapsed']);
});

const linkOf = (page: Page) =>
  page.frameLocator('iframe').getByRole('link', { name: 'Back to the shop' });
const closeOf = (page: Page) => page.getByRole('button', { name: 'Close' });

async function openSample() {
  const SHOP_PORT = String(await findFreePort());
  const frameOrigins = [`http://127.0.0.1:${SHOP_PORT}`];
  const { accessKey, accessSecret } = await pages.openShop({ frameOrigins });
  const credentials = { ACCESS_KEY: accessKey, ACCESS_SECRET: accessSecret };
  const env = { SERVICE_URL: service.baseUrl, SHOP_PORT, ...credentials };
  const page = await (await newContext()).newPage();
  await page.goto(await startSampleShop('pay-button.mjs', env));
  return { page, frame: page.frameLocator('iframe') };
}

/** The result of an order without a payment. */
async function unpaidOn(page: Page) {
  const { status, svc_transaction_id, svc_signature, transaction, order } = await resultOn(page);
  return [status, svc_transaction_id, svc_signature, transaction, order.status];
}
