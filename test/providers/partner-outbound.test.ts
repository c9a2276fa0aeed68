import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Answer, ProviderApi, ProviderRequest } from '../../src/providers/call.ts';
import type { PaymentToStart, Records, RefundToStart } from '../../src/providers/outbound.ts';
import { partnerOutbound } from '../../src/providers/partner/outbound.ts';
import { partner } from '../../src/providers/partner/partner.ts';
import { partnerPayment, partnerRefund } from '../support/deliveries.ts';
import { foldPayment, foldRefund } from '../support/folded.ts';

const orderId = 'o_0123456789abcdef';
const expected = { total: 11_800, currency: 'INR' };
const unanswered = {
  kind: 'unknown',
  status: 503,
  why: 'busy',
  durationMs: 1,
  tries: 1,
} as const;
const transactionId = `${orderId}-261114100000`;

const payment: PaymentToStart = {
  transactionId,
  orderId,
  invoiceId: 'INV-1',
  amount: 11_800,
  currency: 'INR',
  modeCode: 'upi',
  choice: { upi_id: 'asha@okbank' },
  description: 'Order INV-1',
  shopName: 'Test shop',
  callbackUrl: 'https://shop.test/done',
  webhookUrl: 'https://service.test/api/v3/webhooks/partner/acc_1',
  consumer: { email: 'asha@example.com', phone: '+919876543210' },
};
const notes = { svc_transaction_id: transactionId, svc_order_id: orderId, invoice_id: 'INV-1' };
const refund: RefundToStart = {
  transactionId: `${orderId}-261114110000`,
  callId: `${orderId}-261114110000`,
  refundRequestId: 'REQ-1',
  amount: 5_000,
  currency: 'INR',
  paymentPspId: 'pay_1',
};

describe('starting a payment', () => {
  test('creates an order with our ids, and is not repeated when its outcome is unknown', async () => {
    const { made, api } = provider([{ id: 'order_1', status: 'created' }]);
    const { result } = await partnerOutbound.startPayment(api, payment);
    assert.deepEqual(result, { kind: 'done', providerOrderId: 'order_1' });
    assert.deepEqual(made, [
      {
        method: 'POST',
        path: '/v1/orders',
        user: 'rzp_test_1',
        body: {
          amount: 11_800,
          currency: 'INR',
          receipt: orderId,
          notes,
          payment: {
            capture: 'automatic',
            capture_options: {
              automatic_expiry_period: 12,
              manual_expiry_period: 7200,
              refund_speed: 'normal',
            },
          },
        },
        isRepeatable: false,
      },
    ]);
  });

  for (const body of [{}, { id: '' }, { id: null }, { id: {} }, { id: 'x'.repeat(256) }]) {
    test(`is unknown when the answer has no id: ${JSON.stringify(body).slice(0, 20)}`, async () => {
      const { result } = await partnerOutbound.startPayment(provider([body]).api, payment);
      assert.deepEqual(result, {
        kind: 'unknown',
        why: 'the provider answered something we do not understand',
      });
    });
  }

  test('is unknown when the answer is neither a success nor a refusal', async () => {
    const { api } = provider([answered({ id: 'order_1' }, 302)]);
    assert.equal((await partnerOutbound.startPayment(api, payment)).result.kind, 'unknown');
  });

  test('is refused with the message of the partner', async () => {
    const error = { code: 'BAD_REQUEST_ERROR', description: 'Currency is not supported' };
    const { api } = provider([answered({ error }, 400)]);
    assert.deepEqual((await partnerOutbound.startPayment(api, payment)).result, {
      kind: 'refused',
      why: 'HTTP status 400: Currency is not supported',
    });
  });

  test('is refused with card numbers in the message masked', async () => {
    const { api } = provider([answered({ error: { description: 'card 4111111111111111' } }, 400)]);
    const { result } = await partnerOutbound.startPayment(api, payment);
    assert.ok(result.kind === 'refused' && !result.why.includes('4111111111111111'));
  });

  test('is refused with a long message cut between characters, because half of one cannot be stored', async () => {
    const description = `x${'🍵'.repeat(400)}`;
    const { api } = provider([answered({ error: { description } }, 400)]);
    const { result } = await partnerOutbound.startPayment(api, payment);
    assert.deepEqual(result, { kind: 'refused', why: `HTTP status 400: x${'🍵'.repeat(299)}` });
  });

  for (const body of [{}, { error: null }, { error: 'no' }, { error: { description: '' } }]) {
    test(`is refused without a message if there is none: ${JSON.stringify(body)}`, async () => {
      const { api } = provider([answered(body, 401)]);
      const { result } = await partnerOutbound.startPayment(api, payment);
      assert.deepEqual(result, { kind: 'refused', why: 'HTTP status 401' });
    });
  }

  test('cuts a long message of the partner', async () => {
    const { api } = provider([answered({ error: { description: 'x'.repeat(9_999) } }, 400)]);
    const { result } = await partnerOutbound.startPayment(api, payment);
    assert.ok(result.kind === 'refused' && result.why.length < 400);
  });

  for (const kind of ['unknown', 'not-sent'] as const) {
    test(`is ${kind} when the call is`, async () => {
      const answer: Answer = { kind, status: null, why: 'why', durationMs: 1, tries: 1 };
      const { api } = provider([answer]);
      assert.deepEqual(await partnerOutbound.startPayment(api, payment), {
        answer,
        result: { kind, why: 'why' },
      });
    });
  }
});

