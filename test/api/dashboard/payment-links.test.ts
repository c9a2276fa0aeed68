/** "New payment link": who may make one, that a double click makes one order, and what the log says. Contract 13.7. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { commandLine } from '../../../src/domain/audit.ts';
import { suspendAccount } from '../../../src/use-cases/accounts/suspend-account.ts';
import { auditOf } from '../../support/audit.ts';
import { codeOf, join } from '../../support/dashboard.ts';
import { partnerEvent, partnerPayment, sendPartner } from '../../support/deliveries.ts';
import { startTestService } from '../../support/test-service.ts';

const service = await startTestService();
// Its orders need a consumer and items when a shop sends them.
const shop = await service.createAccount();
const operator = await join(service, shop.accountId, 'operator');
const price = { total_amount: '118.00', currency: 'INR' };

test('an operator makes a link that opens the checkout, with a code of it', async () => {
  const { status, body } = await operator.post('/payment-links', {
    ...price,
    invoice_id: 'LINK-1',
    description: 'Two packets of tea',
    name: 'Asha Devi Rao',
    email: 'asha@example.com',
    phone: '+91 98765 43210',
  });
  assert.equal(status, 200, JSON.stringify(body));
  const { order_id, payment_link, expires_at, code, ...others } = body;
  assert.deepEqual(others, { ...price, invoice_id: 'LINK-1', replayed: false });
  assert.match(payment_link, /^http:\/\/service\.test\/l\/[0-9A-Za-z]{32}$/);
  assert.ok(Date.parse(expires_at) > Date.now());
  assert.ok(code.size >= 21);
  assert.match(code.path, /^(M\d+ \d+h1v1h-1z)+$/);
  const { pathname } = new URL(payment_link);
  const opened = await fetch(`${service.baseUrl}${pathname}`, { redirect: 'manual' });
  assert.equal(opened.status, 303);
  const order = await service.call('/api/v3/order?invoice_id=LINK-1', { token: shop.token });
  assert.equal(order.body.order_id, order_id);
  assert.equal(order.body.description, 'Two packets of tea');
  assert.deepEqual(
    [order.body.user.first_name, order.body.user.last_name, order.body.user.mobile_number],
    ['Asha', 'Devi Rao', 9876543210],
  );
  const entry = (await auditOf(service, shop.accountId)).at(-1);
  assert.deepEqual(
    [entry?.actor, entry?.user_id, entry?.address, entry?.action, entry?.object],
    [operator.email, operator.userId, operator.address, 'link.created', order_id],
  );
});

test('twenty clicks make one order, one link and one line in the log', async () => {
  const expires_at = new Date(Date.now() + 30 * 86_400_000).toISOString();
  const body = { ...price, invoice_id: 'LINK-2', expires_at };
  const replies = await Promise.all(
    Array.from({ length: 20 }, () => operator.post('/payment-links', body)),
  );
  assert.deepEqual(new Set(replies.map(({ status }) => status)), new Set([200]));
  assert.equal(new Set(replies.map((reply) => reply.body.payment_link)).size, 1);
  assert.equal(replies.filter((reply) => !reply.body.replayed).length, 1);
  assert.equal(replies[0]?.body.expires_at, expires_at);
  assert.equal((await linesOf(replies[0]?.body.order_id)).length, 1);
  const other = await operator.post('/payment-links', { ...body, total_amount: '119.00' });
  assert.deepEqual(codeOf(other), [409, 'DUPLICATE_INVOICE_ID']);
});

test('a link is stored with its line in the log, or not at all', async () => {
  const body = { ...price, invoice_id: 'LINK-LOGGED' };
  const alter = (change: string) => service.database.query({ text: `alter table audit ${change}` });
  await alter(`add constraint no_links check (action <> 'link.created') not valid`);
  assert.equal((await operator.post('/payment-links', body)).status, 500);
  await alter('drop constraint no_links');
  const { body: made } = await operator.post('/payment-links', body);
  assert.equal(made.replayed, false, 'nothing was stored');
  assert.equal((await linesOf(made.order_id)).length, 1);
});

test('a link for an order that the shop created is in the log too, once', async () => {
  const easy = await service.createAccount({ optionalOrderDetails: true });
  const person = await join(service, easy.accountId, 'operator');
  const invoice_id = 'LINK-OF-ORDER';
  const created = await service.call('/api/v3/create-order', {
    token: easy.token,
    body: { invoice_id, currency: 'INR', total_amount: 118, amount_before_tax: 118, tax: 0 },
  });
  assert.equal(created.status, 200, JSON.stringify(created.body));
  const replies = await Promise.all(
    Array.from({ length: 5 }, () => person.post('/payment-links', { ...price, invoice_id })),
  );
  const links = new Set(replies.map((reply) => reply.body.payment_link));
  assert.deepEqual([links.size, replies[0]?.body.order_id], [1, created.body.order_id]);
  const lines = await linesOf(created.body.order_id, easy.accountId);
  assert.deepEqual(
    lines.map(({ actor, action }) => [actor, action]),
    [[person.email, 'link.created']],
  );
});

test('twenty clicks cancel a link once, with one line in the log, and a paid one is refused', async () => {
  const { body: made } = await operator.post('/payment-links', { ...price, invoice_id: 'LINK-C' });
  const page = async () => (await operator.get(`/orders/${made.order_id}`)).body.order;
  assert.equal((await page()).payment_link_status, 'created');
  const cancel = `/orders/${made.order_id}/payment-link/cancel`;
  const replies = await Promise.all(Array.from({ length: 20 }, () => operator.post(cancel, {})));
  for (const { status, body } of replies) {
    assert.deepEqual([status, body], [200, { payment_link_status: 'cancelled' }]);
  }
  const { status, payment_link_status } = await page();
  assert.deepEqual([status, payment_link_status], ['lapsed', 'cancelled']);
  const lines = await linesOf(made.order_id);
  assert.deepEqual(lines.map(({ actor, action }) => [actor, action]).toSorted(), [
    [operator.email, 'link.cancelled'],
    [operator.email, 'link.created'],
  ]);

  const { body: paid } = await operator.post('/payment-links', { ...price, invoice_id: 'LINK-P' });
  const payment = partnerPayment({ notes: { svc_order_id: paid.order_id } });
  await sendPartner(service, shop, partnerEvent('payment.captured', { payment }));
  const refused = await operator.post(`/orders/${paid.order_id}/payment-link/cancel`, {});
  assert.deepEqual(codeOf(refused), [409, 'ORDER_COMPLETED']);
  const unknown = await operator.post('/orders/o_1xTvN7FKzOVH8AN0/payment-link/cancel', {});
  assert.deepEqual(codeOf(unknown), [404, 'ORDER_NOT_FOUND']);
});

test('bad input is refused by the field that is wrong, and nothing is stored', async () => {
  const body = { ...price, invoice_id: 'LINK-BAD' };
  for (const [wrong, message] of [
    [{ total_amount: '0' }, /^total_amount must be more than 0/],
    [{ total_amount: '1.001' }, /^total_amount /],
    [{ currency: 'inr' }, /^currency must be /],
    [{ invoice_id: '' }, /invoice_id/],
    [{ email: 'asha' }, /^user\.email must be an e-mail address/],
    [{ phone: '12' }, /^user\.mobile_number /],
    [{ expires_at: '2020-01-01T00:00:00Z' }, /^expires_at must be in the future/],
    [{ expires_at: 'soon' }, /^expires_at /],
  ] as const) {
    const reply = await operator.post('/payment-links', { ...body, ...wrong });
    assert.equal(reply.status, 400, JSON.stringify(wrong));
    assert.match(reply.body.error.svc_merchant_message, message);
  }
  const stored = await service.call('/api/v3/order?invoice_id=LINK-BAD', { token: shop.token });
  assert.notEqual(stored.status, 200);
});

test('a viewer makes no link, and a suspended account has no new ones', async () => {
  const account = await service.createAccount();
  const [viewer, owner] = await Promise.all(
    (['viewer', 'owner'] as const).map((role) => join(service, account.accountId, role)),
  );
  const body = { ...price, invoice_id: 'LINK-3' };
  const { body: made } = (await owner?.post('/payment-links', body)) ?? {};
  const cancel = `/orders/${made.order_id}/payment-link/cancel`;
  const kept = await viewer?.post(cancel, {});
  assert.deepEqual(kept && codeOf(kept), [403, 'PERMISSION_DENIED']);
  const refused = await viewer?.post('/payment-links', body);
  assert.deepEqual(refused && codeOf(refused), [403, 'PERMISSION_DENIED']);
  await suspendAccount(service.services, account.accountId, commandLine);
  const suspended = await owner?.post('/payment-links', body);
  assert.deepEqual(suspended && codeOf(suspended), [403, 'ACCOUNT_SUSPENDED']);
});

async function linesOf(orderId: string, accountId = shop.accountId) {
  return (await auditOf(service, accountId)).filter(({ object }) => object === orderId);
}
