import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { bankGateway } from '../../src/providers/bank-gateway/bank-gateway.ts';
import { gatewayOutbound } from '../../src/providers/bank-gateway/outbound.ts';
import type { Answer, ProviderApi, ProviderRequest } from '../../src/providers/call.ts';
import type { PaymentToStart, Records, RefundToStart } from '../../src/providers/outbound.ts';
import { gatewayBody } from '../support/deliveries.ts';
import { foldPayment, foldRefund } from '../support/folded.ts';

const orderId = 'o_0123456789abcdef';
const transactionId = `${orderId}-261114100000`;
const refundId = `${orderId}-261114110000`;
const base = '/api/rest/version/100/merchant/TESTMERCHANT';

const payment: PaymentToStart = {
  transactionId,
  orderId,
  invoiceId: 'INV-1',
  amount: 11_800,
  currency: 'INR',
  modeCode: 'credit_card',
  choice: {},
  description: 'Order INV-1',
  shopName: 'Test shop',
  callbackUrl: 'https://shop.test/done',
  webhookUrl: 'https://service.test/api/v3/webhooks/bank-gateway/acc_1',
  consumer: { email: 'asha@example.com', phone: '+919876543210' },
};
const refund: RefundToStart = {
  transactionId: refundId,
  callId: refundId,
  refundRequestId: 'REQ-1',
  amount: 5_050,
  currency: 'INR',
  paymentPspId: `${transactionId}|1`,
};

describe('starting a payment', () => {
  const session = { result: 'SUCCESS', session: { id: 'SESSION0001' } };

  test('sends no text that is longer than the gateway accepts, and cuts no character in half', async () => {
    const { made, api } = provider([answered(session, 201)]);
    const long = {
      shopName: '🛍'.repeat(255),
      description: 'नमस्ते'.repeat(170),
      invoiceId: `${'x'.repeat(39)}🧾🧾`,
    };
    await gatewayOutbound.startPayment(api, { ...payment, ...long });
    const [call] = made;
    const { interaction, order } = (call?.body ?? {}) as Record<string, Record<string, unknown>>;
    assert.deepEqual(interaction?.merchant, { name: '🛍'.repeat(40) });
    assert.equal([...String(order?.description)].length, 127);
    assert.equal(order?.reference, `${'x'.repeat(39)}🧾`);
    assert.ok(String(order?.id).length <= 40);
  });

  test('opens a checkout under our transaction id, and may be repeated', async () => {
    const { made, api } = provider([answered(session, 201)]);
    const { result } = await gatewayOutbound.startPayment(api, payment);
    assert.deepEqual(result, {
      kind: 'done',
      redirectUrl: 'https://gateway.test/checkout/pay/SESSION0001?checkoutVersion=1.0.0',
    });
    assert.deepEqual(made, [
      {
        method: 'POST',
        path: `${base}/session`,
        user: 'merchant.TESTMERCHANT',
        body: {
          apiOperation: 'INITIATE_CHECKOUT',
          checkoutMode: 'WEBSITE',
          interaction: {
            operation: 'PURCHASE',
            merchant: { name: 'Test shop' },
            returnUrl: 'https://shop.test/done',
          },
          order: {
            id: transactionId,
            reference: 'INV-1',
            amount: '118.00',
            currency: 'INR',
            description: 'Order INV-1',
            notificationUrl: payment.webhookUrl,
          },
        },
        isRepeatable: true,
      },
    ]);
  });

  test('sends no return address if there is none, and cuts a long reference', async () => {
    const { made, api } = provider([session]);
    const invoiceId = 'I'.repeat(255);
    await gatewayOutbound.startPayment(api, { ...payment, invoiceId, callbackUrl: undefined });
    const body = made[0]?.body as { interaction: object; order: { reference: string } };
    assert.deepEqual(body.interaction, { operation: 'PURCHASE', merchant: { name: 'Test shop' } });
    assert.equal(body.order.reference, 'I'.repeat(40));
  });

  const amounts = [
    { amount: 1, currency: 'INR', is: '0.01' },
    { amount: 500, currency: 'JPY', is: '500' },
    { amount: 1_500, currency: 'KWD', is: '1.500' },
  ];
  for (const { amount, currency, is } of amounts) {
    test(`writes ${amount} minor units of ${currency} as ${is}`, async () => {
      const { made, api } = provider([session]);
      await gatewayOutbound.startPayment(api, { ...payment, amount, currency });
      const body = made[0]?.body as { order: { amount: string } };
      assert.equal(body.order.amount, is);
    });
  }

  test('escapes merchant and session, so that neither changes the path', async () => {
    const { made, api } = provider([{ session: { id: '../pay?x=1' } }]);
    const { result } = await gatewayOutbound.startPayment({ ...api, login: 'A/B' }, payment);
    assert.equal(made[0]?.path, '/api/rest/version/100/merchant/A%2FB/session');
    assert.equal(made[0]?.user, 'merchant.A/B');
    assert.ok(result.kind === 'done');
    assert.equal(
      result.redirectUrl,
      'https://gateway.test/checkout/pay/..%2Fpay%3Fx%3D1?checkoutVersion=1.0.0',
    );
  });

  const unclear = [{}, { session: null }, { session: {} }, { ...session, result: 'ERROR' }];
  for (const body of unclear) {
    test(`is unknown when the answer has no session: ${JSON.stringify(body)}`, async () => {
      const { result } = await gatewayOutbound.startPayment(provider([body]).api, payment);
      assert.deepEqual(result, {
        kind: 'unknown',
        why: 'the provider answered something we do not understand',
      });
    });
  }

  test('is refused with the message of the gateway', async () => {
    const error = { cause: 'INVALID_REQUEST', explanation: 'Value of order.currency is not valid' };
    const { api } = provider([
      answered({ error, result: 'ERROR' }, 400),
      answered({ error: { cause: 'INVALID_REQUEST' } }, 400),
    ]);
    assert.deepEqual((await gatewayOutbound.startPayment(api, payment)).result, {
      kind: 'refused',
      why: 'HTTP status 400: Value of order.currency is not valid',
    });
    assert.deepEqual((await gatewayOutbound.startPayment(api, payment)).result, {
      kind: 'refused',
      why: 'HTTP status 400: INVALID_REQUEST',
    });
  });
});

