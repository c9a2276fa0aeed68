/** A consumer pays on the checkout page and returns to the shop. All other ways and states are in test/slow/browser. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { noBrowser } from '../support/browser.ts';
import { pay, startCheckoutPages } from '../support/checkout-page.ts';
import { payInWindow, resultOn, startFrameShop } from '../support/frame-shop.ts';
import { signatureOf } from '../support/plugin-signature.ts';

const pages = await startCheckoutPages();
const { shop, shopPage, openPage } = pages;
const frameShop = await startFrameShop(pages);

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

test('a consumer pays in a frame of a shop on another site, which gets the signed result', {
  skip: noBrowser,
}, async () => {
  const { page, frame, order, troubles } = await frameShop.openByButton();
  await payInWindow(page, frame);
  await frame.getByRole('heading', { name: 'Payment received' }).waitFor();
  await frame.getByRole('link', { name: 'Back to the shop' }).click();
  const result = await resultOn(page);
  assert.deepEqual([result.status, result.svc_order_id], ['success', order.orderId]);
  assert.equal(result.svc_signature, signatureOf(result, order.accessSecret));
  assert.equal(await page.locator('dialog').count(), 0);
  assert.deepEqual(troubles, []);
});
