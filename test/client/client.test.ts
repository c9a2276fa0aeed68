import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createClient, ServiceCallError, verifySignature } from 'payment-order-service/client';
import { currencyCodes, getExponent } from '../../src/domain/currency.ts';
import { signTransaction } from '../../src/security/transaction-signature.ts';
import { partnerEvent, partnerPayment, sendPartner } from '../support/deliveries.ts';
import { orderBody } from '../support/order-bodies.ts';
import { startTestService, type TestAccount } from '../support/test-service.ts';

const service = await startTestService();
const account = await service.createAccount({ encryptedPayloads: true });
type NewOrder = Parameters<ReturnType<typeof createClient>['createOrder']>[0];

for (const encrypted of [false, true]) {
  test(`an order travels through the client, ${encrypted ? 'sealed' : 'plain'}`, async () => {
    const client = clientOf(account, { encrypted });
    const body = orderBody() as NewOrder;
    const order = await client.createOrder(body);
    assert.equal(order.invoice_id, body.invoice_id);
    const { order_id, invoice_id } = order;
    assert.equal((await client.getOrder({ order_id })).order_id, order_id);
    assert.ok((await client.refreshToken(order.refresh_token ?? '')).token);

    const payment = partnerPayment({ notes: { svc_order_id: order_id } });
    await sendPartner(service, account, partnerEvent('payment.captured', { payment }));
    const enquiry = await client.transactionEnquiry({ invoice_id });
    assert.equal(enquiry.order.status, 'completed');
    const [transaction] = enquiry.transaction;
    assert.ok(transaction);
    assert.equal(await client.verifySignature(transaction, invoice_id), true);
    assert.equal(await client.verifySignature(transaction, 'another'), false);
    const changed = { ...transaction, transaction_amount: 1180 };
    assert.equal(await client.verifySignature(changed, invoice_id), false);
  });
}

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

test('wrong credentials are told, not tried for ever', async () => {
  const client = clientOf({ ...account, accessSecret: 'access_secret_wrong' });
  await assert.rejects(client.getOrder({ invoice_id: 'x' }), { code: 'AUTHENTICATION_FAILED' });
});

test('many calls at once ask for one token', async () => {
  const asked: string[] = [];
  const client = clientOf(account, { fetch: watching(asked) });
  const bodies = Array.from({ length: 20 }, () => orderBody() as NewOrder);
  await Promise.all(bodies.map((body) => client.createOrder(body)));
  assert.equal(asked.filter((url) => url.endsWith('/generate-token')).length, 1);
});

test('a token that is refused is renewed once, and the call repeated', async () => {
  const asked: string[] = [];
  let refusals = 1;
  const client = clientOf(account, {
    fetch: async (url, init) => {
      asked.push(String(url));
      if (String(url).includes('/order?') && refusals-- > 0) {
        return new Response('{"error":{"svc_error_code":"TOKEN_EXPIRED"}}', { status: 401 });
      }
      return fetch(url, init);
    },
  });
  const { order_id } = await client.createOrder(orderBody() as NewOrder);
  assert.equal((await client.getOrder({ order_id })).order_id, order_id);
  assert.equal(asked.filter((url) => url.endsWith('/generate-token')).length, 2);
});

test('what was not answered, or answered "not now", is tried again and makes one order', async () => {
  let troubles = 0;
  const client = clientOf(account, {
    fetch: async (url, init) => {
      troubles += 1;
      if (troubles === 2)
        return new Response('{}', { status: 503, headers: { 'retry-after': '0' } });
      // Sent, but the answer is lost.
      const response = await fetch(url, init);
      if (troubles === 3) throw new TypeError('fetch failed');
      return response;
    },
  });
  const body = orderBody() as NewOrder;
  const order = await client.createOrder(body);
  assert.equal((await client.createOrder(body)).order_id, order.order_id);
});

test('signatures of every currency and version are verified', async () => {
  const secret = account.accessSecret;
  for (const currency of currencyCodes) {
    for (const version of ['v2', 'v3'] as const) {
      const amount = 123_456_789;
      const signed = {
        invoiceId: 'INV-1',
        transactionId: 'o_1-1',
        amount,
        currency,
        status: 'succeeded',
        transactionType: 'payment',
      };
      const answer = {
        svc_transaction_id: 'o_1-1',
        transaction_amount: amount / 10 ** getExponent(currency),
        transaction_currency: currency,
        payment_status: 'succeeded',
        refund_status: null,
        transaction_type: 'payment',
        signature_version: version,
        svc_signature: signTransaction(signed, version, secret),
      } as Parameters<typeof verifySignature>[0];
      assert.equal(await verifySignature(answer, 'INV-1', secret), true, currency);
      assert.equal(
        await verifySignature({ ...answer, svc_signature: null }, 'INV-1', secret),
        false,
      );
    }
  }
});

function clientOf(
  { accessKey, accessSecret }: Pick<TestAccount, 'accessKey' | 'accessSecret'>,
  options: { encrypted?: boolean; fetch?: typeof fetch } = {},
) {
  return createClient({ baseUrl: service.baseUrl, accessKey, accessSecret, ...options });
}

function watching(asked: string[]): typeof fetch {
  return (url, init) => {
    asked.push(String(url));
    return fetch(url, init);
  };
}