describe('starting a refund', () => {
  const record = (result: string) =>
    gatewayBody({
      result,
      order: { id: transactionId },
      transaction: { id: refundId, type: 'REFUND', amount: 50.5, reference: 'REQ-1' },
    });

  test('puts a transaction under our own id, so that a repeat is one refund', async () => {
    const { made, api } = provider([answered(record('SUCCESS'), 201)]);
    const { result } = await gatewayOutbound.startRefund(api, refund);
    assert.equal(result.kind, 'done');
    assert.deepEqual(made, [
      {
        method: 'PUT',
        path: `${base}/order/${transactionId}/transaction/${refundId}`,
        user: 'merchant.TESTMERCHANT',
        body: {
          apiOperation: 'REFUND',
          transaction: {
            amount: '50.50',
            currency: 'INR',
            targetTransactionId: '1',
            reference: 'REQ-1',
          },
        },
        isRepeatable: true,
      },
    ]);
  });

  test('has an id at the gateway that is known before the call', () => {
    assert.equal(gatewayOutbound.refundPspId?.(refund), `${transactionId}|${refundId}`);
    const odd = { ...refund, paymentPspId: 'INV|7|1' };
    assert.equal(gatewayOutbound.refundPspId?.(odd), `INV|7|${refundId}`);
  });

  test('escapes the order id in the path', async () => {
    const { made, api } = provider([{}]);
    await gatewayOutbound.startRefund(api, { ...refund, paymentPspId: 'INV/7|x|pay 1' });
    assert.equal(made[0]?.path, `${base}/order/INV%2F7%7Cx/transaction/${refundId}`);
    const body = made[0]?.body as { transaction: { targetTransactionId: string } };
    assert.equal(body.transaction.targetTransactionId, 'pay 1');
  });

  for (const order of ['..', '.', '../x', 'a/b', 'a?b#c']) {
    test(`stays on its path, whatever the order id is: ${order}`, async () => {
      const { made, api } = provider([{}]);
      await gatewayOutbound.startRefund(api, { ...refund, paymentPspId: `${order}|1` });
      for (const { path } of made) assert.equal(new URL(path, api.url).pathname, path);
    });
  }

  for (const [result, means] of [
    ['SUCCESS', 'succeeded'],
    ['PENDING', 'pending'],
    ['UNKNOWN', 'pending'],
    ['FAILURE', 'failed'],
  ] as const) {
    test(`answered with ${result} is reported as ${means}, under the id that was known`, async () => {
      const { api } = provider([record(result)]);
      const outcome = await gatewayOutbound.startRefund(api, refund);
      assert.ok(outcome.result.kind === 'done');
      const [notice, ...more] = noticesOf(outcome.result.records);
      assert.equal(more.length, 0);
      assert.equal(notice?.refund?.status, means);
      assert.equal(notice?.refund?.pspTransactionId, `${transactionId}|${refundId}`);
      assert.equal(notice?.refund?.amount, 5_050);
      assert.equal(notice?.refund?.refundRequestId, 'REQ-1');
    });
  }

  test('is unknown when the answer names no transaction, and refused when the gateway refuses', async () => {
    const error = { cause: 'INVALID_REQUEST', explanation: 'Refund exceeds the amount' };
    const { api } = provider([{ transaction: {} }, answered({ error }, 400)]);
    assert.equal((await gatewayOutbound.startRefund(api, refund)).result.kind, 'unknown');
    assert.deepEqual((await gatewayOutbound.startRefund(api, refund)).result, {
      kind: 'refused',
      why: 'HTTP status 400: Refund exceeds the amount',
    });
  });
});

