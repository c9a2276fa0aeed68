import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  caller,
  gatewayPath,
  gatewaySecret,
  type Json,
  merchantId,
  noticesOf,
  readNotification,
  shopAt,
  startShop,
} from './support.ts';

const orderId = 'o_1-260101000000';

test('a checkout session has the same fields as the real one', async (t) => {
  const { gateway } = await startShop(t);
  const { status, body } = await gateway('POST', `${gatewayPath}/session`, {
    apiOperation: 'INITIATE_CHECKOUT',
    interaction: { operation: 'PURCHASE' },
    order: { id: orderId, amount: '10.00', currency: 'INR' },
  });
  assert.equal(status, 201);
  const { session, successIndicator, ...rest } = body;
  assert.deepEqual(rest, { checkoutMode: 'WEBSITE', merchant: merchantId, result: 'SUCCESS' });
  assert.match(`${(session as Json).id}`, /^SESSION[0-9A-Za-z]{24}$/);
  assert.match(`${successIndicator}`, /^[0-9a-z]{16}$/);
});

test('an order is unknown until somebody tries to pay it', async (t) => {
  const { simulator, gateway, openSession } = await startShop(t);
  const sessionId = await openSession();
  const error = { cause: 'INVALID_REQUEST', explanation: `Unable to find order ${orderId}.` };
  assert.deepEqual(await gateway('GET', `${gatewayPath}/order/${orderId}`), {
    status: 400,
    body: { error, result: 'ERROR' },
  });
  await simulator.pay(sessionId);
  const { status, body } = await gateway('GET', `${gatewayPath}/order/${orderId}`);
  assert.equal(status, 200);
  assert.deepEqual(
    [body.id, body.status, body.amount, body.totalCapturedAmount, body.result],
    [orderId, 'CAPTURED', 10.5, 10.5, 'SUCCESS'],
  );
});

test('a payment sends notifications of its authentication and of itself, with the secret and a try counter', async (t) => {
  const { simulator, receiver, openSession } = await startShop(t);
  await simulator.pay(await openSession());
  await simulator.settled();

  assert.deepEqual(noticesOf(receiver.received), [
    'AUTHENTICATION SUCCESS auth-1',
    'PAYMENT SUCCESS 1',
  ]);
  assert.deepEqual(
    receiver.received.map((request) => readNotification(request).orderStatus),
    ['AUTHENTICATED', 'CAPTURED'],
  );
  for (const { headers, path } of receiver.received) {
    assert.equal(path, '/gateway');
    assert.equal(headers['x-notification-secret'], gatewaySecret);
    assert.equal(headers['x-notification-attempt'], '1');
    assert.match(`${headers['x-notification-id']}`, /^[0-9A-Za-z]{32}$/);
  }
  assert.deepEqual(simulator.ledger().payments, [
    {
      provider: 'bank-gateway',
      id: `${orderId}|1`,
      reference: orderId,
      amount: 1050,
      currency: 'INR',
      status: 'captured',
      captured: 1050,
      asked: 1050,
      discount: 0,
      fee: 0,
    },
  ]);
});

test('the body of a notification equals the reply of the API, as JSON or as form data', async (t) => {
  const { simulator, receiver, gateway, openSession } = await startShop(t);
  for (const webhookForm of ['json', 'form'] as const) {
    const { gateway: shop } = shopAt(receiver.url);
    simulator.register({ gateway: { ...shop, webhookForm } });
    receiver.received.length = 0;
    await simulator.pay(await openSession(webhookForm));
    await simulator.settled();

    const path = `${gatewayPath}/order/${webhookForm}/transaction/1`;
    const answer = (await gateway('GET', path)).body;
    const { body = '', headers } = receiver.received[1] ?? {};
    if (webhookForm === 'json') assert.deepEqual(JSON.parse(body), answer);
    else {
      const form = new URLSearchParams(body);
      assert.equal(headers?.['content-type'], 'application/x-www-form-urlencoded');
      assert.equal(form.get('order.totalCapturedAmount'), '10.5');
      assert.equal(form.get('sourceOfFunds.provided.card.number'), '411111xxxxxx1111');
      assert.equal(form.get('authentication.3ds2.transactionStatus'), 'Y');
      assert.equal([...form].length, leavesOf(answer));
    }
    const order = (await gateway('GET', `${gatewayPath}/order/${webhookForm}`)).body;
    assert.deepEqual((order.transaction as Json[])[1], answer);
  }
});

test('without a setting of the shop both body formats occur, the same ones for the same seed', async (t) => {
  const formsOf = async () => {
    const { simulator, receiver, openSession } = await startShop(t, { seed: 7 });
    for (let index = 0; index < 8; index += 1) await simulator.pay(await openSession(`o${index}`));
    await simulator.settled();
    return receiver.received.map(({ body }) => (body.startsWith('{') ? 'json' : 'form')).sort();
  };
  const forms = await formsOf();
  assert.deepEqual(new Set(forms), new Set(['form', 'json']));
  assert.deepEqual(await formsOf(), forms);
});

test('the notification is sent to the URL of the session', async (t) => {
  const { simulator, receiver, openSession } = await startShop(t);
  await simulator.pay(await openSession(orderId, { notificationUrl: `${receiver.url}/elsewhere` }));
  await simulator.settled();
  assert.deepEqual(
    receiver.received.map(({ path }) => path),
    ['/elsewhere', '/elsewhere'],
  );
});

