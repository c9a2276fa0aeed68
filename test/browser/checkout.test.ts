/** A consumer pays on the checkout page and returns to the shop. All other ways and states are in test/slow/browser. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { noBrowser } from '../support/browser.ts';
import { pay, startCheckoutPages } from '../support/checkout-page.ts';
import { signatureOf } from '../support/plugin-signature.ts';

const { shop, shopPage, openPage } = await startCheckoutPages();

test('a consumer pays on the checkout page and returns to the shop with a valid signature', {
  skip: noBrowser,
}, async () => {
  const { page, troubles } = await openPage();
  await pay(page, 'UPI');
  await page.getByRole('heading', { name: 'Payment received' }).waitFor();
  await page.getByRole('link', { name: 'Back to the shop' }).click();
  await page.getByText('Thank you for your order').waitFor();
  const payload = shopPage.take();
  assert.equal(payload.status, 'success');
  assert.equal(payload.svc_signature, signatureOf(payload, shop.accessSecret));
  assert.deepEqual(troubles, []);
});
