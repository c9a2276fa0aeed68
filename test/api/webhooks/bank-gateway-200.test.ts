import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gatewayBody, toFormData } from '../../support/deliveries.ts';
import type { Reply } from '../../support/test-service.ts';
import {
  assertInvariants,
  assertReceived,
  type CreatedOrder,
  gatewayPaymentOf,
  openShop,
} from './shop.ts';

const shop = await openShop();

type Fields = Record<string, unknown>;

const pending = { result: 'PENDING', response: { gatewayCode: 'PENDING' } };
const declined = {
  result: 'FAILURE',
  response: { gatewayCode: 'INSUFFICIENT_FUNDS', acquirerMessage: 'No funds', acquirerCode: '51' },
};
const authorization = { transaction: { type: 'AUTHORIZATION' } };
const failedAuthentication = {
  result: 'FAILURE',
  order: { status: 'AUTHENTICATION_UNSUCCESSFUL' },
  transaction: { type: 'AUTHENTICATION', authenticationStatus: 'AUTHENTICATION_UNSUCCESSFUL' },
};

const outcomes: [name: string, changes: Fields, payment: string, order: string][] = [
  ['a payment', {}, 'succeeded', 'completed'],
  ['a declined payment', declined, 'failed', 'pending'],
  ['a pending payment', pending, 'pending', 'pending'],
  ['an authorization', authorization, 'authorized', 'pending'],
  ['a failed authentication', failedAuthentication, 'failed', 'pending'],
  ['a payment without result', { result: undefined }, 'succeeded', 'completed'],
];
for (const [name, changes, paymentStatus, orderStatus] of outcomes) {
  test(`${name} makes the payment ${paymentStatus} and the order ${orderStatus}, as JSON and as form data`, async () => {
    const enquiries: Reply[] = [];
    for (const isForm of [false, true]) {
      const order = await shop.createOrder();
      const body = gatewayPaymentOf(order, changes);
      const reply = await shop.sendGateway(isForm ? toFormData(body) : body);
      assertReceived(reply, { status: 'processed', order_id: order.order_id });
      enquiries.push(await shop.enquire({ order_id: order.order_id }));
    }
    for (const { body } of enquiries) {
      assert.equal(body.order.status, orderStatus);
      assert.equal(body.transaction[0].payment_status, paymentStatus);
    }
    const [json, form] = enquiries.map(({ body }) => withoutIds(body.transaction[0]));
    assert.deepEqual(form, json);
  });
}

const namings: [name: string, changes: (order: CreatedOrder) => Fields][] = [
  ['order.id, our order id', ({ order_id }) => ({ order: { id: order_id } })],
  ['order.id, our invoice id', ({ invoice_id }) => ({ order: { id: invoice_id } })],
  ['order.reference', ({ order_id }) => ({ order: { id: 'GW-1', reference: order_id } })],
  [
    'transaction.reference',
    ({ invoice_id }) => ({ order: { id: 'GW-2' }, transaction: { reference: invoice_id } }),
  ],
];
for (const [name, changes] of namings) {
  test(`a payment finds its order by ${name}`, async () => {
    const order = await shop.createOrder();
    const reply = await shop.sendGateway(gatewayBody(changes(order)));
    assertReceived(reply, { status: 'processed', order_id: order.order_id });
  });
}

test('a payment finds the order of the transaction that order.id names', async () => {
  const order = await shop.createOrder();
  const { order_id } = order;
  await shop.sendGateway(gatewayPaymentOf(order, declined));
  const [{ svc_transaction_id }] = (await shop.enquire({ order_id })).body.transaction;
  const reply = await shop.sendGateway(gatewayPaymentOf({ order_id: svc_transaction_id }));
  assertReceived(reply, { status: 'processed', order_id });
});

test('an order.id that names an order wins over a reference that names another', async () => {
  const [named, other] = [await shop.createOrder(), await shop.createOrder()];
  const body = gatewayPaymentOf(named, { order: { reference: other.order_id } });
  assertReceived(await shop.sendGateway(body), { status: 'processed', order_id: named.order_id });
  assert.deepEqual((await shop.enquire({ order_id: other.order_id })).body.transaction, []);
});

