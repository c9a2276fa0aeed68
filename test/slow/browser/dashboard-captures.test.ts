/** Capture and Void on the order page, in a real browser. Contract 16.8. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findFreePort } from '../../../tools/harness/free-port.ts';
import { openHeldShop } from '../../api/captures/held-shop.ts';
import { noBrowser } from '../../support/browser.ts';
import { assertSound, dashboardPages, type Look } from '../../support/dashboard-page.ts';
import { startTestService } from '../../support/test-service.ts';

const skip = noBrowser;
const service = await startTestService({ port: await findFreePort() });
const shop = await openHeldShop({ name: 'Tea shop' }, service);
const { openAs } = dashboardPages(service, shop.account.accountId);

const looks: readonly Look[] = [
  { width: 1280, colorScheme: 'light' },
  { width: 390, colorScheme: 'dark' },
];
for (const look of looks) {
  test(`a part is captured by keyboard, then the rest is voided, ${look.width} px, ${look.colorScheme}`, {
    skip,
  }, async () => {
    const { orderId } = await shop.hold('gateway');
    const { page, troubles } = await openAs('operator', `/orders/${orderId}`, look);
    await page.getByText('₹118.00 reserved: 6 days left.').waitFor();
    await assertSound(page);
    await page.getByRole('button', { name: 'Capture', exact: true }).focus();
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog', { name: 'Capture a payment' });
    await dialog.getByText('The consumer is charged now.').waitFor();
    await assertSound(page);
    await dialog.getByLabel('Amount').fill('40.00');
    await page.keyboard.press('Enter');
    await dialog.waitFor({ state: 'detached' });
    await page.getByText('₹78.00 reserved: 6 days left.').waitFor();
    await page.getByRole('button', { name: 'Void', exact: true }).click();
    const release = page.getByRole('dialog', { name: 'Void a payment' });
    await release.getByText('It is released, and nothing can be captured any more.').waitFor();
    await assertSound(page);
    await release.getByRole('button', { name: 'Void', exact: true }).click();
    await release.waitFor({ state: 'detached' });
    await page.getByText('reserved:').waitFor({ state: 'detached' });
    const { payment } = await shop.show(orderId);
    assert.equal(payment.transaction_amount, 40);
    assert.deepEqual(troubles, []);
  });
}

test('a viewer sees what is reserved and is offered neither', { skip }, async () => {
  const { orderId } = await shop.hold('partner');
  const { page, troubles } = await openAs('viewer', `/orders/${orderId}`);
  await page.getByText('₹118.00 reserved: 4 days left.').waitFor();
  assert.equal(await page.getByRole('button', { name: /^(Capture|Void)$/ }).count(), 0);
  assert.deepEqual(troubles, []);
});
