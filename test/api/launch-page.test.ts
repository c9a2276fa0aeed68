import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readLaunchForm, startJourney } from '../support/journey.ts';
import { orderBody } from '../support/order-bodies.ts';
import { storeCallback } from '../support/stored-orders.ts';
import { makePaymentsNotFound } from './payments-not-found.ts';

const journey = await startJourney();
const { service, simulator, shop, openShop, createOrder, createPaid, initiate, pay } = journey;
const back = 'https://shop.example/back?order=1&from="provider"';
const choices = [
  ['upi', { upi_id: 'asha@okbank' }, { method: 'upi' }],
  ['net_banking', { bank_code: 'HDFC' }, { method: 'netbanking', bank: 'HDFC' }],
  ['wallet', { wallet_code: 'paytm' }, { method: 'wallet', wallet: 'paytm' }],
] as const;

for (const [mode, choice, fields] of choices) {
  test(`the page of a payment by ${mode} posts exactly what the provider needs`, async () => {
    const orderId = await createOrder({ invoice_id: `launch-${mode}`, description: 'Tea' });
    const { body } = await initiate(orderId, mode, { ...choice, callback_url: back });
    const { status, form } = await open(body.next[0].url);
    assert.equal(status, 200);
    const { order_id, ...others } = form.fields;
    assert.match(order_id ?? '', /^order_/);
    assert.equal(form.action, `${simulator.url}/v1/checkout/embedded`);
    assert.deepEqual(others, {
      key_id: shop.partnerKeyId,
      amount: '11800',
      currency: 'INR',
      name: 'Test shop',
      description: 'Tea',
      ...fields,
      callback_url: `${body.next[0].url}/return`,
      cancel_url: `${body.next[0].url}/return`,
      'notes[svc_transaction_id]': body.transaction_id,
      'notes[svc_order_id]': orderId,
      'notes[invoice_id]': `launch-${mode}`,
    });
  });
}

test('the page is not cached, cannot be framed, loads nothing and runs only its own script', async () => {
  const { body } = await initiate(await createOrder());
  const [one, two] = [await open(body.next[0].url), await open(body.next[0].url)];
  assert.equal(one.headers.get('content-type'), 'text/html; charset=utf-8');
  assert.equal(one.headers.get('cache-control'), 'no-store');
  assert.equal(one.headers.get('referrer-policy'), 'no-referrer');
  assert.equal(one.headers.get('set-cookie'), null);
  const nonces = [one, two].map(({ headers, text }) => {
    const policy = headers.get('content-security-policy') ?? '';
    const nonce = /script-src 'nonce-([\w+/]+=*)';/.exec(policy)?.[1] ?? '';
    assert.match(policy, /^default-src 'none'; .*; frame-ancestors 'none'$/);
    assert.ok(text.includes(`<script nonce="${nonce}">`), policy);
    assert.equal(text.match(/<script/g)?.length, 1);
    return nonce;
  });
  assert.notEqual(nonces[0], nonces[1], 'each page has a nonce of its own');
});

test('text from the shop is escaped on the page and never becomes markup', async () => {
  const name = `"><script>alert('shop')</script>&amp;`;
  const description = `</form><img src=x onerror="alert(1)">`;
  const account = await openShop({ name });
  const { token } = account;
  const created = await service.call('/api/v3/create-order', {
    token,
    body: orderBody({ description, callback_url: `https://a.example/"><script>` }),
  });
  const { order_id } = created.body;
  const wished = { order_id, payment_mode_code: 'upi', upi_id: 'asha@okbank' };
  const { body } = await service.call('/api/v3/initiate-payment', { token, body: wished });
  const { text, form } = await open(body.next[0].url);
  assert.equal(form.fields.name, name);
  assert.equal(form.fields.description, description);
  assert.equal(text.match(/<script/g)?.length, 1);
  assert.equal(text.match(/<\/form>/g)?.length, 1);
  assert.doesNotMatch(text, /<img/);
});

test('the page contains no secret and no personal data of the consumer', async () => {
  const orderId = await createOrder();
  const { body } = await initiate(orderId);
  const { text } = await open(body.next[0].url);
  const secrets = ['_secret_', 'password', shop.accessSecret, shop.token];
  for (const word of [
    ...secrets,
    'asha@okbank',
    'Asha',
    'Rao',
    'asha@example.com',
    '9876543210',
    'MG Road',
  ]) {
    assert.ok(!text.includes(word), word);
  }
});

test('the page of a paid or failed payment links back to the shop', async () => {
  const orderId = await createOrder({ callback_url: 'https://shop.example/"back' });
  const failed = await pay(orderId, 'upi', 'decline');
  const other = (await initiate(orderId)).body.transaction_id;
  const paid = await pay(orderId, 'upi');
  await simulator.settled();
  for (const transactionId of [failed, other, paid]) {
    const { status, text, headers } = await open(pageOf(shop.accountId, transactionId));
    assert.equal(status, 410);
    assert.match(text, /<h1>Payment received|<h1>The payment failed/);
    assert.ok(text.includes(`href="${transactionId}/return?to=shop">Back to the shop</a>`), text);
    assert.match(headers.get('content-security-policy') ?? '', /; script-src 'none'; /);
    assert.doesNotMatch(text, /<form|<script/);
  }
  const { transactionId } = await createPaid();
  const alone = await open(pageOf(shop.accountId, transactionId));
  assert.equal(alone.status, 410);
  assert.doesNotMatch(alone.text, /<a /);
});

test('an old stored address that is not a web address is neither posted nor linked', async () => {
  for (const callback_url of ['javascript:alert(1)', 'data:text/html,x', 'back to us']) {
    const orderId = await createOrder();
    await storeCallback(service, orderId, callback_url);
    const { body } = await initiate(orderId);
    const before = await open(body.next[0].url);
    assert.equal(before.form.fields.callback_url, `${body.next[0].url}/return`);
    assert.ok(!before.text.includes(callback_url));
    await pay(orderId, 'credit_card');
    await simulator.settled();
    const over = await open(body.next[0].url);
    assert.equal(over.status, 410);
    assert.doesNotMatch(over.text, /<a /);
  }
});

test('a provider that is reached by an address is linked', async () => {
  const { body } = await initiate(await createOrder(), 'credit_card');
  const { status, text } = await open(pageOf(shop.accountId, body.transaction_id));
  assert.equal(status, 200);
  assert.ok(text.includes(`href="${body.next[0].url}" data-forward>`));
  assert.ok(text.includes(`content="0; url=${body.next[0].url}"`));
});

test('what was not started here is unknown', async () => {
  for (const [accountId, transactionId] of await makePaymentsNotFound(journey)) {
    const { status, text } = await open(pageOf(accountId, transactionId));
    assert.equal(status, 404, transactionId);
    assert.match(text, /There is no such payment/);
    assert.doesNotMatch(text, /<form|<script|<a /);
  }
});

test('the page supports GET only', async () => {
  const { body } = await initiate(await createOrder());
  const path = new URL(body.next[0].url).pathname;
  for (const method of ['POST', 'PUT', 'DELETE']) {
    const reply = await service.call(path, { method });
    assert.equal(reply.status, 405);
    assert.match(reply.headers.get('allow') ?? '', /GET/);
  }
});

function pageOf(accountId: string, transactionId: string): string {
  return `${service.baseUrl}/pay/${accountId}/${encodeURIComponent(transactionId)}`;
}

async function open(url: string) {
  const response = await fetch(url);
  const text = await response.text();
  return { status: response.status, headers: response.headers, text, form: readLaunchForm(text) };
}