test('an authentication that did not fail makes no transaction', async () => {
  const order = await shop.createOrder();
  const { order_id } = order;
  const body = gatewayPaymentOf(order, {
    order: { status: 'AUTHENTICATED' },
    transaction: { type: 'AUTHENTICATION', id: 'auth-1' },
  });
  assertReceived(await shop.sendGateway(body), { status: 'stale', order_id });
  assert.deepEqual((await shop.enquire({ order_id })).body.transaction, []);
});

test('newer content under the same transaction id updates the payment', async () => {
  const order = await shop.createOrder();
  const { order_id } = order;
  const steps: [changes: Fields, time: string, status: string][] = [
    [pending, '2026-11-14T10:00:31.000Z', 'pending'],
    [declined, '2026-11-14T10:05:00.000Z', 'failed'],
    [{}, '2026-11-14T10:10:00.000Z', 'succeeded'],
  ];
  for (const [changes, timeOfLastUpdate, status] of steps) {
    const body = { ...gatewayPaymentOf(order, changes), timeOfLastUpdate };
    assertReceived(await shop.sendGateway(body), { status: 'processed', order_id });
    const { transaction } = (await shop.enquire({ order_id })).body;
    assert.equal(transaction.length, 1);
    assert.equal(transaction[0].payment_status, status);
  }
});

test('a declined second attempt leaves the captured order completed', async () => {
  const order = await shop.createOrder();
  const { order_id } = order;
  await shop.sendGateway(gatewayPaymentOf(order));
  const second = gatewayPaymentOf(order, { ...declined, transaction: { id: '2' } });
  assertReceived(await shop.sendGateway(second), { status: 'processed', order_id });
  const { body } = await shop.enquire({ order_id });
  assert.deepEqual(
    body.transaction.map((entry: Reply['body']) => entry.payment_status),
    ['succeeded', 'failed'],
  );
  assert.equal(body.order.status, 'completed');
});

test('captures of an authorization succeed together when they reach the amount', async () => {
  const order = await shop.createOrder();
  const { order_id } = order;
  const capture = (id: string, amount: number, totalCapturedAmount: number) =>
    gatewayPaymentOf(order, {
      order: { totalCapturedAmount },
      transaction: { id, type: 'CAPTURE', targetTransactionId: '1', amount },
    });
  await shop.sendGateway(gatewayPaymentOf(order, authorization));
  await shop.sendGateway(capture('2', 100, 100));
  assert.equal((await shop.enquire({ order_id })).body.order.status, 'pending');
  await shop.sendGateway(capture('3', 18, 118));
  const { body } = await shop.enquire({ order_id });
  assert.equal(body.order.status, 'completed');
  assert.deepEqual(
    body.transaction.map((entry: Reply['body']) => [
      entry.payment_status,
      entry.transaction_amount,
    ]),
    [['succeeded', 118]],
  );
});

for (const type of ['VERIFICATION', 'DISBURSEMENT', 'SOMETHING_NEW']) {
  test(`a transaction of type ${type} is stored, ignored and not flagged`, async () => {
    const order = await shop.createOrder();
    const { order_id } = order;
    await shop.sendGateway(gatewayPaymentOf(order));
    const before = (await shop.enquire({ order_id })).body;
    const body = gatewayPaymentOf(order, { transaction: { id: '9', type } });
    const reply = await shop.sendGateway(body);
    assertReceived(reply, {
      status: 'ignored',
      message: `transactions of type ${type} are not acted on`,
    });
    const kept = await shop.findDelivery(reply);
    assert.deepEqual([kept?.state, kept?.flags], ['ignored', []]);
    assert.deepEqual((await shop.enquire({ order_id })).body, before);
  });
}

test('a bearer caller gets the same reply as the gateway, with and without account id', async () => {
  for (const path of ['', `/${shop.account.accountId}`]) {
    const { order_id } = await shop.createOrder();
    const call = { token: shop.account.token, body: gatewayPaymentOf({ order_id }) };
    const send = () => shop.service.call(`/api/v3/webhooks/bank-gateway${path}`, call);
    assertReceived(await send(), { status: 'processed', order_id });
    assertReceived(await send(), { status: 'duplicate', order_id });
  }
});

test('the invariants hold after all of this', () => assertInvariants(shop));

function withoutIds(transaction: Fields): Fields {
  const { svc_transaction_id, psp_transaction_id, svc_signature, ...others } = transaction;
  assert.ok(svc_transaction_id && psp_transaction_id);
  return { ...others, isSigned: svc_signature !== null };
}
