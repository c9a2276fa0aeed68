/** The reads of older SDKs: the reply of the enquiry, with what was asked for. Contract 11.11. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openPayload, sealPayload } from '../../../src/security/sealed-payload.ts';
import { partnerEvent, partnerRefund, sendPartner } from '../../support/deliveries.ts';
import { startJourney } from '../../support/journey.ts';
import { orderBody } from '../../support/order-bodies.ts';

type Element = Readonly<Record<string, unknown>>;

const { service, simulator, shop, openShop, createOrder, createPaid, pay, refund, enquire } =
  await startJourney();
const { token } = shop;
const order_id = await createOrder({ invoice_id: 'OLDER-1' });
const invoice_id = 'OLDER-1';
const declined = await pay(order_id, 'credit_card', 'decline');
await simulator.settled();
const paid = await pay(order_id);
await simulator.settled();
const refunds = [];
for (const refund_request_id of ['RETURN-1', 'RETURN-2']) {
  const { body } = await refund({ transaction_id: paid, refund_amount: 10, refund_request_id });
  refunds.push(String(body.transaction_id));
}
await simulator.settled();
const [first = '', second = ''] = refunds;
const enquiry = (await enquire({ order_id })).body;

const reads: [path: string, ids: object, expected: string[]][] = [
  ['fetch-transaction', { transaction_id: paid }, [paid]],
  ['fetch-transaction', { svc_transaction_id: declined }, [declined]],
  ['fetch-transaction', { transaction_id: first, order_id }, [first]],
  ['order/fetch-transactions', { order_id }, [declined, paid]],
  ['order/fetch-transactions', { invoice_id, transaction_id: null }, [declined, paid]],
  ['fetch-refund', { transaction_id: first }, [first]],
  ['fetch-refund', { svc_transaction_id: second }, [second]],
  ['fetch-refund', { refund_request_id: 'RETURN-2' }, [second]],
  ['fetch-refund', { refund_request_id: 'RETURN-1', order_id }, [first]],
  ['fetch-refund', { refund_request_id: 'RETURN-1', transaction_id: first }, [first]],
  ['order/fetch-refunds', { order_id }, [first, second]],
  ['order/fetch-refunds', { invoice_id }, [first, second]],
  ['transaction/fetch-refunds', { transaction_id: paid }, [first, second]],
  ['transaction/fetch-refunds', { transaction_id: paid, order_id, invoice_id }, [first, second]],
  ['transaction/fetch-refunds', { transaction_id: declined }, []],
];
for (const [path, ids, expected] of reads) {
  const names = Object.keys(ids).join(' and ');
  test(`${path} by ${names} is the enquiry, with ${expected.length} of its transactions`, async () => {
    const { status, body } = await service.call(`/api/v2/${path}`, { token, body: ids });
    assert.equal(status, 200, JSON.stringify(body));
    const shown = { ...enquiry, transaction: elementsOf(expected) };
    assert.deepEqual(body, { ...shown, ...olderFields(path, expected) });
    const [id, ...more] = Object.values(ids);
    if (more.length > 0 || ['invoice_id', 'refund_request_id'].includes(names)) return;
    const byPath = await service.call(`/api/v2/${path}/${id}`, { token });
    assert.deepEqual([byPath.status, byPath.body], [200, body]);
  });
}

/** A single transaction is at the top, several are in a list of their own name. */
function olderFields(path: string, ids: readonly string[]): object {
  const named = elementsOf(ids).map((element) => ({
    ...element,
    transaction_id: element.svc_transaction_id,
    signature: element.svc_signature,
    ...(element.transaction_type === 'payment'
      ? { status: element.payment_status }
      : { refund_amount: element.transaction_amount }),
  }));
  if (path.startsWith('fetch-')) return named[0] ?? {};
  return path.endsWith('transactions') ? { transactions: named } : { refunds: named };
}

test('get-order is the order of v3, and the enquiry', async () => {
  const { status, body } = await service.call(`/api/v2/get-order/${order_id}`, { token });
  const order = await service.call(`/api/v3/order?order_id=${order_id}`, { token });
  const { token: _own, token_expiration, ...others } = body;
  assert.ok(token_expiration);
  const { token: _other, token_expiration: _expiration, ...expected } = order.body;
  assert.deepEqual([status, others], [200, { ...expected, ...enquiry }]);
  assert.equal(body.transaction.length, 4);
});

