import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { after, beforeEach, test } from 'node:test';
import type { Call } from '../../../simulator/simulator.ts';
import type { CallRecord } from '../../../src/domain/history.ts';
import { listRecentHistory } from '../../../src/store/orders/history.ts';
import { findFreePort } from '../../../tools/harness/free-port.ts';
import { waitUntil } from '../../../tools/harness/wait-until.ts';
import { assertAgrees, type Outline, outlineOf } from '../../journey/outline.ts';
import {
  findCheckout,
  modeOf,
  type SimulatedProvider,
  startJourney,
} from '../../support/journey.ts';
import { issueMerchantToken } from '../../support/merchant-token.ts';
import { orderBody } from '../../support/order-bodies.ts';
import { dumpTables } from '../../support/test-database.ts';

/** The calls that the providers received, and a hook that runs before they answer. */
let calls: Call[] = [];
let beforeAnswer: (call: Call) => Promise<void> = async () => undefined;

const journey = await startJourney({
  beforeAnswer: async (call) => {
    calls.push(call);
    await beforeAnswer(call);
  },
});
const { service, simulator, shop, createOrder, initiate, pay, createPaid } = journey;
const { refund, enquire, heal } = journey;
const providers = Object.keys(modeOf) as SimulatedProvider[];

beforeEach(() => {
  calls = [];
  beforeAnswer = async () => undefined;
});

