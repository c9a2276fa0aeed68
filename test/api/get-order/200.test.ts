import assert from 'node:assert/strict';
import { test } from 'node:test';
import { partnerEvent, partnerPayment, sendPartner } from '../../support/deliveries.ts';
import { issueMerchantToken } from '../../support/merchant-token.ts';
import { fullOrderBody, orderBody } from '../../support/order-bodies.ts';
import { checkingAccounts } from '../../support/test-account.ts';
import { type Reply, startTestService } from '../../support/test-service.ts';
import { claimsOf, fullParts, nextCalls, withoutTokens } from '../assertions.ts';

const service = await startTestService();
const account = await service.createAccount(checkingAccounts);

test('an order is answered as created, with its details and a fresh token', async () => {
  const body = fullOrderBody();
  const created = await create(body);
  for (const query of [
    `order_id=${created.order_id}`,
    `invoice_id=${body.invoice_id}`,
    `order_id=${created.order_id}&invoice_id=${body.invoice_id}`,
    `order_id=&invoice_id=${body.invoice_id}`,
    `order_id=${created.order_id}&unknown=1&unknown=2`,
  ]) {
    const reply = await get(query);
    assert.equal(reply.status, 200, JSON.stringify(reply.body));
    const { token, token_expiration, ...rest } = reply.body;
    assert.deepEqual(rest, {
      ...withoutTokens(created),
      ...fullParts(body),
    });
    const { exp, iat, sub, token_type, order_id } = claimsOf(token);
    assert.deepEqual(
      { sub, token_type, order_id },
      { sub: account.accountId, token_type: 'order', order_id: created.order_id },
    );
    assert.equal(Number(exp) - Number(iat), 20 * 60);
    assert.equal(Date.parse(`${token_expiration}Z`), Number(exp) * 1000);
    assert.notEqual(token, created.token);
  }
});

test('items are returned as they were sent, numbers as numbers and texts as texts', async () => {
  const order_line_items = [
    { sku_id: 'A', title: 'Tea', image_url: false, rate: '50.00', quantity: 2 },
    { title: 'Rice', quantity: '1.5', tax: 0, total_amount: 18.5, amount_before_tax: '18.50' },
  ];
  const created = await create(orderBody({ order_line_items }));
  const reply = await get(`order_id=${created.order_id}`);
  assert.deepEqual(reply.body.order_line_items, order_line_items);
});

test('an invoice_id of any characters is found by its URL encoding', async () => {
  for (const invoice_id of ['a b&c=d+e/f?g#h%i', '請求書-1 😀', "'; drop table orders; --"]) {
    const created = await create(orderBody({ invoice_id }));
    const reply = await get(`invoice_id=${encodeURIComponent(invoice_id)}`);
    assert.equal(reply.status, 200, JSON.stringify(reply.body));
    assert.equal(reply.body.order_id, created.order_id);
    assert.equal(reply.body.invoice_id, invoice_id);
  }
});

test('a converted order shows its original amounts', async () => {
  const converting = await service.createAccount({
    alternateCurrencies: [{ from: 'USD', to: 'INR', rate: '83.25' }],
  });
  const created = await create(orderBody({ currency: 'USD' }), converting.token);
  const { body } = await get(`order_id=${created.order_id}`, converting.token);
  assert.equal(body.currency, 'INR');
  assert.equal(body.total_amount, 9823.5);
  assert.deepEqual(body.currency_conversion, created.currency_conversion);
});

test('fields that do not apply are left out', async () => {
  const optional = await service.createAccount({ optionalOrderDetails: true });
  const bare = { invoice_id: 'bare', currency: 'INR', total_amount: 5 };
  const created = await create(bare, optional.token);
  const { body } = await get(`order_id=${created.order_id}`, optional.token);
  assert.deepEqual(Object.keys(body).sort(), [
    'amount_before_tax',
    'attempts',
    'currency',
    'invoice_id',
    'next',
    'order_date',
    'order_id',
    'status',
    'tax',
    'token',
    'token_expiration',
    'total_amount',
  ]);
});