describe('starting a payment that must come from one bank account', () => {
  const bankAccount = { accountNumber: '00112233445566', name: 'Asha Rao', ifsc: 'HDFC0A1B2C3' };
  const start = (api: ProviderApi, changes: Partial<PaymentToStart> = {}) =>
    partnerOutbound.startPayment(api, { ...payment, bankAccount, ...changes });

  for (const [modeCode, method] of [
    ['net_banking', 'netbanking'],
    ['upi', 'upi'],
    ['debit_card', 'card'],
  ] as const) {
    test(`creates the order with the account and the method ${method}`, async () => {
      const { made, api } = provider([{ id: 'order_1' }]);
      await start(api, { modeCode });
      const { method: sent, bank_account } = (made[0]?.body ?? {}) as Record<string, unknown>;
      assert.deepEqual(
        [sent, bank_account],
        [method, { account_number: '00112233445566', name: 'Asha Rao', ifsc: 'HDFC0A1B2C3' }],
      );
    });
  }

  test('sends only the fields that the order has', async () => {
    const { made, api } = provider([{ id: 'order_1' }]);
    await start(api, { bankAccount: { accountNumber: '1234567' } });
    const { bank_account } = (made[0]?.body ?? {}) as Record<string, unknown>;
    assert.deepEqual(bank_account, { account_number: '1234567' });
  });

  for (const said of ['00112233445566', '112233445566', '0011 2233 4455 66', '0011-2233-4455-66']) {
    test(`a refusal that quotes the number as ${said} is kept without it`, async () => {
      const error = { description: `The account ${said} of Asha Rao is closed` };
      const { result } = await start(provider([answered({ error }, 400)]).api);
      assert.deepEqual(result, {
        kind: 'refused',
        why: 'HTTP status 400: The account *** of *** is closed',
      });
    });
  }

  for (const error of [
    { field: 'bank_account.ifsc' },
    { field: 'account_number' },
    { reason: 'bank_account_validation_failed' },
  ]) {
    test(`a refusal because of the account has a code of its own: ${JSON.stringify(error)}`, async () => {
      const { result } = await start(provider([answered({ error }, 400)]).api);
      const why = 'HTTP status 400';
      assert.deepEqual(result, { kind: 'refused', why, code: 'BANK_ACCOUNT_MISMATCH' });
    });
  }
});

