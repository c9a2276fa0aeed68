/** Every page of the simulator in a real browser: nothing for axe to report, and usable on a phone and on a desk. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { Page } from 'playwright-core';
import { startSimulator } from '../../../simulator/simulator.ts';
import { caller, gatewayPath, keyId, merchantId, shopAt } from '../../simulator/support.ts';
import { noBrowser, openBrowser } from '../../support/browser.ts';
import { newSecret, sendEvent, shopEvent } from '../../support/shop-requests.ts';
import { assertSound } from '../../support/sound-page.ts';

const simulator = await startSimulator({ timeScale: 0.001 });
after(() => simulator.close());
// Nobody receives the webhooks: their failed attempts fill the log.
simulator.register(shopAt('http://127.0.0.1:9'));
const partner = caller(simulator.url, `${keyId}:key-secret`);
const gateway = caller(simulator.url, `merchant.${merchantId}:gateway-password`);
await sendEvent(simulator.shop.url, newSecret(), shopEvent());

const open = await startIntent();
const approved = await startIntent();
await simulator.pay(approved.paymentId);
for (const amount of [5_000, 6_800]) {
  await simulator.disputes.open(approved.paymentId, { amount });
}
const declined = await startIntent();
await simulator.pay(declined.paymentId, 'decline');

const pages: Readonly<Record<string, string>> = {
  'the partner’s page': `/v1/checkout/embedded?order_id=${open.orderId}`,
  'the partner’s page after a failure': `/v1/checkout/embedded?order_id=${declined.orderId}`,
  'the partner’s page of a paid order': `/v1/checkout/embedded?order_id=${approved.orderId}`,
  'the gateway’s page': `/checkout/pay/${await openSession()}`,
  'the UPI app': `/upi/${open.paymentId}`,
  'the UPI app after an approval': `/upi/${approved.paymentId}`,
  'the UPI app after a refusal': `/upi/${declined.paymentId}`,
  'the control page': '/',
  'the shop': '/shop',
  'a page that explains an error': '/upi/pay_none',
};
const screens = [
  { colorScheme: 'light', width: 1280 },
  { colorScheme: 'dark', width: 390 },
] as const;
for (const [name, path] of Object.entries(pages)) {
  test(`${name} has no finding of axe, fits a phone, and says that it is a simulation`, {
    skip: noBrowser,
  }, async () => {
    const { page, asked } = await openPage();
    for (const { colorScheme, width } of screens) {
      await page.emulateMedia({ colorScheme });
      await page.setViewportSize({ width, height: 844 });
      await page.goto(`${simulator.url}${path}`);
      assert.ok(await page.getByText('Simulation: no money moves').isVisible());
      await assertUsable(page, width);
    }
    assert.deepEqual([...new Set(asked)], [simulator.url]);
  });
}

test('the page after the payment has no finding either', { skip: noBrowser }, async () => {
  const { orderId } = await startIntent();
  const { page } = await openPage();
  await page.setViewportSize({ width: 390, height: 844 });
  await page.goto(`${simulator.url}/v1/checkout/embedded?order_id=${orderId}`);
  await page.getByRole('button', { name: 'Pay' }).click();
  await page.getByRole('heading', { name: 'Payment complete' }).waitFor();
  await assertUsable(page, 390);
});

test('a consumer approves an intent with the keyboard', { skip: noBrowser }, async () => {
  const { paymentId } = await startIntent();
  const { page } = await openPage();
  await page.goto(`${simulator.url}/upi/${paymentId}`);
  await page.getByText('Order INV-1').waitFor();
  await page.keyboard.press('Tab');
  const outline = await page.evaluate('getComputedStyle(document.activeElement).outlineStyle');
  assert.equal(outline, 'solid');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Payment approved' }).waitFor();
  const paid = simulator.ledger().payments.find(({ id }) => id === paymentId);
  assert.equal(paid?.status, 'captured');
});

test('a tester disputes a payment on the page, and ends the dispute', {
  skip: noBrowser,
}, async () => {
  const { paymentId } = await startIntent();
  await simulator.pay(paymentId);
  const { page } = await openPage();
  await page.goto(simulator.url);
  const amount = page.getByRole('textbox', { name: `Amount to claim of ${paymentId}` });
  await amount.fill('18.00');
  await amount.press('Enter');
  await page.getByRole('cell', { name: 'INR 18.00' }).waitFor();
  const isOwn = (entry: { readonly paymentId: string }) => entry.paymentId === paymentId;
  const [opened] = simulator.ledger().disputes.filter(isOwn);
  assert.deepEqual([opened?.amount, opened?.status], [1_800, 'open']);
  const dispute = page.getByRole('row', { name: opened?.id ?? '' });
  const form = page.locator(`form[action$="${opened?.id}"]`);
  for (const [button, status] of [
    ['Review', 'under_review'],
    ['Shop loses', 'lost'],
  ] as const) {
    await form.getByRole('button', { name: button }).click();
    await dispute.getByRole('cell', { name: status, exact: true }).waitFor();
  }
  assert.equal(await form.count(), 0);
});

async function assertUsable(page: Page, width: number): Promise<void> {
  await assertSound(page);
  assert.equal(await page.evaluate('document.documentElement.scrollWidth'), width);
  for (const button of await page.getByRole('button').all()) {
    const { height } = (await button.boundingBox()) ?? { height: 0 };
    assert.ok(height >= 44, `${await button.textContent()} is ${height} px high`);
  }
}

async function openPage() {
  const browser = await openBrowser();
  const page = await browser.newPage();
  const asked: string[] = [];
  page.on('request', (request) => asked.push(new URL(request.url()).origin));
  return { page, asked };
}

async function startIntent(): Promise<{ readonly orderId: string; readonly paymentId: string }> {
  const money = { amount: 11_800, currency: 'INR' };
  const orderId = String((await partner('POST', '/v1/orders', money)).body.id);
  const { body } = await partner('POST', '/v1/payments/create/upi', {
    ...money,
    order_id: orderId,
    email: 'asha@example.com',
    contact: '+919876543210',
    description: 'Order INV-1',
    method: 'upi',
    upi: { flow: 'intent' },
  });
  return { orderId, paymentId: String(body.razorpay_payment_id) };
}

async function openSession(): Promise<string> {
  const { body } = await gateway('POST', `${gatewayPath}/session`, {
    apiOperation: 'INITIATE_CHECKOUT',
    interaction: { operation: 'PURCHASE', merchant: { name: 'Tea & Co' } },
    order: { id: 'o_1xSyiEXNpEKPM9CF-261116153349', amount: '118.00', currency: 'INR' },
  });
  return String((body.session as { id: string }).id);
}