for (const provider of providers) {
  test(`${provider}: a lost webhook is made up for by a background poll, and polling then stops`, async () => {
    const orderId = await createOrder();
    simulator.setScenarioFor(orderId, { name: 'lost-webhook' });
    await pay(orderId, modeOf[provider]);
    await assertOutline(orderId, pendingOrder);
    assert.equal(countOf('fetch'), 0);

    await heal();
    await assertOutline(orderId, paidOrder);
    await healOften(5);
    assert.equal(countOf('fetch'), 1);
  });

  test(`${provider}: a lost webhook is made up for by an enquiry`, async () => {
    const orderId = await createOrder();
    simulator.setScenarioFor(orderId, { name: 'lost-webhook' });
    await pay(orderId, modeOf[provider]);
    service.advanceSeconds(61);
    await Promise.all(Array.from({ length: 10 }, () => enquire({ order_id: orderId })));

    await waitUntil('the payment is known', async () => {
      return (await enquire({ order_id: orderId })).body.order.status === 'completed';
    });
    await assertOutline(orderId, paidOrder);
    assert.equal(countOf('fetch'), 1);
  });

  test(`${provider}: any number of enquiries poll a provider at most once a minute`, async () => {
    const orderId = await createOrder();
    await initiate(orderId, modeOf[provider]);
    const polledOften = async (times: number) => {
      await Promise.all(Array.from({ length: 10 }, () => enquire({ order_id: orderId })));
      await waitUntil('it was polled', async () => (await callsOf(orderId)).length >= times + 1);
      await Promise.all(Array.from({ length: 10 }, () => enquire({ order_id: orderId })));
    };
    await Promise.all(Array.from({ length: 10 }, () => enquire({ order_id: orderId })));
    service.advanceSeconds(59);
    await enquire({ order_id: orderId });
    service.advanceSeconds(2);
    await polledOften(1);
    service.advanceSeconds(59);
    await enquire({ order_id: orderId });
    service.advanceSeconds(2);
    await polledOften(2);

    assert.deepEqual(await operationsOf(orderId), [
      'start-payment done',
      'fetch-status done',
      'fetch-status done',
    ]);
  });

  test(`${provider}: an enquiry does not wait for a slow provider`, async () => {
    const orderId = await createOrder();
    simulator.setScenarioFor(orderId, { name: 'lost-webhook' });
    await pay(orderId, modeOf[provider]);
    const hang = Promise.withResolvers<void>();
    beforeAnswer = () => hang.promise;
    service.advanceSeconds(61);

    await assertOutline(orderId, pendingOrder);
    await waitUntil('the provider was polled', () => countOf('fetch') === 1);
    await assertOutline(orderId, pendingOrder);
    hang.resolve();
    await waitUntil('the payment is known', async () => {
      return (await enquire({ order_id: orderId })).body.order.status === 'completed';
    });
  });

  test(`${provider}: a refund whose answer was lost is found again, and made once`, async () => {
    const { orderId, transactionId } = await createPaid({}, modeOf[provider]);
    simulator.setScenarioFor(orderId, { name: 'lost-webhook' });
    beforeAnswer = failing('start-refund');
    const { status, body } = await refund({ transaction_id: transactionId, refund_amount: 50 });
    assert.deepEqual([status, body.refund_status], [200, 'pending']);
    await simulator.settled();
    assert.equal(
      (await enquire({ order_id: orderId })).body.transaction[1].refund_status,
      'pending',
    );

    beforeAnswer = async () => undefined;
    const startsBefore = countOf('start-refund');
    await heal();
    await assertOutline(orderId, partlyRefunded);
    assert.equal(countOf('start-refund'), startsBefore);
    assert.equal(refundsOf(orderId).length, 1);
  });

  test(`${provider}: a refund that the provider cannot accept yet is retried until it is made, once`, async () => {
    const { orderId, transactionId } = await createPaid({}, modeOf[provider]);
    simulator.setScenarioFor(orderId, { name: 'provider-down', times: 7 });
    const { status, body } = await refund({ transaction_id: transactionId, refund_amount: 50 });
    assert.deepEqual([status, body.refund_status], [200, 'pending']);
    await heal();
    await assertOutline(orderId, {
      order: 'completed',
      transactions: ['payment succeeded 118', 'partial_refund pending 50'],
      refunds: [0, 68, 118],
    });
    const more = await refund({ transaction_id: transactionId, refund_amount: 69 });
    assert.deepEqual([more.status, more.body.error.svc_error_code], [422, 'INVALID_REFUND_AMOUNT']);

    await healOften(2);
    await simulator.settled();
    await assertOutline(orderId, partlyRefunded);
    assert.equal(refundsOf(orderId).length, 1);
    assert.deepEqual(
      (await callsOf(orderId)).filter(({ operation }) => operation === 'start-refund').map(brief),
      ['start-refund unknown', 'start-refund unknown', 'start-refund done'],
    );
  });

  test(`${provider}: a payment that the provider does not list stays pending until the order lapses, and another one pays`, async () => {
    const orderId = await createOrder();
    simulator.setScenarioFor(orderId, { name: 'provider-down', times: 99 });
    const { body } = await initiate(orderId, modeOf[provider]);
    assert.deepEqual([body.payment_status, body.next], ['pending', []]);
    await assertOutline(orderId, pendingOrder);
    await healOften(6);
    await assertOutline(orderId, pendingOrder);

    simulator.setScenarioFor(orderId, { name: 'happy' });
    await pay(orderId, modeOf[provider]);
    await simulator.settled();
    assert.equal((await enquire({ order_id: orderId })).body.order.status, 'completed');

    service.advanceSeconds(24 * 3600);
    await heal();
    const [lost] = (await enquire({ order_id: orderId })).body.transaction;
    assert.equal(
      lost.failure_reason.svc_merchant_message,
      'The payment came to nothing: the provider does not know it.',
    );
  });

  test(`${provider}: an unpaid checkout is pending until the order lapses, and still counts if it is paid later`, async () => {
    const orderId = await createOrder();
    const { body } = await initiate(orderId, modeOf[provider]);
    const checkout = await findCheckout(body.next[0].url);
    await healOften(6);
    await assertOutline(orderId, pendingOrder);

    service.advanceSeconds(24 * 3600);
    await heal();
    const reply = await enquire({ order_id: orderId });
    assert.deepEqual(outlineOf(reply), timedOut('lapsed'));
    assert.equal(
      reply.body.transaction[0].failure_reason.svc_merchant_message,
      'The payment came to nothing: nobody came to pay.',
    );

    await simulator.pay(checkout);
    await simulator.settled();
    await assertOutline(orderId, paidOrder);
  });
}

test('partner: a payment whose answer was lost is found again and can be paid', async () => {
  const orderId = await createOrder();
  beforeAnswer = failing('start-payment');
  const { body } = await initiate(orderId, 'upi');
  assert.deepEqual([body.payment_status, body.next], ['pending', []]);
  assert.equal(countOf('start-payment'), 1);
  const launchPage = `${service.baseUrl}/pay/${shop.accountId}/${body.transaction_id}`;
  assert.equal((await fetch(launchPage)).status, 404);

  await heal();
  await assertOutline(orderId, pendingOrder);
  const checkout = await findCheckout(launchPage);
  assert.equal(checkout, calls[0]?.id);
  await simulator.pay(checkout);
  await simulator.settled();
  await assertOutline(orderId, paidOrder);
  assert.equal((await enquire({ transaction_id: body.transaction_id })).status, 200);
});

test('bank-gateway: a payment whose first answers are lost is sent again, and started once', async () => {
  const orderId = await createOrder();
  beforeAnswer = async (call) => {
    if (countOf('start-payment') < 3) await failing('start-payment')(call);
  };
  await pay(orderId, 'credit_card');
  await simulator.settled();
  assert.equal(countOf('start-payment'), 3);
  await assertOutline(orderId, paidOrder);
});