describe('the page where the consumer pays', () => {
  const launch = { ...payment, providerOrderId: 'order_1' };
  const address = { url: 'https://partner.test/', login: 'rzp_test_1' };

  test('posts what the partner needs, with our ids in the notes and no UPI id', () => {
    assert.deepEqual(partnerOutbound.launchForm?.(address, launch), {
      action: 'https://partner.test/v1/checkout/embedded',
      fields: {
        key_id: 'rzp_test_1',
        order_id: 'order_1',
        amount: '11800',
        currency: 'INR',
        name: 'Test shop',
        description: 'Order INV-1',
        method: 'upi',
        callback_url: 'https://shop.test/done',
        cancel_url: 'https://shop.test/done',
        'notes[svc_transaction_id]': transactionId,
        'notes[svc_order_id]': orderId,
        'notes[invoice_id]': 'INV-1',
      },
    });
  });

  const choices = [
    { modeCode: 'net_banking', choice: { bank_name: 'HDFC' }, fields: ['netbanking', 'bank=HDFC'] },
    { modeCode: 'wallet', choice: { wallet_name: 'paytm' }, fields: ['wallet', 'wallet=paytm'] },
    { modeCode: 'credit_card', choice: {}, fields: ['card'] },
    { modeCode: 'debit_card', choice: {}, fields: ['card'] },
    { modeCode: 'prepaid_card', choice: {}, fields: ['card'] },
  ] as const;
  for (const { modeCode, choice, fields } of choices) {
    test(`contains the choice for ${modeCode}, and no callback if there is none`, () => {
      const chosen = { ...launch, modeCode, choice, callbackUrl: undefined };
      const form = partnerOutbound.launchForm?.(address, chosen).fields ?? {};
      const prefilled = ['bank', 'wallet', 'vpa']
        .filter((name) => name in form)
        .map((name) => `${name}=${form[name]}`);
      assert.deepEqual([form.method, ...prefilled], fields);
      assert.ok(!('callback_url' in form) && !('cancel_url' in form));
    });
  }
});

describe('starting a refund', () => {
  test('sends our id, so that a repeat is one refund', async () => {
    const { made, api } = provider([partnerRefund({ id: 'pay_1' }, { id: 'rfnd_1' })]);
    const { result } = await partnerOutbound.startRefund(api, refund);
    assert.equal(result.kind, 'done');
    assert.deepEqual(made, [
      {
        method: 'POST',
        path: '/v1/payments/pay_1/refund',
        user: 'rzp_test_1',
        headers: { 'x-refund-idempotency': refund.transactionId },
        body: {
          amount: 5_000,
          receipt: 'REQ-1',
          notes: { svc_transaction_id: refund.transactionId, refund_request_id: 'REQ-1' },
        },
        isRepeatable: true,
      },
    ]);
  });

  test('cuts a long request id to what the partner accepts, and sends the whole id in the notes', async () => {
    const refundRequestId = 'R'.repeat(255);
    const { made, api } = provider([{}]);
    await partnerOutbound.startRefund(api, { ...refund, refundRequestId });
    assert.deepEqual(made[0]?.body, {
      amount: 5_000,
      receipt: 'R'.repeat(40),
      notes: { svc_transaction_id: refund.transactionId, refund_request_id: refundRequestId },
    });
  });

  for (const paymentPspId of ['..', '.', '../orders', 'a/b', 'a?b#c']) {
    test(`stays on its path, whatever the payment id is: ${paymentPspId}`, async () => {
      const { made, api } = provider([{}]);
      await partnerOutbound.startRefund(api, { ...refund, paymentPspId });
      for (const { path } of made) assert.equal(new URL(path, api.url).pathname, path);
    });
  }

  for (const [status, means] of [
    ['pending', 'pending'],
    ['processed', 'succeeded'],
    ['failed', 'failed'],
    ['something new', 'pending'],
  ] as const) {
    test(`answered with ${status} is reported as ${means}`, async () => {
      const own = { svc_transaction_id: refund.transactionId, refund_request_id: 'REQ-1' };
      const record = partnerRefund({ id: 'pay_1' }, { id: 'rfnd_1', status, notes: own });
      const { result } = await partnerOutbound.startRefund(provider([record]).api, refund);
      assert.ok(result.kind === 'done');
      const [notice, ...more] = noticesOf(result.records);
      assert.equal(more.length, 0);
      assert.equal(notice?.refund?.status, means);
      assert.equal(notice?.refund?.paymentPspId, 'pay_1');
      assert.deepEqual(notice?.references.transactionIds, [refund.transactionId]);
    });
  }

  test('is unknown when the answer has no id, and refused when the partner refuses', async () => {
    const { api } = provider([{}, answered({ error: { description: 'Fully refunded' } }, 400)]);
    assert.equal((await partnerOutbound.startRefund(api, refund)).result.kind, 'unknown');
    assert.deepEqual((await partnerOutbound.startRefund(api, refund)).result, {
      kind: 'refused',
      why: 'HTTP status 400: Fully refunded',
    });
  });
});

