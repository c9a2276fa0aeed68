/** The page of an order, a refund from it, and why, in a real browser. Contract 13.5. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { noBrowser } from '../../support/browser.ts';
import { assertSound, dashboardPages } from '../../support/dashboard-page.ts';
import { startJourney } from '../../support/journey.ts';
import { fullOrderBody } from '../../support/order-bodies.ts';

const skip = noBrowser;
const { service, simulator, shop, createOrder, pay, heal } = await startJourney();
const { site, openAs } = dashboardPages(service, shop.accountId);

const orderId = await createOrder(fullOrderBody({ invoice_id: 'TEA-1' }));
await pay(orderId, 'net_banking', 'decline');
await simulator.settled();
service.advanceSeconds(1);
await pay(orderId, 'upi');
await simulator.settled();

test('an operator refunds by keyboard alone, once, and sees the refund succeed', {
  skip,
}, async () => {
  const { page, troubles } = await openAs('operator', '/orders');
  await page.getByRole('link', { name: 'TEA-1' }).click();
  await page.getByRole('heading', { name: 'Order TEA-1' }).waitFor();
  assert.equal(page.url(), `${site}/dashboard/orders/${orderId}`);
  await page.getByText('asha@example.com').waitFor();
  await page.getByText('Insufficient funds.', { exact: true }).waitFor();
  await assertSound(page);
  // The result comes with the next poll, so that the page shows the refund on its way.
  simulator.setScenarioFor(orderId, { name: 'lost-webhook' });
  await tabTo(page, 'Refund');
  await page.keyboard.press('Enter');
  const dialog = page.getByRole('dialog', { name: 'Refund a payment' });
  const amount = dialog.getByLabel('Amount in INR');
  assert.equal(await amount.inputValue(), '118.00');
  await dialog.getByRole('button', { name: 'Refund ₹118.00' }).waitFor();
  await page.keyboard.press('ControlOrMeta+A');
  await page.keyboard.type('18');
  await dialog.getByRole('button', { name: 'Refund ₹18.00' }).waitFor();
  await page.keyboard.press('Enter');
  await page.keyboard.press('Enter');
  await page.getByText('Refund of ₹18.00: pending.').waitFor();
  await page.getByText('Refunds pending').waitFor();
  await heal();
  await page.getByText('Refund of ₹18.00: succeeded.').waitFor();
  assert.equal(await page.getByRole('list', { name: 'Refunds' }).getByRole('listitem').count(), 1);
  assert.deepEqual(troubles, []);
});

test('what cannot be refunded is refused in words, and nothing can be refunded twice', {
  skip,
}, async () => {
  const { page } = await openAs('operator', `/orders/${orderId}`);
  await page.getByRole('button', { name: 'Refund', exact: true }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Amount in INR').fill('500');
  await dialog.getByRole('button', { name: 'Refund ₹500.00' }).click();
  await dialog.getByText('may be at most 100.00 INR').waitFor();
  await dialog.getByLabel('Amount in INR').fill('100');
  simulator.setScenarioFor(orderId, { name: 'happy' });
  await dialog.getByRole('button', { name: 'Refund ₹100.00' }).click();
  await page.locator('#refusal').waitFor();
  const button = page.getByRole('button', { name: 'Refund', exact: true, description: /^Nothing/ });
  // It can still be reached, so that screen readers say why.
  assert.equal(await button.getAttribute('aria-disabled'), 'true');
  await button.focus();
  await page.keyboard.press('Enter');
  await page.locator('.toast').filter({ hasText: 'Nothing is left to refund' }).waitFor();
  assert.equal(await dialog.count(), 0);
  await simulator.settled();
  await page.getByText('Refund of ₹100.00: succeeded.').waitFor();
});

test('why: each value leads to its cause, and each delivery to its body', { skip }, async () => {
  const { page, troubles } = await openAs('operator', `/orders/${orderId}`);
  await page.getByRole('link', { name: 'Why' }).click();
  await page.getByRole('heading', { name: 'Why is order TEA-1 completed?' }).waitFor();
  await page.getByText('The highest status that was reported counts').first().waitFor();
  await assertSound(page);
  await page.getByRole('link', { name: 'payment.authorized', exact: true }).first().click();
  await page.locator('.why-entry.wanted').getByText('payment.authorized').waitFor();
  assert.match(page.url(), /[?&]entry=dlv_/);
  await page.locator('.why-entry.wanted').getByRole('link', { name: 'Body' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText('"payment.authorized"').waitFor();
  await dialog.getByText('What was understood').waitFor();
  assert.match(page.url(), /[?&]delivery=dlv_/);
  assert.doesNotMatch(await dialog.innerText(), /consumer@okbank|9876543210/);
  await assertSound(page);
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
  // `goBack` could skip an entry: the browser learns of a new one a little later than its page does.
  await page.evaluate('history.back()');
  await dialog.waitFor();
  await dialog.getByRole('button', { name: 'Close' }).click();
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'], { origin: site });
  await page.getByRole('button', { name: 'Copy as text' }).click();
  await page.getByText('Explanation copied').waitFor();
  const copied = await page.evaluate<string>('navigator.clipboard.readText()');
  assert.match(copied, /^Order o_\S+, invoice TEA-1/);
  assert.deepEqual(troubles, []);
});

test('on a phone, a viewer reads both pages, masked and without a refund', { skip }, async () => {
  const look = { width: 390, colorScheme: 'dark' } as const;
  const { page, troubles } = await openAs('viewer', `/orders/${orderId}`, look);
  await page.getByText('a***a@example.com').waitFor();
  assert.equal(await page.getByRole('button', { name: 'Refund', exact: true }).count(), 0);
  await assertSound(page);
  await page.getByRole('link', { name: 'Why' }).click();
  await page.getByRole('heading', { name: 'What set each field' }).waitFor();
  await assertSound(page);
  await page.goto(`${site}/dashboard/orders/${orderId}/why?delivery=dlv_none`);
  await page.getByText('The order has no such delivery.').waitFor();
  assert.equal(troubles.length, 1, 'the 404 that was asked for');
});

async function tabTo(page: Page, name: string): Promise<void> {
  for (let count = 0; count < 30; count += 1) {
    await page.keyboard.press('Tab');
    if ((await page.evaluate('document.activeElement.textContent')) === name) return;
  }
  assert.fail(`${name} cannot be reached`);
}