describe('fetching the status of a transaction', () => {
  const entries = [
    { ...transactionOf('auth', 'AUTHENTICATION'), result: 'SUCCESS' },
    { ...transactionOf('1', 'PAYMENT'), result: 'FAILURE', response: { gatewayCode: 'DECLINED' } },
    { ...transactionOf('2', 'PAYMENT'), result: 'SUCCESS', response: { gatewayCode: 'APPROVED' } },
    {
      ...transactionOf(refundId, 'REFUND'),
      result: 'PENDING',
      response: { gatewayCode: 'PENDING' },
    },
  ];
  const whole = {
    id: transactionId,
    merchant: 'TESTMERCHANT',
    amount: 118,
    currency: 'INR',
    creationTime: '2026-11-14T10:00:00Z',
    result: 'SUCCESS',
    status: 'CAPTURED',
    transaction: entries,
  };

  test('for a payment started here retrieves the order under our id, with a record for each transaction', async () => {
    const { made, api } = provider([whole]);
    const { result } = await fetchStatus(api, started());
    assert.deepEqual(made, [reading(`/order/${transactionId}`)]);
    assert.ok(result.kind === 'done');
    assert.deepEqual([result.isKnown, result.wasTried], [true, true]);
    assert.deepEqual(
      noticesOf(result.records).map(({ payment, refund }) => {
        const said = payment ?? refund;
        return `${said?.pspTransactionId} ${said?.status} ${said?.flags ?? ''}`;
      }),
      [
        `${transactionId}|auth pending `,
        `${transactionId}|1 failed `,
        `${transactionId}|2 succeeded `,
        `${transactionId}|${refundId} pending `,
      ],
    );
  });

  test('trusts the transaction rather than the fields of its order', async () => {
    const [entry] = entries.slice(1, 2);
    const own = { ...entry, order: { id: transactionId, status: 'FAILED', currency: 'INR' } };
    const { result } = await fetchStatus(
      provider([{ ...whole, transaction: [own] }]).api,
      started(),
    );
    assert.ok(result.kind === 'done');
    assert.equal(noticesOf(result.records)[0]?.payment?.status, 'failed');
  });

  test('for a reported transaction retrieves the order of its id', async () => {
    const { made, api } = provider([whole, whole]);
    await fetchStatus(api, reported('INV 7|1'));
    await fetchStatus(api, requestedRefund());
    assert.deepEqual(made, [reading('/order/INV%207'), reading(`/order/${transactionId}`)]);
  });

  test('reports that nobody has tried to pay the order', async () => {
    const { result } = await fetchStatus(provider([{ ...whole, transaction: [] }]).api, started());
    assert.deepEqual(result, {
      kind: 'done',
      isKnown: true,
      knownCallIds: [],
      wasTried: false,
      records: [],
    });
  });

  test('knows a refund only if the order contains it', async () => {
    const { result } = await fetchStatus(provider([whole]).api, requestedRefund());
    assert.ok(result.kind === 'done' && result.isKnown);
    const without = { ...whole, transaction: entries.slice(0, 3) };
    const other = await fetchStatus(provider([without]).api, requestedRefund());
    assert.ok(other.result.kind === 'done' && !other.result.isKnown);
  });

  const missing = [
    answered({}, 404),
    answered({ error: { explanation: 'anything' } }, 404),
    answered({ error: { cause: 'INVALID_REQUEST', explanation: 'Unable to find order X.' } }, 400),
    answered({ error: { cause: 'INVALID_REQUEST', explanation: 'Order does not exist' } }, 400),
    answered({ error: { cause: 'INVALID_REQUEST', explanation: 'order NOT FOUND' } }, 400),
  ];
  for (const answer of missing) {
    test(`is not known there when the gateway says so: ${describeAnswer(answer)}`, async () => {
      const { result } = await fetchStatus(provider([answer]).api, started());
      assert.deepEqual(result, { kind: 'done', isKnown: false, wasTried: false, records: [] });
    });
  }

  const refusals = [
    answered({ error: { cause: 'INVALID_REQUEST', explanation: 'Unable to find merchant' } }, 401),
    answered({ error: { cause: 'INVALID_REQUEST', explanation: 'Invalid credentials.' } }, 400),
    answered({ error: { cause: 'SERVER_BUSY', explanation: 'not found in time' } }, 400),
    answered({}, 400),
    answered({}, 403),
  ];
  for (const answer of refusals) {
    test(`is refused, not unknown to the gateway: ${describeAnswer(answer)}`, async () => {
      assert.equal((await fetchStatus(provider([answer]).api, started())).result.kind, 'refused');
    });
  }

  for (const body of [{}, { transaction: null }, { transaction: {} }, { result: 'ERROR' }]) {
    test(`is unknown when the answer is not an order: ${JSON.stringify(body)}`, async () => {
      assert.equal((await fetchStatus(provider([body]).api, started())).result.kind, 'unknown');
      assert.equal(
        (await fetchStatus(provider([body]).api, requestedRefund())).result.kind,
        'unknown',
      );
    });
  }

  for (const kind of ['unknown', 'not-sent'] as const) {
    test(`is ${kind} when the call is`, async () => {
      const answer: Answer = { kind, status: 503, why: 'why', durationMs: 1, tries: 3 };
      assert.deepEqual(await fetchStatus(provider([answer]).api, started()), {
        answer,
        result: { kind, why: 'why' },
      });
    });
  }

  test('ignores entries of the order that are not transactions', async () => {
    const odd = { ...whole, transaction: [null, 'x', [], {}, entries[2]] };
    const { result } = await fetchStatus(provider([odd]).api, started());
    assert.ok(result.kind === 'done');
    const understood = result.records.filter((body) => translate(body).kind === 'notice');
    assert.equal(understood.length, 1);
  });
});