describe('fetching the status of a payment', () => {
  test('with a known order lists the attempts to pay it', async () => {
    const captured = partnerPayment({ id: 'pay_2', order_id: 'order_1', notes });
    const failed = partnerPayment({ id: 'pay_1', order_id: 'order_1', status: 'failed' });
    const { made, api } = provider([{ items: [failed, captured] }]);
    const { result } = await fetchStatus(api, started({ providerOrderId: 'order_1' }));
    assert.deepEqual(made, [reading('/v1/orders/order_1/payments')]);
    assert.ok(result.kind === 'done');
    assert.deepEqual(
      [result.isKnown, result.wasTried, result.providerOrderId],
      [true, true, 'order_1'],
    );
    assert.deepEqual(
      noticesOf(result.records).map(({ payment }) => [payment?.pspTransactionId, payment?.status]),
      [
        ['pay_1', 'failed'],
        ['pay_2', 'succeeded'],
      ],
    );
  });

  test('without a known order finds it by the receipt and our id in the notes', async () => {
    const { made, api } = provider([
      { items: [{ id: 'order_9', notes: [] }, { id: 'order_1', notes }, 'no order', null] },
      { items: [] },
    ]);
    const { result } = await fetchStatus(api, started({}));
    assert.deepEqual(made, [
      reading(`/v1/orders?receipt=${orderId}&count=100`),
      reading('/v1/orders/order_1/payments'),
    ]);
    assert.deepEqual(result, {
      kind: 'done',
      isKnown: true,
      providerOrderId: 'order_1',
      wasTried: false,
      records: [],
    });
  });

  for (const items of [[], [{ id: 'order_9', notes: { svc_transaction_id: 'another' } }]]) {
    test(`without an order at the partner is not known there (${items.length} others)`, async () => {
      const { made, api } = provider([{ items }]);
      const { result } = await fetchStatus(api, started({}));
      assert.deepEqual(result, { kind: 'done', isKnown: false, wasTried: false, records: [] });
      assert.equal(made.length, 1);
    });
  }

  for (const body of [{}, { items: null }, { items: 'none' }, { items: {} }, { error: {} }]) {
    test(`is unknown when the answer has no list: ${JSON.stringify(body)}`, async () => {
      const { result } = await fetchStatus(provider([body]).api, started({}));
      assert.equal(result.kind, 'unknown');
      const tries = await fetchStatus(
        provider([body]).api,
        started({ providerOrderId: 'order_1' }),
      );
      assert.equal(tries.result.kind, 'unknown');
    });
  }

  test('reports an attempt in progress, although there is no record of it yet', async () => {
    const items = [partnerPayment({ id: 'pay_1', status: 'created' })];
    const { api } = provider([{ items }]);
    const { result } = await fetchStatus(api, started({ providerOrderId: 'order_1' }));
    assert.ok(result.kind === 'done');
    assert.deepEqual([result.wasTried, result.records], [true, []]);
  });

  test('leaves out records with other statuses and without an id', async () => {
    const items = [
      partnerPayment({ id: 'pay_1', status: 'created' }),
      partnerPayment({ id: 'pay_2', status: 'something new' }),
      partnerPayment({ id: null }),
      null,
      'pay_3',
      [],
      partnerPayment({ id: 'pay_4', status: 'authorized' }),
      partnerPayment({ id: 'pay_5', status: 'refunded' }),
    ];
    const { result } = await fetchStatus(
      provider([{ items }]).api,
      started({ providerOrderId: 'o' }),
    );
    assert.ok(result.kind === 'done');
    assert.deepEqual(
      noticesOf(result.records).map(({ payment }) => [payment?.pspTransactionId, payment?.status]),
      [
        ['pay_4', 'authorized'],
        ['pay_5', 'succeeded'],
      ],
    );
  });

  test('that was started elsewhere fetches that payment', async () => {
    const { made, api } = provider([partnerPayment({ id: 'pay_1' })]);
    const { result } = await fetchStatus(api, reported('pay_1'));
    assert.deepEqual(made, [reading('/v1/payments/pay_1')]);
    assert.ok(result.kind === 'done');
    assert.equal(result.isKnown, true);
    assert.equal(noticesOf(result.records)[0]?.payment?.status, 'succeeded');
  });

  for (const kind of ['unknown', 'not-sent'] as const) {
    test(`is ${kind} when the first or the second call is`, async () => {
      const answer: Answer = { kind, status: null, why: 'why', durationMs: 1, tries: 3 };
      const first = await fetchStatus(provider([answer]).api, started({}));
      assert.deepEqual(first, { answer, result: { kind, why: 'why' } });
      const found = { items: [{ id: 'order_1', notes }] };
      const second = await fetchStatus(provider([found, answer]).api, started({}));
      assert.deepEqual(second, { answer, result: { kind, why: 'why' } });
    });
  }

  test('is refused, not unknown there, when our credentials are refused', async () => {
    const { api } = provider([answered({ error: { description: 'Authentication failed' } }, 401)]);
    const { result } = await fetchStatus(api, started({}));
    assert.deepEqual(result, { kind: 'refused', why: 'HTTP status 401: Authentication failed' });
  });
});

