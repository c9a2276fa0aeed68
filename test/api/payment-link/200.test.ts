/** Creating a payment link, and repeating it. Contract 14.6. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openPayload, sealPayload } from '../../../src/security/sealed-payload.ts';
import { fullOrderBody, orderBody } from '../../support/order-bodies.ts';
import { checkingAccounts } from '../../support/test-account.ts';
import { type Reply, startTestService } from '../../support/test-service.ts';
import { claimsOf, nextCalls, withoutTokens } from '../assertions.ts';

const service = await startTestService();
const account = await service.createAccount(checkingAccounts);
const inDays = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString();

test('the reply is that of create order, with the link and the time until which it can be paid', async () => {
  const expires_at = inDays(30);
  const body = orderBody({ expires_at });
  const reply = await link(body);

  assert.equal(reply.status, 200, JSON.stringify(reply.body));
  assert.equal(reply.headers.get('idempotent-replayed'), null);
  const { order_id, order_date, user, payment_link, payment_link_id, ...rest } = withoutTokens(
    reply.body,
  );
  assert.match(String(order_id), /^o_[0-9A-Za-z]{16}$/);
  assert.equal(typeof order_date, 'string');
  assert.equal((user as { email: string }).email, 'asha@example.com');
  const [, owner] = /^http:\/\/service\.test\/l\/(.{16})[0-9A-Za-z]{16}$/.exec(
    String(payment_link),
  ) ?? [undefined, undefined];
  assert.equal(`acc_${owner}`, account.accountId);
  assert.equal(payment_link, `http://service.test/l/${payment_link_id}`);
  assert.deepEqual(rest, {
    // That of the link. Contract 19.2.
    status: 'created',
    payment_link_url: payment_link,
    short_url: payment_link,
    invoice_id: body.invoice_id,
    attempts: 0,
    currency: 'INR',
    amount_before_tax: 100,
    tax: 18,
    total_amount: 118,
    next: nextCalls,
    expires_at,
  });
  for (const [token, type] of [
    [reply.body.token, 'order'],
    [reply.body.refresh_token, 'refresh'],
  ]) {
    const { token_type, order_id: named } = claimsOf(token);
    assert.deepEqual([token_type, named], [type, order_id]);
  }
});

test('without expires_at the order lapses after 90 days. Contract 19.2', async () => {
  for (const expires_at of [undefined, null, '']) {
    const { body } = await link(orderBody({ expires_at }));
    const seconds = Date.parse(body.expires_at) - Date.parse(`${body.order_date}Z`);
    assert.equal(seconds, 90 * 86_400_000);
  }
});

test('the order is the same as that of create order in every other way', async () => {
  const body = fullOrderBody();
  const other = { ...body, invoice_id: `${body.invoice_id}-plain` };
  const [linked, plain] = [await link(body), await create(other)];
  const get = async (reply: Reply) => {
    const path = `/api/v3/order?order_id=${reply.body.order_id}`;
    const found = await service.call(path, { token: account.token });
    const { order_id, order_date, invoice_id, ...rest } = withoutTokens(found.body);
    return rest;
  };
  assert.deepEqual(await get(linked), await get(plain));
});

test('an order in a currency with an alternate is converted', async () => {
  const alternateCurrencies = [{ from: 'USD', to: 'INR', rate: '83.25' }];
  const { token } = await service.createAccount({ alternateCurrencies });
  const { body } = await link(orderBody({ currency: 'USD' }), token);
  assert.deepEqual([body.currency, body.total_amount], ['INR', 9823.5]);
  assert.equal(body.currency_conversion.original_total_amount, 118);
});

test('expires_at is taken in UTC as existing clients write it. Contract 19.2', async () => {
  const expires_at = `${inDays(30).slice(0, 19)}Z`;
  const sent = expires_at.replace('T', ' ').slice(0, -1);
  const { status, body } = await link(orderBody({ expires_at: sent }));
  assert.equal(status, 200, JSON.stringify(body));
  assert.equal(Date.parse(body.expires_at), Date.parse(expires_at));
});

test('an encrypted payload is accepted and the reply is encrypted', async () => {
  const sealing = await service.createAccount({ encryptedPayloads: true });
  const sealed = sealPayload(JSON.stringify(orderBody()), sealing.accessSecret);
  const reply = await link({ encrypted_payload: sealed }, sealing.token);
  assert.deepEqual(Object.keys(reply.body), ['encrypted_response']);
  const opened = openPayload(reply.body.encrypted_response, sealing.accessSecret);
  assert.match(JSON.parse(String(opened)).payment_link, /^http:\/\/service\.test\/l\/\w{32}$/);
});

test('the same request returns the same order and the same link, with new tokens', async () => {
  const expires_at = '2027-01-01T00:00:00+05:30';
  const body = orderBody({ expires_at });
  const first = await link(body);
  // The same time and the same amount in other words.
  const again = await link({ ...body, expires_at: '2026-12-31T18:30:00.000Z', tax: '18.00' });
  assert.equal(again.status, 200, JSON.stringify(again.body));
  assert.equal(again.headers.get('idempotent-replayed'), 'true');
  assert.deepEqual(withoutTokens(again.body), withoutTokens(first.body));
  assert.notEqual(again.body.token, first.body.token);
  assert.equal(await countLinks(first), 1);
});

test('create order with the same content returns the order of a link, without the link', async () => {
  const body = orderBody();
  const linked = await link(body);
  const created = await create(body);
  assert.equal(created.status, 200);
  assert.equal(created.headers.get('idempotent-replayed'), 'true');
  const { payment_link, expires_at, ...order } = withoutTokens(linked.body);
  const { payment_link_id, payment_link_url, short_url, ...plain } = order;
  assert.deepEqual(withoutTokens(created.body), { ...plain, status: 'new' });
});

test('a link with the same content as an order of create order is added to it, once', async () => {
  const body = orderBody();
  const created = await create(body);
  assert.equal(await countLinks(created), 0);
  const linked = await link(body);
  assert.equal(linked.status, 200);
  assert.equal(linked.headers.get('idempotent-replayed'), 'true');
  assert.equal(linked.body.order_id, created.body.order_id);
  const again = await link(body);
  assert.equal(again.body.payment_link, linked.body.payment_link);
  assert.equal(await countLinks(created), 1);
});

test('two accounts can have links for the same invoice', async () => {
  const other = await service.createAccount();
  const body = orderBody();
  const [own, others] = [await link(body), await link(body, other.token)];
  assert.notEqual(own.body.order_id, others.body.order_id);
  assert.notEqual(own.body.payment_link, others.body.payment_link);
});

test('the id of a link is not logged', async () => {
  const { body } = await link(orderBody());
  const linkId = body.payment_link.slice(-32);
  await service.call(`/l/${linkId}`, { method: 'DELETE' });
  await service.call(`/l/${linkId}`);
  assert.ok(!service.logText().includes(linkId));
});

function link(body: unknown, token = account.token): Promise<Reply> {
  return service.call('/api/v3/payment-link', { token, body });
}

function create(body: unknown): Promise<Reply> {
  return service.call('/api/v3/create-order', { token: account.token, body });
}

async function countLinks({ body }: Reply): Promise<number> {
  const { rows } = await service.database.query({
    text: 'select 1 from payment_links where order_id = $1',
    values: [body.order_id],
  });
  return rows.length;
}
