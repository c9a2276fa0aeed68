/** Every page names its icon, so that no browser asks in vain for one. Contract 14.5. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newBrowser } from '../../tools/harness/plain-browser.ts';
import { orderBody } from '../support/order-bodies.ts';
import { startTestService } from '../support/test-service.ts';

const publicUrl = 'http://127.0.0.1/shop/payments';
const service = await startTestService({ publicUrl });
const { token } = await service.createAccount();

const paths = [
  '/checkout',
  '/checkout?token=a/b',
  '/checkout/none',
  '/checkout/none/pay',
  '/l/none',
  '/pay/none/none',
  '/pay/none/none/return?to=shop/x',
  '/checkout/none/language/none',
  '/docs/',
  '/dashboard',
  '/dashboard/orders',
  '/dashboard/orders/none/why',
];
for (const path of paths) {
  test(`the page ${path} has the icon, also below the path of PUBLIC_URL`, async () => {
    const { headers, body } = await service.call(path);
    assertHasIcon(path, body, headers);
  });
}

test('the checkout of an order has the icon', async () => {
  const created = await service.call('/api/v3/create-order', { token, body: orderBody() });
  const browser = newBrowser(service);
  await browser.get(`/checkout?token=${created.body.token}`);
  const path = `/checkout/${created.body.order_id}`;
  const page = await browser.get(path);
  assert.equal(page.status, 200);
  assertHasIcon(path, page.text, page.headers);
});

for (const path of ['/checkout/icon.svg', '/favicon.ico']) {
  test(`${path} is the icon, cached for a day and unable to act as a page`, async () => {
    const { status, headers, body } = await service.call(path);
    assert.deepEqual([status, headers.get('content-type')], [200, 'image/svg+xml']);
    assert.match(body, /^<svg xmlns="http:\/\/www\.w3\.org\/2000\/svg" /);
    assert.equal(headers.get('cache-control'), 'public, max-age=86400');
    assert.equal(headers.get('content-security-policy'), "default-src 'none'; sandbox");
    assert.equal((await service.call(path, { method: 'POST' })).status, 405);
  });
}

/** A proxy removes the path of PUBLIC_URL; the browser has it in the address. */
function assertHasIcon(path: string, page: string, headers: Headers): void {
  const [, href = ''] = /<link rel="icon" type="image\/svg\+xml" href="([^"]+)">/.exec(page) ?? [];
  assert.equal(
    new URL(href, `${publicUrl}${path}`).href,
    `${publicUrl}/checkout/icon.svg`,
    `the icon of ${path} is "${href}"`,
  );
  assert.match(headers.get('content-security-policy') ?? '', /img-src 'self'/);
}