describe('fetching the status of a refund', () => {
  const ours = partnerRefund(
    { id: 'pay_1' },
    { id: 'rfnd_1', notes: { svc_transaction_id: refund.transactionId } },
  );
  const another = partnerRefund({ id: 'pay_1' }, { id: 'rfnd_2' });

  test('finds ours among the refunds of the payment by our id', async () => {
    const { made, api } = provider([{ items: [another, ours, null] }]);
    const { result } = await fetchStatus(api, requestedRefund());
    assert.deepEqual(made, [reading('/v1/payments/pay_1/refunds?count=100&skip=0')]);
    assert.ok(result.kind === 'done');
    assert.equal(result.isKnown, true);
    assert.deepEqual(
      noticesOf(result.records).map((notice) => notice.refund?.pspTransactionId),
      ['rfnd_1'],
    );
  });

  test('finds a reported refund by its id', async () => {
    const { result } = await fetchStatus(
      provider([{ items: [ours, another] }]).api,
      requestedRefund('rfnd_2'),
    );
    assert.ok(result.kind === 'done');
    assert.ok(
      noticesOf(result.records).some(({ refund }) => refund?.pspTransactionId === 'rfnd_2'),
    );
  });

  test('is not known there when none is ours', async () => {
    for (const items of [[], [another]]) {
      const { result } = await fetchStatus(provider([{ items }]).api, requestedRefund());
      assert.deepEqual(result, { kind: 'done', isKnown: false, wasTried: false, records: [] });
    }
  });

  test('is unknown when the answer has no list', async () => {
    assert.equal((await fetchStatus(provider([{}]).api, requestedRefund())).result.kind, 'unknown');
  });
});

test('a refund is looked for on every page, up to the one that has it', async () => {
  const notes = { svc_transaction_id: refund.transactionId };
  const others = Array.from({ length: 100 }, (_entry, index) =>
    partnerRefund({ id: 'pay_1' }, { id: `rfnd_${index}` }),
  );
  const ours = partnerRefund({ id: 'pay_1' }, { id: 'rfnd_ours', notes });
  const pages = [others, [...others.slice(1), ours], [ours]].map((items) => ({ items }));
  const { made, api } = provider(pages);
  const { result } = await fetchStatus(api, requestedRefund());
  assert.deepEqual(
    made.map(({ path }) => path),
    [0, 100].map((skip) => `/v1/payments/pay_1/refunds?count=100&skip=${skip}`),
  );
  assert.ok(result.kind === 'done' && result.isKnown);
  assert.equal(result.records.length, 1);
});

