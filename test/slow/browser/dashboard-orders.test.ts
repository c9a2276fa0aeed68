/** The overview and the list of orders in a real browser. Contract 13.4. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findFreePort } from '../../../tools/harness/free-port.ts';
import { noBrowser } from '../../support/browser.ts';
import { assertSound, dashboardPages } from '../../support/dashboard-page.ts';
import { partnerEvent, partnerPayment, sendPartner } from '../../support/deliveries.ts';
import { orderBody } from '../../support/order-bodies.ts';
import { startTestService } from '../../support/test-service.ts';

const skip = noBrowser;
const service = await startTestService({ port: await findFreePort() });
const shop = await service.createAccount({ name: 'Tea shop' });
const { site, openAs } = dashboardPages(service, shop.accountId);

for (const invoice_id of ['TEA-1', 'TEA-2']) await create({ invoice_id });
const payment = partnerPayment({ amount: 11_800, notes: { invoice_id: 'TEA-2' } });
await sendPartner(service, shop, partnerEvent('payment.captured', { payment }));

test('each figure of the overview leads to the orders that it counts', { skip }, async () => {
  const { page, troubles } = await openAs('viewer', '/');
  const figure = (name: string) =>
    page.getByRole('listitem').filter({ has: page.getByRole('heading', { name }) });
  await figure('Created').getByText('2 orders').waitFor();
  await figure('Success rate').getByText('100%').waitFor();
  await assertSound(page);
  await figure('Completed').getByRole('link').click();
  await page.getByRole('heading', { name: 'Orders' }).waitFor();
  await page.getByRole('row').filter({ hasText: 'TEA-2' }).waitFor();
  assert.equal(await page.getByRole('row').filter({ hasText: 'TEA-1' }).count(), 0);
  await page.goBack();
  await page.getByRole('heading', { name: 'Overview' }).waitFor();
  assert.deepEqual(troubles, []);
});

test('filters are in the address, and the back button undoes them', { skip }, async () => {
  const { page, troubles } = await openAs('operator', '/orders');
  await page.getByRole('row').filter({ hasText: 'TEA-1' }).waitFor();
  await assertSound(page);
  await page.getByLabel('Status').selectOption('completed');
  await page.getByRole('row').filter({ hasText: 'TEA-1' }).waitFor({ state: 'detached' });
  assert.equal(page.url(), `${site}/dashboard/orders?status=completed`);
  await page.goBack();
  await page.getByRole('row').filter({ hasText: 'TEA-1' }).waitFor();
  await page.getByLabel('Status').selectOption('lapsed');
  await page.getByText('No orders match').waitFor();
  await page.getByRole('link', { name: 'Clear filters' }).click();
  await page.getByRole('row').filter({ hasText: 'TEA-1' }).waitFor();
  assert.deepEqual(troubles, []);
});

test('further filters are folded, work by keyboard, and refuse what makes no sense', {
  skip,
}, async () => {
  const { page, troubles } = await openAs('viewer', '/orders', { width: 390 });
  await page.getByRole('row').filter({ hasText: 'TEA-1' }).waitFor();
  assert.equal(await page.getByLabel('Provider').isVisible(), false);
  await page.locator('summary', { hasText: 'More filters' }).focus();
  await page.keyboard.press('Enter');
  await page.getByLabel('Provider').selectOption('partner');
  await page.getByRole('row').filter({ hasText: 'TEA-1' }).waitFor({ state: 'detached' });
  await page.getByLabel('Created from').fill('2020-02-03T04:05');
  await page.keyboard.press('Enter');
  await page.getByLabel('Amount up to').fill('1.1.1');
  await page.keyboard.press('Enter');
  await page.getByText('An amount such as 118.00').waitFor();
  await assertSound(page);
  await page.getByLabel('Amount up to').fill('99.50');
  await page.keyboard.press('Enter');
  await page.getByText('No orders match').waitFor();
  const from = await page.evaluate<string>("new Date('2020-02-03T04:05').toISOString()");
  assert.deepEqual(Object.fromEntries(new URL(page.url()).searchParams), {
    provider: 'partner',
    from,
    currency: 'INR',
    amount_max: '99.50',
  });
  await page.getByLabel('Currency').selectOption('');
  await page.getByRole('row').filter({ hasText: 'TEA-2' }).waitFor();
  assert.equal(
    await page.getByLabel('Amount up to').inputValue(),
    '',
    'an amount needs a currency',
  );
  await page.getByLabel('Flag').selectOption('amount_mismatch');
  await page.getByText('No orders match').waitFor();
  await page.getByRole('link', { name: 'Clear filters' }).click();
  await page.getByRole('row').filter({ hasText: 'TEA-1' }).waitFor();
  assert.equal(page.url(), `${site}/dashboard/orders`);
  assert.deepEqual(troubles, []);
});

test('one field finds an order by invoice, e-mail address or phone number', { skip }, async () => {
  const { page } = await openAs('operator', '/orders');
  for (const text of ['TEA-1', 'asha@example.com', '+91 98765 43210']) {
    await page.getByLabel('Search').fill(text);
    await page.keyboard.press('Enter');
    await page.waitForURL(/text=/);
    await page.getByRole('row').filter({ hasText: 'TEA-1' }).waitFor();
  }
  await page.getByLabel('Search').fill('nothing like this');
  await page.keyboard.press('Enter');
  await page.getByText('Nothing found for').waitFor();
  await assertSound(page);
});

test('the list is exported as a file', { skip }, async () => {
  const { page } = await openAs('operator', '/orders?status=completed');
  const downloading = page.waitForEvent('download');
  await page.getByRole('link', { name: 'Export CSV' }).click();
  assert.equal((await downloading).suggestedFilename(), 'orders.csv');
});

test('a new order appears by itself, and focus and what was typed stay', { skip }, async () => {
  const { page } = await openAs('viewer', '/orders');
  await page.getByRole('row').filter({ hasText: 'TEA-1' }).waitFor();
  await page.getByLabel('Search').fill('half typed');
  await create({ invoice_id: 'TEA-NEW' });
  await page.getByRole('row').filter({ hasText: 'TEA-NEW' }).waitFor();
  assert.equal(await page.getByLabel('Search').inputValue(), 'half typed');
  assert.equal(await page.evaluate('document.activeElement.name'), 'text');
});

for (const colorScheme of ['light', 'dark'] as const) {
  test(`on a phone, ${colorScheme}: axe finds nothing and nothing is wider than the screen`, {
    skip,
  }, async () => {
    const { page } = await openAs('owner', '/', { width: 390, colorScheme });
    await page.getByRole('heading', { name: 'Created' }).waitFor();
    await assertSound(page);
    await page.getByRole('link', { name: 'Orders', exact: true }).click();
    await page.getByRole('row').filter({ hasText: 'TEA-1' }).waitFor();
    await assertSound(page);
  });
}

async function create(changes: Record<string, unknown>): Promise<void> {
  const reply = await service.call('/api/v3/create-order', {
    token: shop.token,
    body: orderBody(changes),
  });
  assert.equal(reply.status, 200, JSON.stringify(reply.body));
}
