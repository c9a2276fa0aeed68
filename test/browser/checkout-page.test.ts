/** The checkout page in a real browser: every state, with and without scripts, by keyboard, on a phone, in both languages. */
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { after, test } from 'node:test';
import { AxeBuilder } from '@axe-core/playwright';
import type { Page } from 'playwright-core';
import { issueOrderToken } from '../../src/use-cases/orders/order-tokens.ts';
import { noBrowser, openBrowser } from '../support/browser.ts';
import { startJourney } from '../support/journey.ts';
import { orderBody } from '../support/order-bodies.ts';
import { type ReturnedPayload, signatureOf } from '../support/returns.ts';

const skip = noBrowser;
const journey = await startJourney();
const { service, simulator, shop, createOrder, enquire, heal } = journey;
const shopPage = await startShopPage();

/** The score of everything that has moved without the consumer doing anything. */
const layoutShift = `new Promise((resolve) => {
  let sum = 0;
  const observer = new PerformanceObserver((list) => {
    for (const { value, hadRecentInput } of list.getEntriesByType('layout-shift')) {
      sum += hadRecentInput ? 0 : value;
    }
    // Entries arrive in the order in which they are asked for, and there is always one of the navigation.
    if (list.getEntriesByType('navigation').length > 0) resolve(sum);
  });
  observer.observe({ type: 'layout-shift', buffered: true });
  observer.observe({ type: 'navigation', buffered: true });
})`;

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
  const launch = await page
    .getByRole('link', { name: 'Continue to the payment page' })
    .getAttribute('href');
  const other = await (await openBrowser()).newPage();
  await other.goto(`${service.baseUrl}${launch}`);
  await other.getByRole('button', { name: 'Pay' }).first().click();
  await page.getByRole('heading', { name: 'Payment received' }).waitFor({ timeout: 20_000 });
  await assertSound(page);
  assert.deepEqual(troubles, []);
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

const looks = [
  { width: 1280, colorScheme: 'light', locale: 'en-IN' },
  { width: 1280, colorScheme: 'dark', locale: 'hi-IN' },
  { width: 390, colorScheme: 'light', locale: 'hi-IN' },
  { width: 390, colorScheme: 'dark', locale: 'en-IN' },
] as const;
for (const look of looks) {
  const { width, colorScheme, locale } = look;
  test(`at ${width} px, ${colorScheme}, ${locale}: axe finds nothing and nothing is wider than the screen`, {
    skip,
  }, async () => {
    const { page, troubles } = await openPage(look);
    await assertSound(page);
    await page.getByRole('radio').nth(3).check();
    await assertSound(page);
    const shift = await page.evaluate<number>(layoutShift);
    // Far below what anybody can see: the time in the zone of the consumer may have another width.
    assert.ok(shift < 0.001, `${shift}`);
    await page.goto(`${service.baseUrl}/checkout?token=none`);
    await assertSound(page);
    assert.equal(troubles.filter((text) => !text.includes('401')).length, 0);
  });
}

test('the page is usable with text of twice the size', { skip }, async () => {
  const { page } = await openPage({ width: 390 });
  await page.evaluate(`document.documentElement.style.fontSize = '200%'`);
  await assertFits(page);
});

type Look = {
  width?: number;
  colorScheme?: 'light' | 'dark';
  locale?: string;
  javaScriptEnabled?: boolean;
};

async function openPage(look: Look = {}) {
  const orderId = await createOrder({
    callback_url: `${shopPage.url}/back`,
    order_line_items: [{ title: 'Darjeeling First Flush', quantity: 2, total_amount: 118 }],
  });
  return openOrder(shop.accountId, orderId, look);
}

/** Of a shop whose UPI payments open the consumer's app. */
async function openUpiOrder(look: Look = {}) {
  const { accountId, token } = await journey.openShop({
    providerSettings: { partner: { 'upi-intent': 'on' } },
  });
  const created = await service.call('/api/v3/create-order', { token, body: orderBody() });
  return openOrder(accountId, created.body.order_id, look);
}

async function openOrder(
  accountId: string,
  orderId: string,
  { width = 1280, ...options }: Look = {},
) {
  const { token } = await issueOrderToken(service.services, {
    ...{ accountId, orderId, userId: null, restricted: false },
  });
  const browser = await openBrowser();
  const context = await browser.newContext({ viewport: { width, height: 844 }, ...options });
  const page = await context.newPage();
  const troubles: string[] = [];
  page.on('pageerror', (error) => troubles.push(String(error)));
  page.on('console', (message) => {
    if (message.type() === 'error') troubles.push(message.text());
  });
  page.on('request', (request) => {
    const { hostname } = new URL(request.url());
    if (hostname !== '127.0.0.1') troubles.push(request.url());
  });
  await page.goto(`${service.baseUrl}/?token=${token}`);
  assert.equal(page.url(), `${service.baseUrl}/checkout/${orderId}`);
  return { page, orderId, troubles };
}

async function startPayment(page: Page, label: string): Promise<void> {
  await page.getByLabel(label).first().check();
  await page.getByRole('button', { name: /^Pay ₹/ }).click();
  await page.getByText('INR 118.00').waitFor();
}

async function pay(page: Page, label: string): Promise<void> {
  await startPayment(page, label);
  await page.getByRole('button', { name: 'Pay' }).first().click();
}

async function assertSound(page: Page): Promise<void> {
  const { violations } = await new AxeBuilder({ page }).analyze();
  assert.deepEqual(
    violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)]),
    [],
  );
  await assertFits(page);
}

async function assertFits(page: Page): Promise<void> {
  const tooWide = await page.evaluate<number>(
    'document.documentElement.scrollWidth - document.documentElement.clientWidth',
  );
  assert.ok(tooWide <= 0, `${tooWide} px too wide`);
}

function focused(page: Page): Promise<string> {
  return page.evaluate(`document.activeElement.value ?? ''`);
}

/** The shop to which consumers return. */
async function startShopPage() {
  const payloads: ReturnedPayload[] = [];
  const server = createServer((request, reply) => {
    const response = new URL(request.url ?? '', 'http://shop').searchParams.get('response');
    if (response !== null) {
      payloads.push(JSON.parse(Buffer.from(response, 'base64').toString('utf8')).payload);
    }
    reply.setHeader('content-type', 'text/html');
    reply.end('<link rel="icon" href="data:,"><p>Thank you for your order</p>');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()));
  after(() => server.close());
  const { port } = server.address() as { port: number };
  return {
    url: `http://127.0.0.1:${port}`,
    take: () => {
      const payload = payloads.pop();
      assert.ok(payload, 'nobody has returned');
      return payload;
    },
  };
}
