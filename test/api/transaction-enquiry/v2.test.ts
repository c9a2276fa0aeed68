import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openPayload, sealPayload } from '../../../src/security/sealed-payload.ts';
import type { Reply } from '../../support/test-service.ts';
import { assertRefused } from '../assertions.ts';
import { captureOf, openShop } from '../webhooks/shop.ts';

const shop = await openShop();
const { service, account } = shop;
const [older, current] = ['/api/v2/transaction-enquiry', '/api/v3/transaction-enquiry'];

test('the enquiry is the same under its older path, for every caller and every body', async () => {
  const order = await shop.createOrder();
  await shop.sendPartner(captureOf(order));
  const { order_id, token } = order;
  const bodies: unknown[] = [
    { order_id },
    { order_id, invoice_id: order.invoice_id },
    { order_id: '', invoice_id: null },
    { order_id: 'o_0000000000000000' },
    { transaction_id: 'nothing' },
    { order_id: 5 },
    [],
    '{',

    JSON.stringify({ order_id }),
  ];
  for (const caller of [account.token, token, 'x.y.z', undefined]) {
    for (const body of bodies) {
      const call = { body, ...(caller && { token: caller }) };
      const [one, two] = [await service.call(older, call), await service.call(current, call)];
      const label = `${caller === token} ${JSON.stringify(body)}`;
      assert.deepEqual([one.status, one.body], [two.status, two.body], label);
      assert.deepEqual(headersOf(one), headersOf(two), label);
    }
  }
  const { body } = await service.call(older, { token: account.token, body: { order_id } });
  assert.equal(body.order.status, 'completed');
});

test('a sealed enquiry is opened and its reply sealed under the older path too', async () => {
  const sealing = await service.createAccount({ encryptedPayloads: true });
  const { token, accessSecret } = sealing;
  const encrypted_payload = sealPayload('{"invoice_id":"none"}', accessSecret);
  const reply = await service.call(older, { token, body: { encrypted_payload } });
  assert.equal(reply.status, 404);
  const opened = JSON.parse(String(openPayload(reply.body.encrypted_response, accessSecret)));
  assert.equal(opened.error.svc_error_code, 'INVOICE_NOT_FOUND');
});

test('calls under both paths count together against the rate limit', async () => {
  const slow = await service.createAccount({ requestsPerSecond: 1 });
  const call = { token: slow.token, body: { invoice_id: 'none' } };
  const paths = [older, current, older, current, older, current];
  const replies = await Promise.all(paths.map((path) => service.call(path, call)));
  assert.ok(replies.filter(({ status }) => status === 404).length <= 2);
  assert.ok(replies.some(({ status }) => status === 429));
});

test('nothing else is served under the older path, and no other method', async () => {
  for (const path of ['payment-link', 'order', 'payment-modes', 'webhooks/partner']) {
    const reply = await service.call(`/api/v2/${path}`, { token: account.token, body: {} });
    assertRefused(reply, 'NOT_FOUND');
  }
  const reply = await service.call(older, { token: account.token });
  assertRefused(reply, 'METHOD_NOT_ALLOWED', 'takes POST');
  assert.equal(reply.headers.get('allow'), 'POST');
});

function headersOf({ headers }: Reply): string[] {
  const own = ['date', 'x-request-id', 'content-length'];
  return [...headers].filter(([name]) => !own.includes(name)).map((pair) => pair.join(': '));
}