describe('the status of a payment of which the partner has refunded more than we know', () => {
  const paymentOf = (amount_refunded: number) =>
    partnerPayment({ id: 'pay_1', status: 'captured', amount_refunded });
  const refundOf = (id: string, changes: object = {}) =>
    partnerRefund({ id: 'pay_1' }, { id, amount: 1_000, ...changes });
  const transaction = {
    ...foldPayment({ transactionId, provider: 'partner', start: null, notices: [] }, expected),
    pspTransactionId: 'pay_1',
    flags: ['refund_unknown'],
  } as FetchedTransaction;

  test('is read with its refunds, and is as of that time', async () => {
    const items = [refundOf('rfnd_1'), refundOf('rfnd_2', { status: 'failed' })];
    const { made, api } = provider([paymentOf(1_000), { items }]);
    const { result } = await fetchStatus(api, transaction);
    assert.deepEqual(made, [
      reading('/v1/payments/pay_1'),
      reading('/v1/payments/pay_1/refunds?count=100&skip=0'),
    ]);
    assert.ok(result.kind === 'done');
    const notices = noticesOf(result.records);
    assert.deepEqual(
      notices.map(({ refund, payment }) => refund?.pspTransactionId ?? payment?.refundedTotal),
      ['rfnd_1', 'rfnd_2', { amount: 1_000, atMs: 1_763_100_000_000 }],
    );
  });

  test('is read without the payment while the list lags behind its total', async () => {
    const { api } = provider([paymentOf(2_000), { items: [refundOf('rfnd_1')] }]);
    const { result } = await fetchStatus(api, transaction);
    assert.ok(result.kind === 'done');
    assert.deepEqual(
      noticesOf(result.records).map(({ refund }) => refund?.pspTransactionId),
      ['rfnd_1'],
    );
  });

  test('is read page by page', async () => {
    const page = Array.from({ length: 100 }, (_entry, index) => refundOf(`rfnd_${index}`));
    const { made, api } = provider([
      paymentOf(101_000),
      { items: page },
      { items: [refundOf('rfnd_last')] },
    ]);
    const { result } = await fetchStatus(api, transaction);
    assert.equal(made[2]?.path, '/v1/payments/pay_1/refunds?count=100&skip=100');
    assert.ok(result.kind === 'done');
    assert.equal(result.records.length, 102);
  });

  test('is unknown when a call has no usable answer', async () => {
    for (const answers of [[unanswered], [paymentOf(1_000), unanswered], [paymentOf(1_000), {}]]) {
      const { result } = await fetchStatus(provider(answers).api, transaction);
      assert.equal(result.kind, 'unknown');
    }
  });
});

/** A stub of the partner that gives these answers in turn and records the requests. */
function provider(answers: readonly (Answer | object)[]) {
  const made: ProviderRequest[] = [];
  const api: ProviderApi = {
    url: 'https://partner.test',
    login: 'rzp_test_1',
    secret: 'secret',
    settings: {},
    callProvider: async (given, request) => {
      assert.equal(given.secret, 'secret');
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

function reading(path: string): ProviderRequest {
  return { method: 'GET', isRepeatable: true, path, user: 'rzp_test_1' };
}

type FetchedTransaction = Parameters<typeof partnerOutbound.fetchStatus>[1]['transaction'];

function fetchStatus(api: ProviderApi, transaction: FetchedTransaction) {
  return partnerOutbound.fetchStatus(api, {
    orderId,
    transaction,
    now: new Date(1_763_100_000_000),
  });
}

function started(more: { readonly providerOrderId?: string }): FetchedTransaction {
  const start = { atMs: 0, amount: 11_800, currency: 'INR', call: 'unknown', ...more } as const;
  return foldPayment({ transactionId, provider: 'partner', start, notices: [] }, expected);
}

function reported(pspTransactionId: string): FetchedTransaction {
  const notices = [{ pspTransactionId, status: 'authorized', deliveryKey: 'key' } as const];
  return foldPayment({ transactionId, provider: 'partner', start: null, notices }, expected);
}

/** A refund requested here; with an id, the partner has reported it. */
function requestedRefund(pspTransactionId?: string): FetchedTransaction {
  const said = { status: 'pending', refundRequestId: 'REQ-1', deliveryKey: 'key' } as const;
  return foldRefund({
    transactionId: refund.transactionId,
    provider: 'partner',
    start: {
      atMs: 0,
      amount: 5_000,
      currency: 'INR',
      call: 'unknown',
      refund: { requestId: 'REQ-1', paymentPspId: 'pay_1' },
    },
    notices: pspTransactionId === undefined ? [] : [{ ...said, pspTransactionId }],
  });
}

/** The translations of the records; each must be readable. */
function noticesOf(records: Records) {
  return records.map((body) => {
    const translation = partner.translate({ headers: {}, body }, { expectedMerchant: null });
    assert.ok(translation.kind === 'notice', JSON.stringify(translation));
    return translation.notice;
  });
}
