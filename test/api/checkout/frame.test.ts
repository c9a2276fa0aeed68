/** The checkout in a frame, as HTTP shows it: who may frame it, how the token travels, and what the page contains. Contract 14.8. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { issueOrderToken } from '../../../src/use-cases/orders/order-tokens.ts';
import {
  headingOf,
  hiddenFieldsOf,
  newBrowser,
  type Seen,
  unescapeHtml,
} from '../../../tools/harness/plain-browser.ts';
import { findCheckout, startJourney } from '../../support/journey.ts';
import { orderBody } from '../../support/order-bodies.ts';

const journey = await startJourney();
const { service } = journey;
const origins = ['https://shop.example', 'http://localhost:3000'];
const framing = await journey.openShop({ frameOrigins: origins });
const plain = await journey.openShop();
let invoices = 0;

test('in a frame the address and the form answer the page itself, for the frame origins alone', async () => {
  const order = await create();
  const browser = newBrowser(service);
  const byAddress = await openInFrame(order.token);
  const byForm = await fetchAsFrame('/checkout', {
    method: 'POST',
    body: new URLSearchParams({ token: order.token }),
  });
  for (const page of [byAddress, byForm]) {
    assert.deepEqual([page.status, headingOf(page)], [200, 'How would you like to pay?']);
    assert.equal(framersOf(page), origins.join(' '));
    assert.equal(dataOf(page, 'origins'), origins.join(' '));
    assert.equal(dataOf(page, 'token'), order.token);
    assert.equal(dataOf(page, 'page'), `/checkout/${order.orderId}`);
    assert.equal(page.headers.get('referrer-policy'), 'no-referrer');
  }
  // Outside of a frame nothing changes: the cookie carries the token, and the page contains nothing of this.
  const posted = await browser.post('/checkout', { token: order.token });
  assert.deepEqual([posted.status, posted.location], [303, `/checkout/${order.orderId}`]);
  const page = await browser.get(`/checkout/${order.orderId}`);
  assert.equal(page.status, 200);
  assert.doesNotMatch(page.text, /data-(token|message|origins)|globalHandleCheckoutResponse/);
  assert.ok(!page.text.includes(order.token));
});

test('behind a proxy that asks for a password the page stays what it is', async () => {
  const { token, orderId } = await create();
  const authorization = `Basic ${Buffer.from('staging:secret').toString('base64')}`;
  const opened = await ask(`/checkout?token=${token}`, { headers: { authorization } });
  assert.deepEqual([opened.status, opened.location], [303, `/checkout/${orderId}`]);
  const [cookie = ''] = opened.headers.getSetCookie()[0]?.split(';') ?? [];
  const page = await ask(`/checkout/${orderId}`, { headers: { authorization, cookie } });
  assert.equal(page.status, 200);
  assert.doesNotMatch(page.text, /data-token/);
});

test('an account without frame origins is framed by nobody', async () => {
  const order = await create(plain);
  const page = await openInFrame(order.token);
  assert.equal(framersOf(page), "'none'");
  assert.equal(dataOf(page, 'origins'), '');
});

test('a wrong token in a frame is a page that nobody may frame', async () => {
  const page = await openInFrame('none');
  assert.deepEqual([page.status, framersOf(page)], [401, "'none'"]);
  assert.doesNotMatch(page.text, /data-/);
});

test('the token in the header opens its own order and no other', async () => {
  const [own, other] = [await create(), await create()];
  for (const part of ['', '/state']) {
    assert.equal((await call(own, `/checkout/${own.orderId}${part}`)).status, 200);
    assert.equal((await call(own, `/checkout/${other.orderId}${part}`)).status, 401);
  }
  assert.equal((await newBrowser(service).get(`/checkout/${own.orderId}`)).status, 401);
});

test('a payment from a frame leads to a page that waits, and its window closes instead of going to the shop', async () => {
  const order = await create();
  const page = await openInFrame(order.token);
  const fields = { ...hiddenFieldsOf(page), payment_mode_code: 'upi' };
  const withoutKey = await send(order, `/checkout/${order.orderId}/pay`, {
    payment_mode_code: 'upi',
  });
  assert.equal(withoutKey.status, 409);
  const paid = await send(order, `/checkout/${order.orderId}/pay`, fields);
  assert.deepEqual([paid.status, paid.location], [303, `/checkout/${order.orderId}`]);
  const waiting = await call(order, `/checkout/${order.orderId}`);
  assert.equal(headingOf(waiting), 'Waiting for your bank');
  assert.match(waiting.text, /The payment page opens in a new window/);
  assert.equal(resultOf(waiting).status, 'pending');
  const launch = /<a class="button" href="(\/pay\/[^"]+)"/.exec(waiting.text)?.[1] ?? '';
  // A browser that has the cookie, too: it stays the window of a frame.
  const window = newBrowser(service);
  await window.get(`/checkout?token=${order.token}`);
  const early = await window.get(`${launch}/return`);
  assert.equal(early.status, 202);
  assert.match(early.text, / data-close>/);
  await journey.simulator.pay(await findCheckout(`${service.baseUrl}${launch}`));
  await journey.simulator.settled();
  const back = await window.get(`${launch}/return?paid`);
  assert.deepEqual([back.status, headingOf(back)], [200, 'Payment received']);
  assert.match(back.text, /<div data-close>/);
  // If the browser does not close it, the shop is one click away.
  assert.match(back.text, /<a class="button" href="return\?to=shop">Back to the shop/);
  const toShop = await window.get(`${launch}/return?to=shop`);
  assert.ok(toShop.location?.startsWith('https://shop.example/back?response='));
  const done = await call(order, `/checkout/${order.orderId}`);
  assert.deepEqual([headingOf(done), resultOf(done).status], ['Payment received', 'success']);
  assert.match(done.text, /You return to the shop in <span>5<\/span> s/);
});

test('before any payment the result is that none was made', async () => {
  const order = await create();
  const { order: enquired, invoice_id, ...rest } = resultOf(await openInFrame(order.token));
  assert.deepEqual(rest, {
    svc_order_id: order.orderId,
    svc_transaction_id: null,
    status: 'failed',
    message: 'The payment was not made.',
    svc_signature: null,
    signature_version: 'v3',
    transaction: null,
  });
  assert.deepEqual([enquired.status, enquired.invoice_id], ['new', invoice_id]);
});

test('an error in a frame has a way out of it', async () => {
  const order = await create();
  const page = await fetchAsFrame(`/checkout/${order.orderId}`, {
    headers: { authorization: 'Bearer none' },
  });
  assert.equal(page.status, 401);
  assert.match(page.text, /<a class="button" href="#leave">Back to the shop/);
});

test('no token is in the log of the requests', async () => {
  const order = await create();
  await openInFrame(order.token);
  await call(order, `/checkout/${order.orderId}/state`);
  assert.ok(service.logText().includes('/checkout'));
  assert.ok(!service.logText().includes(order.token));
  assert.ok(!service.logText().includes('token='));
});

type Opened = { readonly orderId: string; readonly token: string };

async function create(shop = framing): Promise<Opened> {
  invoices += 1;
  const { accountId } = shop;
  const body = orderBody({
    invoice_id: `F-${invoices}`,
    callback_url: 'https://shop.example/back',
  });
  const created = await service.call('/api/v3/create-order', { token: shop.token, body });
  const orderId: string = created.body.order_id;
  const name = { accountId, orderId, userId: null, restricted: false };
  return { orderId, token: (await issueOrderToken(service.services, name)).token };
}

const openInFrame = (token: string) => fetchAsFrame(`/checkout?token=${token}`);

/** As a browser loads a frame of another site: without cookies. */
function fetchAsFrame(path: string, init: RequestInit = {}): Promise<Seen> {
  return ask(path, { ...init, headers: { 'sec-fetch-dest': 'iframe', ...init.headers } });
}

