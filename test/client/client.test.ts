import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createClient, ServiceCallError } from '../../client/client.js';
import { commandLine } from '../../src/domain/audit.ts';
import { rotateSecret } from '../../src/use-cases/accounts/rotate-secret.ts';
import { partnerEvent, partnerPayment, sendPartner } from '../support/deliveries.ts';
import { orderBody } from '../support/order-bodies.ts';
import { startTestService, type TestAccount } from '../support/test-service.ts';

const service = await startTestService();
const account = await service.createAccount({ encryptedPayloads: true });
type NewOrder = Parameters<ReturnType<typeof createClient>['createOrder']>[0];

for (const encrypted of [false, true]) {
  test(`the client creates, reads, updates and enquires an order, ${encrypted ? 'sealed' : 'plain'}`, async () => {
    const client = clientOf(account, { encrypted });
    const body = orderBody() as NewOrder;
    const order = await client.createOrder(body);
    assert.equal(order.invoice_id, body.invoice_id);
    const { order_id, invoice_id } = order;
    assert.equal((await client.getOrder({ order_id })).order_id, order_id);
    assert.ok((await client.refreshToken(order.refresh_token ?? '')).token);
    const updated = await client.updateOrder({ order_id, shipping_address: { city: 'Pune' } });
    assert.deepEqual(updated.shipping_address, { city: 'Pune' });
    const { user } = await client.resolveUser({ order_id, mobile_number: '9876543210' });
    assert.deepEqual(user, order.user);

    const payment = partnerPayment({ notes: { svc_order_id: order_id } });
    await sendPartner(service, account, partnerEvent('payment.captured', { payment }));
    const enquiry = await client.transactionEnquiry({ invoice_id });
    assert.equal(enquiry.order.status, 'completed');
    const [transaction] = enquiry.transaction;
    assert.ok(transaction);
    assert.equal(await client.verifySignature(transaction, invoice_id), 'valid');
    const refused = { code: 'INVALID_SIGNATURE' };
    await assert.rejects(client.verifySignature(transaction, 'another'), refused);
    const changed = { ...transaction, transaction_amount: 1180 };
    await assert.rejects(client.verifySignature(changed, invoice_id), refused);
  });
}

test('the client creates a payment link, plain and sealed, and a repeat returns the same one', async () => {
  const expires_at = new Date(Date.now() + 7 * 86_400_000).toISOString();
  const order = { ...(orderBody() as NewOrder), expires_at };
  const links = [];
  for (const encrypted of [false, true]) {
    const created = await clientOf(account, { encrypted }).createPaymentLink(order);
    assert.equal(created.invoice_id, order.invoice_id);
    assert.equal(created.expires_at, expires_at);
    links.push(created.payment_link);
  }
  assert.match(links[0] ?? '', /^http:\/\/service\.test\/l\/[0-9A-Za-z]{32}$/);
  assert.equal(links[1], links[0]);
});

test('the client enquires, changes and cancels a payment link, plain and sealed', async () => {
  for (const encrypted of [false, true]) {
    const client = clientOf(account, { encrypted });
    const { payment_link_id } = await client.createPaymentLink(orderBody() as NewOrder);
    const changed = await client.updatePaymentLink({ payment_link_id, total_amount: 236 });
    assert.equal(changed.total_amount, 236);
    assert.equal((await client.cancelPaymentLink({ payment_link_id })).status, 'cancelled');
    const { status, total_amount } = await client.enquirePaymentLink({ payment_link_id });
    assert.deepEqual([status, total_amount], ['cancelled', 236]);
  }
});

test('a refusal is thrown with its code and both messages', async () => {
  for (const encrypted of [false, true]) {
    const client = clientOf(account, { encrypted });
    await assert.rejects(
      client.createOrder(orderBody({ currency: 'XYZ' }) as NewOrder),
      (error) => {
        assert.ok(error instanceof ServiceCallError);
        assert.equal(error.status, 400);
        assert.equal(error.code, 'INVALID_REQUEST_PARAMETER');
        assert.match(error.merchantMessage, /^currency /);
        assert.ok(error.consumerMessage);
        assert.ok(error.requestId);
        return true;
      },
    );
  }
});

test('wrong credentials are reported and not retried', async () => {
  const client = clientOf({ ...account, accessSecret: 'access_secret_wrong' });
  await assert.rejects(client.getOrder({ invoice_id: 'x' }), { code: 'AUTHENTICATION_FAILED' });
});

