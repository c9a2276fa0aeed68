import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { test } from 'node:test';
import { keyId, onlyPayment, startShop } from './support.ts';

test('the partner’s page shows shop and amount and lets the consumer pay', async (t) => {
  const { simulator, openOrder } = await startShop(t);
  const orderId = await openOrder();
  const form = new URLSearchParams({
    key_id: keyId,
    order_id: orderId,
    name: 'Tea <Co>',
    method: 'netbanking',
    'notes[svc_order_id]': 'o_1',
  });
  const url = `${simulator.url}/v1/checkout/embedded`;
  const opened = await fetch(url, { method: 'POST', body: form });
  assert.equal(opened.status, 200);
  const html = await opened.text();
  assertPage(html, opened);
  assert.match(html, /<h1>Tea &#60;Co&#62;<\/h1>/);
  assert.match(html, /INR 10\.50/);
  assert.equal(actionOf(html), `/v1/checkout/${orderId}/act`);

  const done = await act(`${simulator.url}${actionOf(html)}`, 'pay');
  assert.equal(done.status, 200);
  assert.match(await done.text(), /Payment complete/);
  assert.equal(onlyPayment(simulator).status, 'captured');
  const again = await fetch(`${url}?order_id=${orderId}`);
  const paidPage = await again.text();
  assert.match(paidPage, /This payment is complete/);
  assert.doesNotMatch(paidPage, /<button/);
});

test('the form’s payment method and notes are used for the payment', async (t) => {
  const { simulator, partner, openOrder } = await startShop(t);
  const orderId = await openOrder();
  const form = new URLSearchParams({
    key_id: keyId,
    order_id: orderId,
    method: 'wallet',
    'notes[svc_order_id]': 'o_1',
  });
  await fetch(`${simulator.url}/v1/checkout/embedded`, { method: 'POST', body: form });
  await simulator.pay(orderId);
  const payment = (await partner('GET', `/v1/payments/${onlyPayment(simulator).id}`)).body;
  assert.equal(payment.method, 'wallet');
  assert.deepEqual(payment.notes, {
    svc_transaction_id: 'o_1-260101000000',
    svc_order_id: 'o_1',
  });
});

test('a consumer who paid or was declined returns to the shop by a cross-site form post', async (t) => {
  const { simulator, openOrder } = await startShop(t);
  const callback = 'https://shop.example/back?x=1';
  const paid = await openAt(simulator.url, await openOrder(), { callback_url: callback });
  const page = await paid.act('pay');
  assert.equal(page.status, 200);
  const html = await page.text();
  const { action, fields } = readForm(html);
  assert.equal(action, 'https://shop.example/back?x=1');
  const { id } = onlyPayment(simulator);
  const signature = createHmac('sha256', 'key-secret')
    .update(`${paid.orderId}|${id}`)
    .digest('hex');
  assert.deepEqual(fields, {
    razorpay_payment_id: id,
    razorpay_order_id: paid.orderId,
    razorpay_signature: signature,
  });
  const policy = page.headers.get('content-security-policy') ?? '';
  const [, nonce = ''] = /script-src 'nonce-([\w+/=]+)'/.exec(policy) ?? [];
  assert.ok(nonce && html.includes(`<script nonce="${nonce}">`), policy);

  const declined = await openAt(simulator.url, await openOrder(), { callback_url: callback });
  const failed = readForm(await (await declined.act('decline')).text());
  assert.equal(failed.action, callback);
  assert.equal(failed.fields['error[reason]'], 'insufficient_funds');
  assert.equal(failed.fields.razorpay_payment_id, undefined);
  assert.equal(JSON.parse(failed.fields['error[metadata]'] ?? '').order_id, declined.orderId);
});

test('a consumer who cancels returns by a plain link, to the cancel URL if there is one', async (t) => {
  const { simulator, openOrder } = await startShop(t);
  const callback_url = 'https://shop.example/back?x=1';
  for (const [form, expected] of [
    [{ callback_url }, callback_url],
    [{ callback_url, cancel_url: 'https://shop.example/left' }, 'https://shop.example/left'],
  ] as const) {
    const done = await (await openAt(simulator.url, await openOrder(), form)).act('cancel');
    assert.deepEqual([done.status, done.headers.get('location')], [303, expected]);
    await done.text();
  }
});

test('a return URL that is not http or https is not used', async (t) => {
  const { simulator, openOrder } = await startShop(t);
  for (const action of ['pay', 'decline', 'cancel']) {
    const form = { callback_url: 'javascript:alert(1)', cancel_url: 'data:,x' };
    const done = await (await openAt(simulator.url, await openOrder(), form)).act(action);
    assert.deepEqual([done.status, done.headers.get('location')], [200, null]);
    assert.doesNotMatch(await done.text(), /<form|<script|javascript:/);
  }
});

test('the gateway’s page works the same and returns with its indicator of success', async (t) => {
  const { simulator, gateway } = await startShop(t);
  const session = await gateway('POST', '/api/rest/version/100/merchant/TESTSHOP/session', {
    apiOperation: 'INITIATE_CHECKOUT',
    interaction: { operation: 'PURCHASE', returnUrl: 'https://shop.example/back?x=1' },
    order: { id: 'o1', amount: '500', currency: 'JPY' },
  });
  const { id } = session.body.session as { id: string };
  const page = `${simulator.url}/checkout/pay/${id}?checkoutVersion=1.0.0`;
  const opened = await fetch(page);
  const html = await opened.text();
  assertPage(html, opened);
  assert.match(html, /JPY 500</);
  const url = `${simulator.url}${actionOf(html)}`;
  const declined = await act(url, 'decline');
  assert.equal(declined.headers.get('location'), 'https://shop.example/back?x=1');
  assert.match(await (await fetch(page)).text(), /The last try failed: Insufficient funds/);
  const paid = await act(url, 'pay');
  assert.equal(
    paid.headers.get('location'),
    `https://shop.example/back?x=1&resultIndicator=${session.body.successIndicator}`,
  );
});

test('pages of unknown orders, other shops and unknown actions explain the error', async (t) => {
  const { simulator, openOrder } = await startShop(t);
  const orderId = await openOrder();
  for (const [path, status] of [
    ['/v1/checkout/embedded?order_id=order_none', 404],
    [`/v1/checkout/embedded?order_id=${orderId}&key_id=other`, 400],
    ['/checkout/pay/SESSIONnone', 404],
  ] as const) {
    const { status: answered, headers } = await fetch(`${simulator.url}${path}`);
    assert.equal(answered, status);
    assert.match(headers.get('content-type') ?? '', /^text\/html/);
  }
  const url = `${simulator.url}/v1/checkout/${orderId}/act`;
  assert.equal((await act(url, 'steal')).status, 400);
  await assert.rejects(simulator.pay('order_none'), /there is no checkout order_none/);
});

test('the simulator’s own page shows the scenario, the events and the ledger', async (t) => {
  const { simulator, openOrder, openSession } = await startShop(t);
  await simulator.pay(await openOrder());
  await simulator.pay(await openSession('<b>'));
  await simulator.settled();
  const response = await fetch(simulator.url);
  const html = await response.text();
  assertPage(html, response);
  assert.match(html, /Scenario: happy/);
  assert.match(html, /payment\.captured pay_\w+, try 1 → 200/);
  assert.match(html, /<td>&#60;b&#62;<\/td>/);
  assert.doesNotMatch(html, /<b>/);
  const ledger = await fetch(`${simulator.url}/simulator/ledger`);
  assert.deepEqual(await ledger.json(), simulator.ledger());
});

test('the scenario can be changed by form or JSON, for all references or for one', async (t) => {
  const { simulator, openOrder } = await startShop(t);
  const url = `${simulator.url}/simulator/scenario`;
  const body = new URLSearchParams({ scenario: 'decline', reason: 'incorrect_otp' });
  const changed = await fetch(url, { method: 'POST', body, redirect: 'manual' });
  assert.deepEqual([changed.status, changed.headers.get('location')], [303, '/']);
  await changed.text();
  assert.match(await (await fetch(simulator.url)).text(), /Scenario: decline/);

  const send = (fields: object) =>
    fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(fields),
    });
  const one = await send({ scenario: 'happy', reference: 'good' });
  assert.deepEqual(await one.json(), { scenario: { name: 'happy' }, reference: 'good' });
  assert.equal((await send({ scenario: 'nonsense' })).status, 400);
  await simulator.pay(await openOrder('good'));
  await simulator.pay(await openOrder('bad'));
  const statuses = simulator.ledger().payments.map(({ status }) => status);
  assert.deepEqual(statuses, ['captured', 'failed']);
});

