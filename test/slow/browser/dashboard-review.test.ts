/** Review and inbox in a real browser: every act once, also by keyboard alone and on a phone. Contract 13.6. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Locator, Page } from 'playwright-core';
import { findFreePort } from '../../../tools/harness/free-port.ts';
import { captureOf, gatewayPaymentOf, shopOf } from '../../api/webhooks/shop.ts';
import { auditOf } from '../../support/audit.ts';
import { noBrowser } from '../../support/browser.ts';
import { assertSound, dashboardPages } from '../../support/dashboard-page.ts';
import { partnerEvent } from '../../support/deliveries.ts';
import { startTestService } from '../../support/test-service.ts';

const skip = noBrowser;
const service = await startTestService({ port: await findFreePort() });
const shop = shopOf(service, await service.createAccount({ name: 'Tea shop' }));
const { accountId } = shop.account;
const { site, openAs } = dashboardPages(service, accountId);

const order = await shop.createOrder({ invoice_id: 'TEA-1' });
await shop.sendPartner(captureOf(order, { amount: 100 }));
const paid = await shop.createOrder({ invoice_id: 'TEA-2' });
const { body: captured } = await shop.sendPartner(captureOf(paid));
await shop.sendGateway(gatewayPaymentOf({ order_id: 'LATE-1' }));
await shop.sendPartner(partnerEvent('settlement.processed', {}));

test('the overview leads to the review, where an item is resolved by keyboard alone', {
  skip,
}, async () => {
  const { page, troubles } = await openAs('operator', '/');
  await page.getByRole('link', { name: '1 to review' }).click();
  await page.waitForURL(`${site}/dashboard/review`);
  await page.getByText('1 to review').waitFor();
  const row = page.getByRole('row').filter({ hasText: 'not the amount of the order' });
  await row.getByText('Compare the amount with the order').waitFor();
  assert.match(
    (await row.getByRole('link').getAttribute('href')) ?? '',
    new RegExp(`/dashboard/orders/${order.order_id}$`),
  );
  await assertSound(page);
  const resolve = row.getByRole('button', { name: 'Resolve', exact: true });
  assert.match(await describedBy(page, resolve), /not the amount of the order.*Transaction o_/s);
  await resolve.focus();
  await page.keyboard.press('Enter');
  const dialog = page.getByRole('dialog', { name: 'Resolve' });
  await dialog.getByText(`Transaction ${order.order_id}-`).waitFor();
  await page.keyboard.type('settled with the consumer');
  await page.keyboard.press('Tab');
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await page.getByText('Nothing to review').waitFor();
  await page.waitForFunction("document.activeElement.id === 'content'");
  await page.getByText('Item resolved.').waitFor();
  assert.equal((await auditOf(service, accountId)).at(-1)?.action, 'flag.resolved');
  assert.deepEqual(troubles, []);
});

test('a delivery is found by its state, opened beside the list and replayed', {
  skip,
}, async () => {
  const { page, troubles } = await openAs('operator', '/inbox');
  await page.getByRole('row').nth(4).waitFor();
  await page.getByLabel('State').selectOption('processed');
  await page.waitForURL(`${site}/dashboard/inbox?state=processed`);
  const row = page.getByRole('row').filter({ hasText: paid.order_id });
  await row.getByRole('link', { name: 'payment.captured' }).click();
  await page.waitForURL(`${site}/dashboard/inbox?state=processed&delivery=${captured.delivery_id}`);
  const delivery = page.getByRole('region', { name: 'Delivery' });
  await delivery.getByText('Applied to its order.').waitFor();
  const body = page.getByRole('group', { name: 'Body' });
  assert.match((await body.textContent()) ?? '', /"event": "payment.captured"/);
  assert.doesNotMatch((await page.content()) ?? '', /asha@example|9876543210/);
  await assertSound(page);
  await delivery.getByRole('button', { name: 'Replay' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Replay' }).click();
  await page.getByText('Nothing changed. The delivery is still processed.').waitFor();
  await delivery.getByRole('link', { name: 'Close' }).click();
  await delivery.waitFor({ state: 'detached' });
  await page.waitForFunction('document.activeElement.dataset.delivery !== undefined');
  assert.equal(page.url(), `${site}/dashboard/inbox?state=processed`);
  assert.deepEqual(troubles, []);
});

test('a viewer on a phone reads both pages and is offered nothing to change', {
  skip,
}, async () => {
  await shop.sendPartner(captureOf(await shop.createOrder(), { amount: 100 }));
  const { page, troubles } = await openAs('viewer', '/review', { width: 390, colorScheme: 'dark' });
  await page.getByText('not the amount of the order').waitFor();
  assert.equal(await page.getByRole('button', { name: 'Resolve' }).count(), 0);
  await assertSound(page);
  await page.getByRole('link', { name: 'Inbox', exact: true }).click();
  await page.getByRole('link', { name: 'settlement.processed' }).click();
  await page.getByText('There is nothing to do about it').waitFor();
  assert.equal(await page.getByRole('button', { name: 'Replay' }).count(), 0);
  await assertSound(page);
  await page.goBack();
  await page.getByRole('link', { name: 'settlement.processed' }).waitFor();
  assert.deepEqual(troubles, []);
});

/** The text that a screen reader adds to the name of a button. */
async function describedBy(page: Page, button: Locator): Promise<string> {
  const ids = (await button.getAttribute('aria-describedby'))?.split(' ') ?? [];
  const texts = ids.map((id) => page.locator(`[id="${id}"]`).textContent());
  return (await Promise.all(texts)).join(' ');
}
