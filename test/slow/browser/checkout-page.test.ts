/** Paying on the checkout page in a real browser: by every mode, with and without scripts, by keyboard, by UPI code and by link. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { noBrowser, openBrowser } from '../../support/browser.ts';
import {
  type Look,
  pay,
  startCheckoutPages,
  startPayment,
  upiIntent,
} from '../../support/checkout-page.ts';
import { assertFocusShown, focused, follow, tabTo } from '../../support/keyboard.ts';
import { orderBody } from '../../support/order-bodies.ts';
import { signatureOf } from '../../support/plugin-signature.ts';
import { assertSound } from '../../support/sound-page.ts';

const skip = noBrowser;
const pages = await startCheckoutPages();
const { service, simulator, shop, shopPage, enquire, heal, openPage } = pages;
const { countPayments, createReturning } = pages;

const modes: [code: string, label: string, choice?: string][] = [
  ['upi', 'UPI'],
  ['net_banking', 'Net banking', 'HDFC Bank'],
  ['wallet', 'Wallet', 'PhonePe'],
  ['credit_card', 'Credit card'],
  ['debit_card', 'Debit card'],
  ['prepaid_card', 'Prepaid card'],
];
for (const [code, label, choice] of modes) {
  test(`order, checkout, provider and back at the shop with a valid signature, by ${code}`, {
    skip,
  }, async () => {
    const { page, orderId, troubles } = await openPage();
    await page.getByLabel(label).first().check();
    if (choice !== undefined) {
      await page
        .getByLabel(/Your (bank|wallet)/)
        .locator('visible=true')
        .first()
        .fill(choice.slice(0, 5));
      await page.getByLabel(choice, { exact: true }).check();
    }
    await page.getByRole('button', { name: 'Pay ₹118.00' }).click();
    await page.getByText('INR 118.00').waitFor();
    assert.equal(new URL(page.url()).origin, simulator.url);
    await page.getByRole('button', { name: 'Pay' }).first().click();
    await page.getByRole('heading', { name: 'Payment received' }).waitFor();
    assert.equal(new URL(page.url()).pathname, `/checkout/${orderId}`);
    await page.getByRole('link', { name: 'Back to the shop' }).click();
    await page.getByText('Thank you for your order').waitFor();
    const payload = shopPage.take();
    assert.equal(payload.status, 'success');
    assert.equal(payload.svc_signature, signatureOf(payload, shop.accessSecret));
    assert.deepEqual(troubles, []);
  });
}

test('without scripts a consumer pays and returns by button', { skip }, async () => {
  const { page, orderId } = await openPage({ javaScriptEnabled: false });
  await page.getByLabel('UPI').check();
  await page.getByRole('button', { name: 'Pay ₹118.00' }).click();
  await page.getByRole('button', { name: 'Continue' }).click();
  await page.getByRole('button', { name: 'Pay' }).first().click();
  const next = page.getByRole('button', { name: 'Continue' });
  if (await next.isVisible()) await next.click();
  await page.waitForURL(`**/checkout/${orderId}`);
  await heal();
  await page.reload();
  await page.getByRole('heading', { name: 'Payment received' }).waitFor();
});

test('the paid page returns to the shop by itself', { skip }, async () => {
  const { page } = await openPage();
  await pay(page, 'UPI');
  await page.getByText(/You return to the shop in \d s/).waitFor();
  await page.getByText('Thank you for your order').waitFor({ timeout: 15_000 });
  assert.equal(shopPage.take().status, 'success');
});

test('by keyboard alone a bank is found, chosen and paid', { skip }, async () => {
  const { page } = await openPage();
  await page.keyboard.press('Tab');
  await page.keyboard.press('Tab');
  assert.equal(await focused(page), 'upi');
  for (let count = 0; count < 6 && (await focused(page)) !== 'net_banking'; count += 1) {
    await page.keyboard.press('ArrowDown');
  }
  assert.equal(await focused(page), 'net_banking');
  await page.keyboard.press('Tab');
  await page.keyboard.type('state bank');
  await page.keyboard.press('Enter');
  assert.equal(await focused(page), 'SBIN');
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await page.getByText('INR 118.00').waitFor();
});

test('by keyboard alone a wallet is found, chosen and paid', { skip }, async () => {
  const { page, orderId } = await pages.openPage();
  await tabTo(page, 'upi');
  for (let count = 0; count < 6 && (await focused(page)) !== 'wallet'; count += 1) {
    await page.keyboard.press('ArrowDown');
    await assertFocusShown(page);
  }
  await page.keyboard.press('Tab');
  await page.keyboard.type('phone');
  await assertFocusShown(page);
  await page.keyboard.press('Enter');
  assert.equal(await focused(page), 'phonepe');
  await follow(page, 'Pay ₹118.00');
  await page.getByText('INR 118.00').waitFor();
  assert.equal(await countPayments(orderId), 1);
});

test('by keyboard alone a consumer tries again after a failure', { skip }, async () => {
  const order = await createReturning();
  await pages.pay(order.orderId, 'upi', 'decline');
  await simulator.settled();
  const { page } = await pages.openOrder(order);
  await follow(page, 'Pay ₹118.00');
  await page.getByText('INR 118.00').waitFor();
  assert.equal(await countPayments(order.orderId), 2);
});

test('by keyboard alone a consumer gives up a payment, changes the language and goes back', {
  skip,
}, async () => {
  const order = await createReturning();
  await pages.initiate(order.orderId);
  const { page } = await pages.openOrder(order);
  await follow(page, 'Choose another way to pay');
  await page.getByRole('heading', { name: 'How would you like to pay?' }).waitFor();
  await follow(page, 'हिन्दी');
  await page.getByRole('heading', { name: 'आप कैसे भुगतान करना चाहेंगे?' }).waitFor();
  await follow(page, 'दुकान पर लौटें');
  await page.waitForURL(`${shopPage.url}/`);
});

test('by keyboard alone a consumer who has paid goes back with the result', { skip }, async () => {
  const order = await createReturning();
  await pages.pay(order.orderId);
  await simulator.settled();
  const { page } = await pages.openOrder(order);
  await follow(page, 'Back to the shop');
  await page.getByText('Thank you for your order').waitFor();
  assert.equal(shopPage.take().status, 'success');
});

test('a waiting page notices the payment by itself, and a consumer can choose another way', {
  skip,
}, async () => {
  const { page, orderId, troubles } = await openPage();
  await startPayment(page, 'UPI');
  await page.goto(`${service.baseUrl}/checkout/${orderId}`);
  await page.getByRole('heading', { name: 'Waiting for your bank' }).waitFor();
  await assertSound(page);
  await page.getByRole('button', { name: 'Choose another way to pay' }).click();
  await page.getByRole('heading', { name: 'How would you like to pay?' }).waitFor();
  await startPayment(page, 'UPI');
  const providerPage = page.url();
  await page.goto(`${service.baseUrl}/checkout/${orderId}`);
  await page.getByRole('heading', { name: 'Waiting for your bank' }).waitFor();
  assert.ok(providerPage.startsWith(simulator.url));
  const { transaction } = (await enquire({ order_id: orderId })).body;
  assert.equal(transaction.length, 2);
  const launch = await page.getByRole('link', { name: /the payment page/ }).getAttribute('href');
  const other = await (await openBrowser()).newPage();
  await other.goto(`${service.baseUrl}${launch}`);
  await other.getByRole('button', { name: 'Pay' }).first().click();
  await page.getByRole('heading', { name: 'Payment received' }).waitFor({ timeout: 20_000 });
  await assertSound(page);
  assert.deepEqual(troubles, []);
});

test('a page that waits for long says so by itself, and by keyboard alone leads to the payment page', {
  skip,
}, async () => {
  const order = await createReturning();
  const { page, troubles } = await pages.openOrder(order, { width: 390 });
  await startPayment(page, 'UPI');
  await page.goto(`${service.baseUrl}/checkout/${order.orderId}`);
  await page.getByRole('heading', { name: 'Waiting for your bank', exact: true }).waitFor();
  // A second tab replaces the cookie, so that the form of the first is refused and the address is that of the form.
  await pages.openTab(page.context(), order);
  await page.getByRole('button', { name: 'Choose another way to pay' }).click();
  await page.waitForURL('**/give-up');
  service.advanceSeconds(16);
  await page.getByRole('heading', { name: 'Still waiting for your bank' }).waitFor();
  assert.equal(page.url(), `${service.baseUrl}/checkout/${order.orderId}`);
  await assertSound(page);
  await follow(page, 'Open the payment page again');
  await page.getByText('INR 118.00').waitFor();
  assert.ok(page.url().startsWith(simulator.url));
  // The browser itself reports the refused form.
  assert.deepEqual(
    troubles.filter((text) => !text.includes('a status of 409 ')),
    [],
  );
});

test('UPI is paid with the code on the page, which notices it by itself', { skip }, async () => {
  const { page, troubles } = await openUpiOrder({ width: 390 });
  await page.getByLabel('UPI').first().check();
  await page.getByRole('button', { name: 'Pay ₹118.00' }).click();
  await page.getByRole('heading', { name: 'Pay with your UPI app' }).waitFor();
  await assertSound(page);
  await page.getByRole('img', { name: 'QR code to pay ₹118.00 to Test shop' }).waitFor();
  // Scanning the code is opening its address on another device.
  const link = page.getByRole('link', { name: 'Open a UPI app' });
  const phone = await (await openBrowser()).newPage();
  await phone.goto((await link.getAttribute('href')) ?? '');
  await phone.getByRole('button', { name: 'Approve' }).click();
  await page.getByRole('heading', { name: 'Payment received' }).waitFor({ timeout: 20_000 });
  assert.deepEqual(troubles, []);
});

test('a consumer who does not open the app can choose another way', { skip }, async () => {
  const { page } = await openUpiOrder();
  await page.getByLabel('UPI').first().check();
  await page.getByRole('button', { name: 'Pay ₹118.00' }).click();
  await page.getByRole('button', { name: 'Choose another way to pay' }).click();
  await page.getByRole('heading', { name: 'How would you like to pay?' }).waitFor();
});

test('a payment link opens the checkout', { skip }, async () => {
  const body = orderBody({ invoice_id: 'LINK-1' });
  const { token } = shop;
  const reply = await service.call('/api/v3/payment-link', { token, body });
  const page = await (await openBrowser()).newPage();
  await page.goto(reply.body.payment_link);
  assert.equal(page.url(), `${service.baseUrl}/checkout/${reply.body.order_id}`);
  await pay(page, 'UPI');
  await page.getByRole('heading', { name: 'Payment received' }).waitFor();
});

test('a declined payment is explained and another way is offered', { skip }, async () => {
  const { page } = await openPage();
  await startPayment(page, 'UPI');
  await page.getByRole('button', { name: 'Decline' }).first().click();
  await page.getByText('The payment failed').waitFor();
  await assertSound(page);
  await pay(page, 'UPI');
  await page.getByRole('heading', { name: 'Payment received' }).waitFor();
});

/** Of a shop whose UPI payments open the consumer's app. */
async function openUpiOrder(look: Look = {}) {
  return pages.openOrder(await pages.createAtShop(upiIntent), look);
}