test('a shop is registered over HTTP, and the error says what is missing', async (t) => {
  const { simulator } = await startShop(t);
  const register = (fields: object) =>
    fetch(`${simulator.url}/simulator/shops`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(fields),
    });
  const partner = { keyId: 'k', keySecret: 's', webhookUrl: 'http://x', webhookSecret: 'w' };
  assert.equal((await register({ partner })).status, 201);
  const authorization = `Basic ${Buffer.from('k:s').toString('base64')}`;
  const { status } = await fetch(`${simulator.url}/v1/orders`, { headers: { authorization } });
  assert.equal(status, 200);
  const refused = await register({ partner: { ...partner, webhookSecret: '' } });
  assert.deepEqual(
    [refused.status, await refused.json()],
    [400, { error: 'partner.webhookSecret is missing.' }],
  );
  assert.equal((await register({})).status, 400);
});

/** Opens the partner's page with the fields of the shop's form. */
async function openAt(url: string, orderId: string, fields: Record<string, string>) {
  const form = new URLSearchParams({ order_id: orderId, ...fields });
  await (await fetch(`${url}/v1/checkout/embedded`, { method: 'POST', body: form })).text();
  return { orderId, act: (action: string) => act(`${url}/v1/checkout/${orderId}/act`, action) };
}

function readForm(html: string) {
  const plain = (text = '') =>
    text.replaceAll(/&#(\d+);/g, (_, code) => String.fromCharCode(Number(code)));
  const inputs = html.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)">/g);
  const fields: Record<string, string> = Object.fromEntries(
    [...inputs].map(([, name, value]) => [plain(name), plain(value)]),
  );
  return { action: plain(actionOf(html)), fields };
}

function act(url: string, action: string): Promise<Response> {
  const body = new URLSearchParams({ action });
  return fetch(url, { method: 'POST', body, redirect: 'manual' });
}

function actionOf(html: string): string {
  return /<form method="post" action="([^"]+)"/.exec(html)?.[1] ?? '';
}

/** A complete page that fits a phone and loads nothing from other sites. */
function assertPage(html: string, { headers }: Response): void {
  assert.match(headers.get('content-type') ?? '', /^text\/html/);
  assert.match(html, /^<!doctype html>/);
  assert.match(html, /<meta name="viewport"/);
  assert.match(html, /<\/html>\n$/);
  // The icon is in the page and allowed, so that no browser asks for another.
  assert.match(html, /<link rel="icon" href="data:image\/svg\+xml,[^"]+">/);
  assert.match(headers.get('content-security-policy') ?? '', /; img-src data:/);
  assert.doesNotMatch(html, /src=|<link(?! rel="icon" href="data:)|<script|@import|url\(/);
}