test('calls that a provider answers too late result in one payment and one refund', async () => {
  const paid = await Promise.all(providers.map((provider) => createPaid({}, modeOf[provider])));
  const orders = await Promise.all(providers.map(() => createOrder()));
  const slow = { name: 'slow', delayMs: 5_500 } as const;
  for (const orderId of [...orders, ...paid.map((order) => order.orderId)]) {
    simulator.setScenarioFor(orderId, slow);
  }
  const [payments, refunds] = await Promise.all([
    Promise.all(
      providers.map((provider, index) => initiate(orders[index] ?? '', modeOf[provider])),
    ),
    Promise.all(
      paid.map(({ transactionId }) => refund({ transaction_id: transactionId, refund_amount: 50 })),
    ),
  ]);
  for (const { status, body } of payments) {
    assert.deepEqual([status, body.payment_status, body.next], [200, 'pending', []]);
  }
  assert.deepEqual(
    refunds.map(({ status }) => status),
    [200, 200],
  );

  await heal();
  const [atPartner = '', atGateway = ''] = orders;
  await assertOutline(atPartner, pendingOrder);
  // The gateway knows an order once somebody has tried to pay it, and no consumer was sent there.
  await assertOutline(atGateway, pendingOrder);
  const checkouts = calls.filter(({ operation }) => operation === 'start-payment');
  for (const { id } of checkouts) await simulator.pay(id);
  await simulator.settled();
  for (const orderId of orders) await assertOutline(orderId, paidOrder);
  for (const { orderId } of paid) {
    await assertOutline(orderId, partlyRefunded);
    assert.equal(refundsOf(orderId).length, 1);
  }
});

test('a payment at an unreachable provider fails at once, and fifteen of them do not lapse the order', async () => {
  const port = await findFreePort();
  const url = `http://127.0.0.1:${port}`;
  const far = await journey.openShop({
    providerApis: { partner: { url, login: 'rzp_test_journey_2' } },
  });
  const call = callAs(far.accountId);
  const { order_id } = (await call('create-order', orderBody())).body;
  for (let attempt = 1; attempt <= 16; attempt += 1) {
    const started = await call('initiate-payment', {
      order_id,
      payment_mode_code: 'upi',
      upi_id: 'asha@okbank',
    });
    assert.deepEqual([started.body.payment_status, started.body.next], ['failed', []]);
  }
  const { body } = await call('transaction-enquiry', { order_id });
  assert.equal(body.order.status, 'pending');
  for (const { failure_reason } of body.transaction) {
    assert.deepEqual(
      [failure_reason.svc_error_code, failure_reason.retry_allowed],
      ['PROVIDER_UNAVAILABLE', true],
    );
  }
});

test('bank-gateway: a consumer who authenticates and leaves has not paid when the order lapses', async () => {
  const gateway = await startProvenOnly();
  const left = await journey.openShop({
    providerApis: { 'bank-gateway': { url: gateway.url, login: 'LEFT' } },
  });
  const call = callAs(left.accountId);
  const { order_id } = (await call('create-order', orderBody())).body;
  const body = { order_id, payment_mode_code: 'credit_card' };
  gateway.orderId = (await call('initiate-payment', body)).body.transaction_id;
  await heal();
  assert.deepEqual(outlineOf(await call('transaction-enquiry', { order_id })), pendingOrder);

  service.advanceSeconds(24 * 3600);
  await heal();
  assert.deepEqual(outlineOf(await call('transaction-enquiry', { order_id })), timedOut('lapsed'));
});

for (const provider of providers) {
  test(`${provider}: the history has every call with its duration and outcome`, async () => {
    const { orderId, transactionId } = await createPaid({}, modeOf[provider]);
    simulator.setScenarioFor(orderId, { name: 'lost-webhook' });
    beforeAnswer = failing('start-refund');
    await refund({ transaction_id: transactionId, refund_amount: 50 });
    await simulator.settled();
    beforeAnswer = async () => undefined;
    await heal();

    const calls = await callsOf(orderId);
    assert.deepEqual(
      calls.map(({ durationMs: _durationMs, ...call }) => call),
      [
        {
          operation: 'start-payment',
          outcome: 'done',
          tries: 1,
          httpStatus: provider === 'partner' ? 200 : 201,
        },
        { operation: 'start-refund', outcome: 'unknown', tries: 3, httpStatus: 500 },
        { operation: 'fetch-status', outcome: 'done', tries: 1, httpStatus: 200 },
      ],
    );
    for (const { durationMs } of calls) {
      assert.ok(Number.isInteger(durationMs) && durationMs >= 0 && durationMs < 10_000);
    }
  });
}