/** A stub of the gateway that gives these answers in turn and records the requests. */
function provider(answers: readonly (Answer | object)[]) {
  const made: ProviderRequest[] = [];
  const api: ProviderApi = {
    url: 'https://gateway.test/',
    login: 'TESTMERCHANT',
    secret: 'password',
    settings: {},
    callProvider: async (given, request) => {
      assert.equal(given.secret, 'password');
      made.push(request);
      const answer = answers[made.length - 1] ?? assert.fail('one call too many');
      return 'kind' in answer ? (answer as Answer) : answered(answer);
    },
  };
  return { made, api };
}

function answered(body: object, status = 200): Answer {
  return { kind: 'answered', status, body: { ...body }, durationMs: 1, tries: 1 };
}

function describeAnswer(answer: Answer): string {
  return answer.kind === 'answered' ? `${answer.status} ${JSON.stringify(answer.body)}` : '';
}

function reading(path: string): ProviderRequest {
  const user = 'merchant.TESTMERCHANT';
  return { method: 'GET', path: `${base}${path}`, isRepeatable: true, user };
}

/** A transaction in the format of a retrieved order. */
function transactionOf(id: string, type: string) {
  return {
    timeOfRecord: '2026-11-14T10:00:30Z',
    timeOfLastUpdate: '2026-11-14T10:00:31Z',
    transaction: { id, type, amount: 118, currency: 'INR' },
  };
}

type FetchedTransaction = Parameters<typeof gatewayOutbound.fetchStatus>[1]['transaction'];

function fetchStatus(api: ProviderApi, transaction: FetchedTransaction) {
  return gatewayOutbound.fetchStatus(api, {
    orderId,
    transaction,
    now: new Date(1_763_100_000_000),
  });
}

const expected = { total: 11_800, currency: 'INR' };

function started(): FetchedTransaction {
  const start = { atMs: 0, amount: 11_800, currency: 'INR', call: 'taken' } as const;
  return foldPayment({ transactionId, provider: 'bank-gateway', start, notices: [] }, expected);
}

function reported(pspTransactionId: string): FetchedTransaction {
  const notices = [{ pspTransactionId, status: 'authorized', deliveryKey: 'key' } as const];
  return foldPayment({ transactionId, provider: 'bank-gateway', start: null, notices }, expected);
}

function requestedRefund(): FetchedTransaction {
  const { amount, currency, paymentPspId } = refund;
  const pspTransactionId = `${transactionId}|${refundId}`;
  return foldRefund({
    transactionId: refundId,
    provider: 'bank-gateway',
    start: {
      atMs: 0,
      amount,
      currency,
      call: 'unknown',
      refund: { requestId: 'REQ-1', paymentPspId, pspTransactionId },
    },
    notices: [],
  });
}

/** The translation of a record. */
function translate(body: Buffer) {
  return bankGateway.translate({ headers: {}, body }, { expectedMerchant: 'TESTMERCHANT' });
}

function noticesOf(records: Records) {
  return records.map((body) => {
    const translation = translate(body);
    assert.ok(translation.kind === 'notice', JSON.stringify(translation));
    return translation.notice;
  });
}
