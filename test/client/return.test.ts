import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createClient, readReturn, UntrustedDataError } from '../../client/client.js';
import { findCheckout, type JourneyShop, startJourney } from '../support/journey.ts';
import { orderBody } from '../support/order-bodies.ts';
import { type ReturnedPayload, visit } from '../support/returns.ts';

const { service, simulator, openShop } = await startJourney();
const shops = { v2: await openShop({ signatureVersion: 'v2' }), v3: await openShop() };

const outcomes = [
  ['v3', 'pay', 'success'],
  ['v3', 'decline', 'failed'],
  ['v3', undefined, 'pending'],
  ['v2', 'pay', 'success'],
  ['v2', 'decline', 'failed'],
] as const;
for (const [signatureVersion, action, status] of outcomes) {
  test(`a result that is ${status} and signed by ${signatureVersion} is accepted`, async () => {
    const { accessSecret } = shops[signatureVersion];
    const { response, order_id, invoice_id } = await returned(shops[signatureVersion], action);
    const payload = await readReturn({ response, accessSecret, signatureVersion });
    assert.equal(payload.status, status);
    assert.equal(payload.svc_order_id, order_id);
    assert.equal(payload.invoice_id, invoice_id);
    assert.equal(payload.transaction.signature, payload.svc_signature);
    const both = ['access_secret_other', accessSecret];
    assert.deepEqual(await readReturn({ response, accessSecret: both, signatureVersion }), payload);
    // Some frameworks do not decode the query string.
    const escaped = encodeURIComponent(response);
    assert.deepEqual(
      await readReturn({ response: escaped, accessSecret, signatureVersion }),
      payload,
    );
  });
}

test('a pending result of v2 has no signature and needs an enquiry', async () => {
  const { accessSecret } = shops.v2;
  const { response } = await returned(shops.v2, undefined);
  const reading = readReturn({ response, accessSecret, signatureVersion: 'v2' });
  await assert.rejects(reading, { code: 'UNSIGNED_RESULT', message: /transactionEnquiry/ });
});

const forgeries: [name: string, forge: (payload: ReturnedPayload) => unknown][] = [
  ['another status', (payload) => ({ ...payload, status: 'success' })],
  [
    'another status of the payment',
    (payload) => withTransaction(payload, { payment_status: 'succeeded' }),
  ],
  [
    'both statuses',
    (payload) => ({
      ...withTransaction(payload, { payment_status: 'succeeded', status: 'succeeded' }),
      status: 'success',
    }),
  ],
  ['another alias of the status', (payload) => withTransaction(payload, { status: 'succeeded' })],
  ['another amount', (payload) => withTransaction(payload, { transaction_amount: 1 })],
  ['another currency', (payload) => withTransaction(payload, { transaction_currency: 'JPY' })],
  ['another invoice', (payload) => ({ ...payload, invoice_id: 'INV-OTHER' })],
  [
    'another invoice of the order',
    (payload) => ({
      ...payload,
      order: { ...payload.order, invoice_id: 'INV-OTHER' },
    }),
  ],
  ['another order', (payload) => ({ ...payload, svc_order_id: 'o_other' })],
  ['another transaction', (payload) => ({ ...payload, svc_transaction_id: 'o_other-1' })],
  ['another signature', (payload) => ({ ...payload, svc_signature: 'a'.repeat(64) })],
  [
    'no signature',
    (payload) => ({
      ...withTransaction(payload, { svc_signature: null, signature: null }),
      svc_signature: null,
    }),
  ],
  [
    'another version',
    (payload) => ({
      ...withTransaction(payload, { signature_version: 'v2' }),
      signature_version: 'v2',
    }),
  ],
  ['a refund', (payload) => withTransaction(payload, { transaction_type: 'full_refund' })],
  ['no transaction', ({ transaction: _gone, ...payload }) => payload],
  ['nothing', () => undefined],
];
for (const [name, forge] of forgeries) {
  test(`a result with ${name} is refused`, async () => {
    const { accessSecret } = shops.v3;
    const { response } = await returned(shops.v3, 'decline');
    const { payload } = JSON.parse(Buffer.from(response, 'base64').toString('utf8'));
    const forged = Buffer.from(JSON.stringify({ payload: forge(payload) })).toString('base64');
    await assert.rejects(readReturn({ response: forged, accessSecret }), UntrustedDataError);
  });
}

test('a payload that is not a result, or is signed with another secret, is refused', async () => {
  const { accessSecret } = shops.v3;
  const { response } = await returned(shops.v3, 'pay');
  const refused = { code: 'INVALID_SIGNATURE' };
  await assert.rejects(readReturn({ response, accessSecret: 'access_secret_other' }), refused);
  await assert.rejects(readReturn({ response, accessSecret: [] }), refused);
  await assert.rejects(readReturn({ response, accessSecret, signatureVersion: 'v2' }), refused);
  const texts = ['', 'x', '%', 'bnVsbA==', 'e30=', response.slice(0, -8), null, undefined];
  for (const text of texts) {
    const reading = readReturn({ response: text, accessSecret });
    await assert.rejects(
      reading,
      { name: 'UntrustedDataError', code: 'INVALID_RESULT' },
      `${text}`,
    );
  }
});

test('a client verifies with its own secret and version', async () => {
  const { accessKey, accessSecret } = shops.v2;
  const client = createClient({
    baseUrl: service.baseUrl,
    accessKey,
    accessSecret,
    signatureVersion: 'v2',
  });
  const { response } = await returned(shops.v2, 'pay');
  assert.equal((await client.readReturn(response)).status, 'success');
});

function withTransaction(payload: ReturnedPayload, fields: object) {
  return { ...payload, transaction: { ...payload.transaction, ...fields } };
}

/** The query that the shop's page receives. */
async function returned(account: JourneyShop, action: 'pay' | 'decline' | undefined) {
  const client = createClient({ baseUrl: service.baseUrl, ...account });
  const body = orderBody({ callback_url: 'https://shop.example/back' });
  const { order_id, invoice_id } = await client.createOrder(body as never);
  const payment = await client.initiatePayment({ order_id, payment_mode_code: 'credit_card' });
  if (action) await simulator.pay(await findCheckout(payment.next[0]?.url ?? ''), action);
  await simulator.settled();
  const page = `${service.baseUrl}/pay/${account.accountId}/${payment.transaction_id}/return`;
  const { location } = await visit(`${page}?until=0`);
  const response = new URL(location ?? '').searchParams.get('response') ?? '';
  return { response, order_id, invoice_id };
}