test('concurrent calls request one token', async () => {
  const urls: string[] = [];
  const client = clientOf(account, { fetch: recording(urls) });
  const bodies = Array.from({ length: 20 }, () => orderBody() as NewOrder);
  await Promise.all(bodies.map((body) => client.createOrder(body)));
  assert.equal(urls.filter((url) => url.endsWith('/generate-token')).length, 1);
});

test('a token that is refused is renewed once, and the call repeated', async () => {
  const urls: string[] = [];
  let refusals = 1;
  const client = clientOf(account, {
    fetch: async (url, init) => {
      urls.push(String(url));
      if (String(url).includes('/order?') && refusals-- > 0) {
        return new Response('{"error":{"svc_error_code":"TOKEN_EXPIRED"}}', { status: 401 });
      }
      return fetch(url, init);
    },
  });
  const { order_id } = await client.createOrder(orderBody() as NewOrder);
  assert.equal((await client.getOrder({ order_id })).order_id, order_id);
  assert.equal(urls.filter((url) => url.endsWith('/generate-token')).length, 2);
});

test('a call without an answer, or answered 503, is retried and creates one order', async () => {
  let calls = 0;
  const client = clientOf(account, {
    fetch: async (url, init) => {
      calls += 1;
      if (calls === 2) return new Response('{}', { status: 503, headers: { 'retry-after': '0' } });
      // The request is sent and the answer is lost.
      const response = await fetch(url, init);
      if (calls === 3) throw new TypeError('fetch failed');
      return response;
    },
  });
  const body = orderBody() as NewOrder;
  const order = await client.createOrder(body);
  assert.equal((await client.createOrder(body)).order_id, order.order_id);
});

test('during a rotation a client with either secret can verify its replies', async () => {
  const rotating = await service.createAccount();
  const { order_id } = await clientOf(rotating).createOrder(orderBody() as NewOrder);
  const payment = partnerPayment({ notes: { svc_order_id: order_id } });
  await sendPartner(service, rotating, partnerEvent('payment.captured', { payment }));
  const { secret } = await rotateSecret(
    service.services,
    rotating.accountId,
    'access-secret',
    600,
    commandLine,
  );
  for (const accessSecret of [rotating.accessSecret, secret]) {
    const client = clientOf({ ...rotating, accessSecret });
    const answer = await untilKnown(() => client.transactionEnquiry({ order_id }));
    const [transaction] = answer.transaction;
    assert.ok(transaction);
    assert.equal(await client.verifySignature(transaction, answer.order.invoice_id), 'valid');
  }
});

test('a plain success in reply to a sealed request is refused', async () => {
  const client = clientOf(account, {
    encrypted: true,
    fetch: async (url, init) =>
      String(url).endsWith('/transaction-enquiry')
        ? new Response('{"order":{"status":"completed"}}')
        : fetch(url, init),
  });
  await assert.rejects(client.transactionEnquiry({ invoice_id: 'x' }), { code: 'UNSEALED_REPLY' });
});

test('concurrent calls with an expired token renew it once', async () => {
  const urls: string[] = [];
  const client = clientOf(account, {
    fetch: async (url, init) => {
      urls.push(String(url));
      const response = await fetch(url, init);
      if (!String(url).endsWith('/generate-token') || urls.length > 1) return response;
      // The first token expires immediately.
      const { token } = (await response.json()) as { token: string };
      return Response.json({ token, expires_at: new Date().toISOString() });
    },
  });
  await client.createOrder(orderBody() as NewOrder);
  const bodies = Array.from({ length: 20 }, () => orderBody() as NewOrder);
  await Promise.all(bodies.map((body) => client.createOrder(body)));
  assert.equal(urls.filter((url) => url.endsWith('/generate-token')).length, 2);
});

/** Retries until the service knows a new secret, which takes at most a second. */
async function untilKnown<Answer>(ask: () => Promise<Answer>): Promise<Answer> {
  const deadline = Date.now() + 3_000;
  for (;;) {
    try {
      return await ask();
    } catch (error) {
      if (Date.now() > deadline) throw error;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
}

function clientOf(
  { accessKey, accessSecret }: Pick<TestAccount, 'accessKey' | 'accessSecret'>,
  options: { encrypted?: boolean; fetch?: typeof fetch } = {},
) {
  return createClient({ baseUrl: service.baseUrl, accessKey, accessSecret, ...options });
}

function recording(urls: string[]): typeof fetch {
  return (url, init) => {
    urls.push(String(url));
    return fetch(url, init);
  };
}