test('refund is that of v3', async () => {
  const { transactionId } = await createPaid();
  const body = { transaction_id: transactionId, refund_amount: '10.00', order_id: 'not read' };
  const reply = await service.call('/api/v2/refund', { token, body });
  assert.deepEqual(
    [reply.status, reply.body.original_payment_transaction_id, reply.body.transaction_type],
    [200, transactionId, 'partial_refund'],
  );
});

test('an order token reads its own order, without naming it, and its own data masked', async () => {
  const body = orderBody();
  const created = await service.call('/api/v2/create-order', { token, body });
  const own = { token: created.body.token };
  const started = await service.call('/api/v3/initiate-payment', {
    ...own,
    body: { payment_mode_code: 'upi', upi_id: 'asha.rao@okbank' },
  });
  assert.equal(started.status, 200, JSON.stringify(started.body));
  const payments = await service.call('/api/v2/order/fetch-transactions', { ...own, body: {} });
  assert.deepEqual(payments.body.transaction[0].sub_payment_mode, { upi_id: 'a***o@okbank' });
  const got = await service.call(`/api/v2/get-order/${created.body.order_id}`, own);
  assert.deepEqual(got.body.transaction, payments.body.transaction);
  assert.equal(got.body.user.email, 'a***a@example.com');
  const none = await service.call('/api/v2/order/fetch-refunds', { ...own, method: 'POST' });
  assert.deepEqual([none.status, none.body.transaction], [200, []]);
});

test('a request id that was used again after its refund failed reads the later refund', async () => {
  const { orderId, transactionId } = await createPaid();
  simulator.setScenarioFor(orderId, { name: 'lost-webhook' });
  const again = { transaction_id: transactionId, refund_request_id: 'AGAIN', refund_amount: 10 };
  const one = await refund(again);
  await failRefund(transactionId, one.body.transaction_id);
  const two = await refund(again);
  assert.notEqual(two.body.transaction_id, one.body.transaction_id);
  for (const ids of [{}, { order_id: orderId }]) {
    const reply = await service.call('/api/v2/fetch-refund', {
      token,
      body: { ...ids, refund_request_id: 'AGAIN' },
    });
    assert.deepEqual(reply.body.transaction.map(idOf), [two.body.transaction_id]);
  }
});

test('generate-token and create-order are those of v3', async () => {
  const credentials = { access_key: shop.accessKey, access_secret: shop.accessSecret };
  const generated = await service.call('/api/v2/generate-token', { body: credentials });
  assert.deepEqual(Object.keys(generated.body), ['token', 'expires_at']);
  const body = orderBody();
  const call = { token: generated.body.token as string, body };
  const created = await service.call('/api/v2/create-order', call);
  const repeated = await service.call('/api/v3/create-order', call);
  assert.deepEqual([created.status, repeated.status], [200, 200]);
  assert.equal(created.body.order_id, repeated.body.order_id);
  assert.equal(repeated.headers.get('idempotent-replayed'), 'true');
});

test('a sealed read is opened, and its reply sealed', async () => {
  const sealing = await openShop({ encryptedPayloads: true });
  const call = { token: sealing.token, body: orderBody() };
  const created = await service.call('/api/v2/create-order', call);
  const ids = JSON.stringify({ order_id: created.body.order_id });
  const encrypted_payload = sealPayload(ids, sealing.accessSecret);
  const reply = await service.call('/api/v2/order/fetch-transactions', {
    token: sealing.token,
    body: { encrypted_payload },
  });
  const opened = openPayload(reply.body.encrypted_response, sealing.accessSecret);
  assert.equal(JSON.parse(String(opened)).order.invoice_id, call.body.invoice_id);
});

/** The partner reports that the refund failed. */
async function failRefund(paymentId: string, refundId: string): Promise<void> {
  const { payments, refunds: known } = simulator.ledger();
  const payment = payments.find(({ reference }) => reference === paymentId);
  const { id, amount } = known.find(({ reference }) => reference === refundId) ?? {};
  const failed = partnerRefund({ id: payment?.id }, { id, amount, status: 'failed' });
  const reply = await sendPartner(service, shop, partnerEvent('refund.failed', { refund: failed }));
  assert.equal(reply.body.status, 'processed', JSON.stringify(reply.body));
}

function idOf(element: Element): unknown {
  return element.svc_transaction_id;
}

function elementsOf(ids: readonly string[]): Element[] {
  return (enquiry.transaction as Element[]).filter((element) =>
    ids.includes(String(idOf(element))),
  );
}