test('the order token sees its order with personal data masked', async () => {
  const body = fullOrderBody();
  const created = await create(body);
  for (const query of [`order_id=${created.order_id}`, `invoice_id=${body.invoice_id}`]) {
    const reply = await get(query, created.token);
    assert.equal(reply.status, 200, JSON.stringify(reply.body));
    assert.deepEqual(withoutTokens(reply.body), {
      ...withoutTokens(created),
      user: {
        email: 'a***a@example.com',
        first_name: 'A***',
        last_name: 'R***',
        country_code: '+91',
        mobile_number: '******3210',
        user_id: created.user.user_id,
      },
      ...fullParts(body),
      shipping_address: {
        city: 'Bengaluru',
        state: 'Karnataka',
        pincode: '560001',
        address_type: 'Home',
      },
      next: nextCalls,
    });
    assert.equal(reply.body.token, created.token);
  }
});

test('the current callback, attributes and description are returned where they are set', async () => {
  const created = await create(orderBody({ custom_attributes: {} }));
  const before = (await get(`order_id=${created.order_id}`)).body;
  for (const name of ['callback_url', 'callback_mode', 'custom_attributes', 'description']) {
    assert.equal(name in before, false, name);
  }
  const changes = {
    callback_url: 'https://shop.example/back',
    callback_mode: 'callback_url_post',
    custom_attributes: { size: 3, constructor: 'x' },
    description: 'Two cups',
  };
  const body = { order_id: created.order_id, ...changes };
  const updated = await service.call('/api/v3/update-order', { token: account.token, body });
  const after = (await get(`order_id=${created.order_id}`)).body;
  for (const reply of [updated.body, after]) {
    assert.deepEqual(withoutTokens(reply), {
      ...withoutTokens(before),
      ...changes,
      custom_attributes: [
        { key: 'size', value: '3' },
        { key: 'constructor', value: 'x' },
      ],
    });
  }
});

test('a completed order recommends no further call', async () => {
  const created = await create(orderBody());
  const payment = partnerPayment({ notes: { svc_order_id: created.order_id } });
  await sendPartner(service, account, partnerEvent('payment.captured', { payment }));
  for (const token of [account.token, created.token]) {
    const { body } = await get(`order_id=${created.order_id}`, token);
    assert.deepEqual([body.status, body.next], ['completed', []]);
  }
});

test('HEAD answers as GET does, without the body', async () => {
  const created = await create(orderBody());
  const reply = await service.call(`/api/v3/order?order_id=${created.order_id}`, {
    method: 'HEAD',
    token: account.token,
  });
  assert.equal(reply.status, 200);
  assert.equal(reply.body, '');
});

/** Last in this file: it moves the clock. */
test('an order that was not paid within 24 hours is lapsed from that moment on', async () => {
  const created = await create(orderBody());
  const statusAfter = async (seconds: number) => {
    service.advanceSeconds(seconds);
    const { accountId } = account;
    const { token } = await issueMerchantToken(service.services, accountId);
    const { status, next } = (await get(`order_id=${created.order_id}`, token)).body;
    return [status, next];
  };
  assert.deepEqual(await statusAfter(24 * 3600 - 60), ['new', nextCalls]);
  assert.deepEqual(await statusAfter(60), ['lapsed', []]);

  const { accountId } = account;
  const orderToken = await service.services.tokens.issue({
    type: 'order',
    accountId,
    orderId: created.order_id,
  });
  const reply = await get(`order_id=${created.order_id}`, orderToken.token);
  assert.equal(reply.body.status, 'lapsed');
  assert.equal(reply.body.token, orderToken.token, 'it gets itself back and no new one');
});

async function create(
  body: Record<string, unknown>,
  token = account.token,
): Promise<Reply['body']> {
  return (await service.call('/api/v3/create-order', { token, body })).body;
}

function get(query: string, token = account.token): Promise<Reply> {
  return service.call(`/api/v3/order?${query}`, { token });
}