test('a refund sent twice is one refund, and its id is refused with other content', async (t) => {
  const { simulator, receiver, gateway, openSession, refundAtGateway } = await startShop(t);
  await simulator.pay(await openSession());
  await simulator.settled();
  receiver.received.length = 0;
  const made = await refundAtGateway(orderId, 'r1', '4.00', { targetTransactionId: '1' });
  assert.equal(made.status, 201);
  const { type, amount } = made.body.transaction as Json;
  assert.deepEqual([type, amount, made.body.result], ['REFUND', 4, 'SUCCESS']);
  assert.deepEqual(
    await refundAtGateway(orderId, 'r1', '4.00', { targetTransactionId: '1' }),
    made,
  );
  assert.equal((await refundAtGateway(orderId, 'r1', '5.00')).status, 400);
  await simulator.settled();

  assert.deepEqual(noticesOf(receiver.received), ['REFUND SUCCESS r1']);
  const order = (await gateway('GET', `${gatewayPath}/order/${orderId}`)).body;
  assert.deepEqual([order.status, order.totalRefundedAmount], ['PARTIALLY_REFUNDED', 4]);
  assert.deepEqual(simulator.ledger().refunds, [
    {
      provider: 'bank-gateway',
      id: `${orderId}|r1`,
      paymentId: `${orderId}|1`,
      reference: 'r1',
      amount: 400,
      currency: 'INR',
      status: 'processed',
    },
  ]);
});

test('no more is refunded than was paid', async (t) => {
  const { simulator, openSession, refundAtGateway } = await startShop(t);
  await simulator.pay(await openSession());
  await refundAtGateway(orderId, 'r1', '10.00');
  const { status, body } = await refundAtGateway(orderId, 'r2', '0.51');
  assert.deepEqual([status, body.result], [400, 'ERROR']);
  assert.equal((await refundAtGateway(orderId, 'r3', '0.50')).status, 201);
});

test('a refund is refused unless its target can be refunded', async (t) => {
  const { simulator, openSession, refundAtGateway } = await startShop(t);
  await simulator.pay(await openSession(), 'decline');
  await simulator.pay(await openSession());
  await refundAtGateway(orderId, 'r1', '1.00', { targetTransactionId: '2' });
  // A failed payment, an authentication, a refund, and nothing at all.
  for (const targetTransactionId of ['1', 'auth-2', 'r1', '7']) {
    const refused = await refundAtGateway(orderId, 'r2', '1.00', { targetTransactionId });
    const explanation = `Transaction ${targetTransactionId} cannot be refunded.`;
    assert.deepEqual(refused, {
      status: 400,
      body: { error: { cause: 'INVALID_REQUEST', explanation }, result: 'ERROR' },
    });
  }
  assert.equal(simulator.ledger().refunds.length, 1);
});

test('wrong credentials and bad requests are refused in the gateway’s format', async (t) => {
  const { simulator, gateway } = await startShop(t);
  const stranger = caller(simulator.url, `merchant.${merchantId}:wrong`);
  const error = { cause: 'INVALID_REQUEST', explanation: 'Invalid credentials.' };
  assert.deepEqual(await stranger('GET', `${gatewayPath}/order/1`), {
    status: 401,
    body: { error, result: 'ERROR' },
  });
  const order = { id: 'x', amount: '10.00', currency: 'INR' };
  for (const bad of [{ amount: '10.001' }, { amount: '0' }, { id: 'x'.repeat(41) }, { id: '' }]) {
    const answer = await gateway('POST', `${gatewayPath}/session`, {
      apiOperation: 'INITIATE_CHECKOUT',
      interaction: { operation: 'PURCHASE' },
      order: { ...order, ...bad },
    });
    assert.deepEqual([answer.status, answer.body.result], [400, 'ERROR'], JSON.stringify(bad));
  }
});

test('a value longer than the gateway accepts is refused, and the message names the field', async (t) => {
  const { simulator, gateway, openSession, refundAtGateway } = await startShop(t);
  const open = ({ id = 'x', description = 'Tea', name = 'Tea & Co' }) =>
    gateway('POST', `${gatewayPath}/session`, {
      apiOperation: 'INITIATE_CHECKOUT',
      interaction: { operation: 'PURCHASE', merchant: { name } },
      order: { id, description, amount: '10.00', currency: 'INR' },
    });
  const longest = { id: 'x'.repeat(40), description: 'd'.repeat(127), name: 'n'.repeat(40) };
  assert.equal((await open(longest)).status, 201);
  for (const [name, field, charsMax] of [
    ['id', 'order.id', 40],
    ['description', 'order.description', 127],
    ['name', 'interaction.merchant.name', 40],
  ] as const) {
    const { status, body } = await open({ ...longest, [name]: 'x'.repeat(charsMax + 1) });
    const explanation = `Value of ${field} is longer than ${charsMax} characters.`;
    assert.equal(status, 400);
    assert.deepEqual(body, {
      error: { cause: 'INVALID_REQUEST', explanation, field, validationType: 'INVALID' },
      result: 'ERROR',
    });
  }

  await simulator.pay(await openSession());
  assert.equal((await refundAtGateway(orderId, 'r'.repeat(40), '1.00')).status, 201);
  const refused = await refundAtGateway(orderId, 'r'.repeat(41), '1.00');
  assert.equal((refused.body.error as Json).field, 'transaction.id');
});

function leavesOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 1;
  return Object.values(value).reduce((sum: number, inner) => sum + leavesOf(inner), 0);
}