/** As the script of the frame. */
const call = ({ token }: Opened, path: string) =>
  ask(path, { headers: { authorization: `Bearer ${token}` } });

const send = ({ token }: Opened, path: string, fields: Record<string, string>) =>
  ask(path, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}` },
    body: new URLSearchParams(fields),
  });

async function ask(path: string, init: RequestInit): Promise<Seen> {
  const headers = { accept: 'text/html', ...init.headers };
  const reply = await fetch(`${service.baseUrl}${path}`, { ...init, headers, redirect: 'manual' });
  const location = reply.headers.get('location');
  return { status: reply.status, headers: reply.headers, text: await reply.text(), location };
}

function framersOf({ headers }: Seen): string | undefined {
  return /frame-ancestors ([^;]*)/.exec(headers.get('content-security-policy') ?? '')?.[1];
}

function dataOf({ text }: Seen, name: string): string | undefined {
  const value = new RegExp(`<main [^>]*data-${name}="([^"]*)"`).exec(text)?.[1];
  return value === undefined ? undefined : unescapeHtml(value);
}

function resultOf(page: Seen) {
  const { event_type, payload } = JSON.parse(dataOf(page, 'message') ?? '');
  assert.equal(event_type, 'globalHandleCheckoutResponse');
  return payload;
}