test('after these tests, verify finds nothing', () => journey.assertSound());

test('no secret of the shop is in the database or in the log', async () => {
  const dump = JSON.stringify(await dumpTables(service.database));
  const log = service.logText();
  assert.ok(dump.includes('fetch-status') && log !== '');
  for (const [name, secret] of Object.entries(secrets)) {
    const forms = [
      secret,
      Buffer.from(secret).toString('hex'),
      Buffer.from(secret).toString('base64'),
    ];
    for (const form of forms) {
      assert.ok(!dump.includes(form), `${name} stands in the database`);
      assert.ok(!log.includes(form), `${name} stands in the log`);
    }
  }
});

const secrets = {
  accessSecret: shop.accessSecret,
  partnerWebhookSecret: shop.partnerWebhookSecret,
  bankGatewaySecret: shop.bankGatewaySecret,
  partnerKeySecret: 'partner_key_secret_journey',
  bankGatewayPassword: 'bank_gateway_password_journey',
  partnerCredentials: `${shop.partnerKeyId}:partner_key_secret_journey`,
  bankGatewayCredentials: `merchant.${shop.merchantId}:bank_gateway_password_journey`,
  token: shop.token,
};

const pendingOrder: Outline = {
  order: 'pending',
  transactions: ['payment pending 118'],
  refunds: undefined,
};
const paidOrder: Outline = {
  order: 'completed',
  transactions: ['payment succeeded 118'],
  refunds: [0, 118, 118],
};
const partlyRefunded: Outline = {
  order: 'completed',
  transactions: ['payment succeeded 118', 'partial_refund succeeded 50'],
  refunds: [50, 68, 118],
};

function timedOut(order: string): Outline {
  return { order, transactions: ['payment failed 118 PAYMENT_TIMED_OUT'], refunds: undefined };
}

/** Calls with the token of another shop than the journey's. */
function callAs(accountId: string) {
  return async (path: string, body: object) => {
    const { token } = await issueMerchantToken(service.services, accountId);
    return service.call(`/api/v3/${path}`, { token, body });
  };
}

/** A gateway whose orders have an authentication and nothing else. */
async function startProvenOnly() {
  const gateway = { url: '', orderId: '' };
  const server = createServer((request, response) => {
    const authentication = {
      merchant: 'LEFT',
      order: { id: gateway.orderId, amount: 118, currency: 'INR', status: 'AUTHENTICATED' },
      transaction: { id: 'auth-1', type: 'AUTHENTICATION', amount: 118, currency: 'INR' },
      response: { gatewayCode: 'APPROVED', gatewayRecommendation: 'PROCEED' },
      result: 'SUCCESS',
    };
    const started = { result: 'SUCCESS', session: { id: 'SESSION1' } };
    const found = { ...authentication.order, result: 'SUCCESS', transaction: [authentication] };
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify(request.method === 'POST' ? started : found));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  after(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as { port: number };
  gateway.url = `http://127.0.0.1:${port}`;
  return gateway;
}

/** The enquiry shows the expected outline and, once nothing is pending, agrees with the ledger. */
async function assertOutline(orderId: string, expected: Outline): Promise<void> {
  const reply = await enquire({ order_id: orderId });
  assert.deepEqual(outlineOf(reply), expected);
  if (!expected.transactions.some((line) => line.includes('pending'))) {
    assertAgrees(reply, simulator.ledger());
  }
}

/** The waits between polls grow, so a few minutes pass each time. */
async function healOften(times: number): Promise<void> {
  for (let time = 0; time < times; time += 1) {
    service.advanceSeconds(10 * 60);
    await heal();
  }
}

/** A provider that executes a call and then answers with an error. */
function failing(operation: Call['operation']): (call: Call) => Promise<void> {
  return async (call) => {
    if (call.operation === operation) throw new Error('broken while answering');
  };
}

function countOf(operation: Call['operation']): number {
  return calls.filter((call) => call.operation === operation).length;
}

function refundsOf(orderId: string) {
  return simulator.ledger().refunds.filter(({ reference }) => reference.startsWith(orderId));
}

async function callsOf(orderId: string): Promise<CallRecord[]> {
  const history = await listRecentHistory(
    service.database,
    { accountId: shop.accountId, orderId },
    1_000,
  );
  return history.flatMap(({ call }) => call ?? []);
}

async function operationsOf(orderId: string): Promise<string[]> {
  return (await callsOf(orderId)).map(brief);
}

function brief({ operation, outcome }: CallRecord): string {
  return `${operation} ${outcome}`;
}
