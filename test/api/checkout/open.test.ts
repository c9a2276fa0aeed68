/** How a checkout is opened: the token moves into a cookie of its order. Contract 14.1. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { commandLine } from '../../../src/domain/audit.ts';
import { limits } from '../../../src/domain/limits.ts';
import { paymentLimits } from '../../../src/domain/payments/limits.ts';
import { suspendAccount } from '../../../src/use-cases/accounts/suspend-account.ts';
import { issueOrderToken } from '../../../src/use-cases/orders/order-tokens.ts';
import { headingOf, newBrowser } from '../../../tools/harness/plain-browser.ts';
import { openCheckout } from '../../support/checkout.ts';
import { orderBody } from '../../support/order-bodies.ts';
import { startTestService } from '../../support/test-service.ts';

const service = await startTestService();
const account = await service.createAccount({ name: 'Tea & Coffee' });
const { accountId } = account;
let invoices = 0;

test('the token moves from the address into a cookie of the order, and the page does not contain it', async () => {
  const orderId = await createOrder();
  const { token } = await tokenFor(orderId);
  for (const path of ['/checkout?token=', '/?token=']) {
    const browser = newBrowser(service);
    let reply = await browser.get(`${path}${token}`);
    if (path === '/?token=') {
      assert.equal(reply.location, `checkout?token=${token}`);
      reply = await browser.get(`/${reply.location}`);
    }
    assert.deepEqual([reply.status, reply.location, reply.text], [303, `/checkout/${orderId}`, '']);
    assert.equal(reply.headers.get('referrer-policy'), 'no-referrer');
    const [cookie = ''] = reply.headers.getSetCookie();
    assert.ok(cookie.startsWith(`checkout-${orderId}=${token}; Expires=`), cookie);
    assert.match(cookie, /GMT; Path=\/; HttpOnly; SameSite=Lax$/);
    const page = await browser.get(`/checkout/${orderId}`);
    assert.deepEqual([page.status, headingOf(page)], [200, 'How would you like to pay?']);
    assert.ok(!page.text.includes(token));
    assert.ok(page.text.includes('Tea &#38; Coffee'));
  }
});

test('the cookie expires with the token', async () => {
  const orderId = await createOrder();
  const { token, expiresAt } = await tokenFor(orderId);
  const reply = await newBrowser(service).get(`/checkout?token=${token}`);
  const [, expires = ''] = /Expires=([^;]+)/.exec(reply.headers.getSetCookie()[0] ?? '') ?? [];
  assert.equal(Date.parse(expires), Math.floor(expiresAt.getTime() / 1000) * 1000);
});

test('behind https the cookie is secure and bound to the host', async () => {
  const secure = await startTestService({ publicUrl: 'https://pay.shop.example' });
  const shop = await secure.createAccount();
  const created = await secure.call('/api/v3/create-order', {
    token: shop.token,
    body: orderBody({ invoice_id: 'S-1' }),
  });
  const orderId = created.body.order_id;
  const browser = await openCheckout(secure, { accountId: shop.accountId, orderId });
  assert.equal(browser.page.status, 200);
  assert.deepEqual([...browser.cookies.keys()], [`__Host-checkout-${orderId}`]);
});

test('the path of PUBLIC_URL is before the paths of all links, forms and redirects', async () => {
  const below = await startTestService({ publicUrl: 'http://127.0.0.1/payments/' });
  const shop = await below.createAccount();
  const body = orderBody({ invoice_id: 'P-1' });
  const created = await below.call('/api/v3/create-order', { token: shop.token, body });
  const orderId = created.body.order_id;
  const { accountId } = shop;
  const { token } = await issueOrderToken(below.services, {
    accountId,
    orderId,
    userId: null,
    restricted: false,
  });
  const browser = newBrowser(below);
  const opened = await browser.get(`/checkout?token=${token}`);
  assert.equal(opened.location, `/payments/checkout/${orderId}`);
  const page = await browser.get(`/checkout/${orderId}`);
  assert.equal(page.status, 200);
  const paths = [...page.text.matchAll(/(?:href|action|src)="(\/[^"]*)"/g)].map(([, path]) => path);
  assert.ok(paths.length > 0);
  for (const path of paths) assert.match(path ?? '', /^\/payments\//);
});

const badTokens: [name: string, path: () => Promise<string>][] = [
  ['no token', async () => '/checkout'],
  ['an empty token', async () => '/checkout?token='],
  ['two tokens', async () => '/checkout?token=a&token=b'],
  ['a token that is none', async () => '/checkout?token=%00%ff.x.y'],
  ['a merchant token', async () => `/checkout?token=${account.token}`],
  ['a page without its cookie', async () => `/checkout/${await createOrder()}`],
  ['a page of no order', async () => '/checkout/o_1'],
];
for (const [name, path] of badTokens) {
  test(`${name} is a page with status 401 and sets no cookie`, async () => {
    const browser = newBrowser(service);
    const reply = await browser.get(await path());
    assert.deepEqual([reply.status, headingOf(reply)], [401, 'This payment page has expired']);
    assert.deepEqual([...browser.cookies], []);
    assert.match(reply.headers.get('content-security-policy') ?? '', /default-src 'none'/);
  });
}

test('a token that has expired, or the token of another order, opens nothing', async () => {
  const orderId = await createOrder();
  const browser = await openCheckout(service, { accountId, orderId });
  const other = await createOrder();
  browser.cookies.set(`checkout-${other}`, browser.token);
  assert.equal((await browser.get(`/checkout/${other}`)).status, 401);
  service.advanceSeconds(limits.orderTokenLifetimeSeconds + 1);
  assert.equal((await browser.get(`/checkout/${orderId}`)).status, 401);
  service.advanceSeconds(-limits.orderTokenLifetimeSeconds - 1);
});

test('two orders in two tabs do not mix, and at most eight are kept', async () => {
  const browser = newBrowser(service);
  const orders: string[] = [];
  for (let count = 0; count < 10; count += 1) {
    const orderId = await createOrder();
    orders.push(orderId);
    await browser.get(`/checkout?token=${(await tokenFor(orderId)).token}`);
  }
  const kept = orders.slice(-paymentLimits.checkoutCookiesMax);
  assert.deepEqual(
    [...browser.cookies.keys()],
    kept.map((orderId) => `checkout-${orderId}`),
  );
  for (const orderId of kept) {
    const page = await browser.get(`/checkout/${orderId}`);
    assert.ok(page.text.includes(`/checkout/${orderId}/language/hi`));
  }
});

test('an order of another consumer is a page with status 403', async () => {
  const orderId = await createOrder();
  const { token } = await tokenFor(orderId);
  const browser = await openCheckout(service, { accountId, orderId });
  await service.call('/api/v3/resolve-user', {
    token: account.token,
    body: { order_id: orderId, mobile_number: '9876543210' },
  });
  for (const path of [`/checkout?token=${token}`, `/checkout/${orderId}`]) {
    const page = await browser.get(path);
    assert.deepEqual(
      [page.status, headingOf(page)],
      [403, 'This order belongs to another customer'],
    );
  }
});

test('the checkout of a suspended account is a page with status 403', async () => {
  const shop = await service.createAccount();
  const body = orderBody({ invoice_id: 'S-1' });
  const created = await service.call('/api/v3/create-order', { token: shop.token, body });
  const orderId = created.body.order_id;
  const browser = await openCheckout(service, { accountId: shop.accountId, orderId });
  await suspendAccount(service.services, shop.accountId, commandLine);
  await service.services.accounts.readAgain(shop.accountId);
  const page = await browser.get(`/checkout/${orderId}`);
  assert.deepEqual([page.status, headingOf(page)], [403, 'Payments to this shop are paused']);
});

test('the page is small, compressed, framed by nobody and loads nothing from elsewhere', async () => {
  const { page, get } = await openCheckout(service, { accountId, orderId: await createOrder() });
  const policy = page.headers.get('content-security-policy') ?? '';
  const parts = policy.split('; ').map((part) => part.replaceAll(/'nonce-[^']+'/g, "'nonce'"));
  assert.deepEqual(parts, [
    "default-src 'none'",
    "style-src 'nonce'",
    "script-src 'nonce'",
    "img-src 'self'",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ]);
  assert.doesNotMatch(page.text, /https?:\/\/(?!127\.0\.0\.1)/);
  assert.equal(page.headers.get('cache-control'), 'no-store');
  assert.equal(page.headers.get('content-encoding'), 'gzip');
  assert.ok(Number(page.headers.get('content-length')) < 30 * 1024);
  const plain = await get('/checkout', { 'accept-encoding': 'identity' });
  assert.equal(plain.headers.get('content-encoding'), null);
});

test('a switch of the language is kept', async () => {
  const orderId = await createOrder();
  const browser = await openCheckout(service, { accountId, orderId });
  const reply = await browser.get(`/checkout/${orderId}/language/hi`);
  assert.deepEqual([reply.status, reply.location], [303, `/checkout/${orderId}`]);
  const page = await browser.get(`/checkout/${orderId}`);
  assert.match(page.text, /<html lang="hi-IN">/);
  assert.equal(page.headers.get('content-language'), 'hi-IN');
  assert.equal((await browser.get(`/checkout/${orderId}/language/xx`)).status, 404);
});

async function createOrder(): Promise<string> {
  invoices += 1;
  const body = orderBody({ invoice_id: `C-${invoices}` });
  return (await service.call('/api/v3/create-order', { token: account.token, body })).body.order_id;
}

function tokenFor(orderId: string) {
  return issueOrderToken(service.services, {
    accountId,
    orderId,
    userId: null,
    restricted: false,
  });
}
