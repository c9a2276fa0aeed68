import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Action, readLaunchForm, startJourney } from '../../support/journey.ts';
import { signatureOf } from '../../support/plugin-signature.ts';
import { payloadOf, visit } from '../../support/returns.ts';
import { storeCallback } from '../../support/stored-orders.ts';

const { service, simulator, shop, openShop, createOrder, initiate, pay, assertSound } =
  await startJourney();
const callback_mode = 'callback_url_post';
const back = 'https://shop.example/back?a="1"&b#end';

test('callback_url_post returns a page whose form posts the result to the shop', async () => {
  const transactionId = await pay(await createOrder({ callback_url: back, callback_mode }));
  await simulator.settled();
  const [one, two] = [await visit(returnOf(transactionId)), await visit(returnOf(transactionId))];
  for (const { status, text, headers } of [one, two]) {
    assert.equal(status, 200);
    const { action, fields } = readLaunchForm(text);
    assert.equal(action, 'https://shop.example/back?a=%221%22&b#end');
    assert.deepEqual(Object.keys(fields), ['response']);
    assert.match(text, /<button>Back to the shop<\/button>/);
    const policy = policyOf(headers);
    assert.equal(policy['default-src'], "'none'");
    assert.equal(policy['form-action'], 'https://shop.example');
    assert.equal(policy['frame-ancestors'], "'none'");
    assert.equal(policy['base-uri'], "'none'");
    assert.match(policy['script-src'] ?? '', /^'nonce-[\w+/=]+'$/);
    assert.ok(
      text.includes(`<script ${policy['script-src']?.slice(1, -1).replace('nonce-', 'nonce="')}">`),
    );
    assert.equal(headers.get('referrer-policy'), 'no-referrer');
    assert.equal(headers.get('cache-control'), 'no-store');
  }
  assert.notEqual(policyOf(one.headers)['script-src'], policyOf(two.headers)['script-src']);
  const payload = payloadOf(one);
  assert.equal(payload.status, 'success');
  assert.equal(payload.svc_signature, signatureOf(payload, shop.accessSecret));
});

test('a pending result is posted too', async () => {
  const orderId = await createOrder({ callback_url: back, callback_mode });
  const { transaction_id } = (await initiate(orderId)).body;
  const reply = await visit(`${returnOf(transaction_id)}?until=0`);
  assert.equal(reply.status, 200);
  assert.equal(payloadOf(reply).status, 'pending');
});

test('the form may redirect to the callback origins of the account', async () => {
  const callbackOrigins = ['https://www.shop.example', 'https://shop.example'];
  const account = await openShop({ callbackOrigins });
  const { token } = account;
  const created = await service.call('/api/v3/create-order', {
    token,
    body: {
      invoice_id: 'POST-1',
      currency: 'INR',
      total_amount: 1,
      callback_url: back,
      callback_mode,
      user: { email: 'a@b.c', first_name: 'A', mobile_number: '9876543210' },
      ...{
        shipping_address: { city: 'Pune' },
        order_line_items: [{ title: 'T', rate: 1, quantity: 1 }],
      },
    },
  });
  const { order_id } = created.body;
  const body = { order_id, payment_mode_code: 'credit_card' };
  const { transaction_id } = (await service.call('/api/v3/initiate-payment', { token, body })).body;
  const { headers } = await visit(`${returnOf(transaction_id, account.accountId)}?until=0`);
  assert.equal(policyOf(headers)['form-action'], 'https://shop.example https://www.shop.example');
});

const outcomes: [action: Action | 'none', heading: string][] = [
  ['pay', 'Payment received'],
  ['decline', 'The payment failed'],
  ['none', 'Payment not confirmed yet'],
];
for (const [action, heading] of outcomes) {
  test(`without a callback_url the page says: ${heading}`, async () => {
    const invoice_id = `<b>INV & ${action}`;
    const orderId = await createOrder({ invoice_id });
    const transactionId =
      action === 'none'
        ? (await initiate(orderId)).body.transaction_id
        : await pay(orderId, 'upi', action);
    await simulator.settled();
    const { status, text, headers } = await visit(`${returnOf(transactionId)}?until=0`);
    assert.equal(status, 200);
    assert.ok(text.includes(`<h1>${heading}</h1>`), text);
    assert.ok(text.includes(`&#60;b&#62;INV &#38; ${action}`), text);
    assert.doesNotMatch(text, /<script|<form|<a |<b>|asha|Asha|9876|okbank/);
    assert.equal(policyOf(headers)['script-src'], "'none'");
    assert.equal(policyOf(headers)['form-action'], "'none'");
  });
}

test('an old address that no browser can open counts as absent', async () => {
  for (const address of ['shopapp://paid', 'javascript:alert(1)', 'x']) {
    const orderId = await createOrder();
    await storeCallback(service, orderId, address);
    const transactionId = await pay(orderId, 'credit_card');
    await simulator.settled();
    const { status, text } = await visit(returnOf(transactionId));
    assert.equal(status, 200);
    assert.match(text, /<h1>Payment received<\/h1>/);
    assert.doesNotMatch(text, /shopapp|javascript|<a /);
  }
});

test('the invariants hold after all of this', assertSound);

function returnOf(transactionId: string, accountId = shop.accountId): string {
  return `${service.baseUrl}/pay/${accountId}/${transactionId}/return`;
}

function policyOf(headers: Headers): Record<string, string> {
  const rules = (headers.get('content-security-policy') ?? '').split('; ');
  return Object.fromEntries(
    rules.map((rule) => [rule.split(' ')[0], rule.split(' ').slice(1).join(' ')]),
  );
}
