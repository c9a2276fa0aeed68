import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, describe, test } from 'node:test';
import fc from 'fast-check';
import { failureReason } from '../../../src/domain/payments/failure.ts';
import { findOrderByInvoice } from '../../../src/store/orders/orders.ts';
import { listTransactionsOf } from '../../../src/store/payments/transactions.ts';
import { recordCall } from '../../../src/use-cases/payments/record-calls.ts';
import { sweep } from '../../../src/use-cases/upkeep/sweep.ts';
import { verifyInvariants } from '../../../src/use-cases/upkeep/verify-invariants.ts';
import { assertAllAnnounced, lastingFlags, listBodies } from '../../support/announced.ts';
import {
  gatewayBody,
  partnerEvent,
  partnerPayment,
  partnerRefund,
  sendGateway,
  sendPartner,
} from '../../support/deliveries.ts';
import {
  arrange,
  expectedMerchant,
  type SetDelivery,
  type SetPlan,
  setPlans,
  writeDeliveries,
} from '../../support/delivery-sets.ts';
import { orderBody } from '../../support/order-bodies.ts';
import { addEndpoint } from '../../support/shop-endpoint.ts';
import { type Reply, startTestService } from '../../support/test-service.ts';

const seed = Number(process.env.ANY_ORDER_SEED ?? Date.now() % 2 ** 31);
const numRuns = Number(process.env.ANY_ORDER_HTTP_RUNS ?? 8);
console.log(`started, any order over HTTP: ${numRuns} sets, seed ${seed} (ANY_ORDER_SEED)`);

const callers = 8;
const service = await startTestService();
/** Its answers say nothing about our calls: the test itself records their results, at any moment. */
const provider = createServer((_request, response) => response.writeHead(409).end());
provider.listen(0, '127.0.0.1');
await once(provider, 'listening');
after(() => provider.close());
const url = `http://127.0.0.1:${(provider.address() as AddressInfo).port}`;
const shop = await service.createAccount({
  bankGatewayMerchant: expectedMerchant,
  paymentModes: { upi: 'partner', credit_card: 'bank-gateway' },
  providerApis: {
    partner: { url, login: 'rzp_test_1' },
    'bank-gateway': { url, login: expectedMerchant },
  },
  apiSecrets: { 'partner-key-secret': 'secret', 'bank-gateway-password': 'password' },
});
await addEndpoint(service, shop.accountId, 'http://127.0.0.1:9/never-sent-here');
let sets = 0;

/** Several payments of one order with their tries, and some payments that were not started here. */
const plans = fc.record({
  checkouts: fc.array(setPlans(3).map(ofOneProvider), { minLength: 1, maxLength: 2 }),
  others: fc.option(setPlans(1), { nil: [] }),
});
type Plan = typeof plans extends fc.Arbitrary<infer Value> ? Value : never;

test('an enquiry shows the same result for deliveries and answers in order, shuffled or concurrent', {
  timeout: 300_000,
}, async () => {
  await fc.assert(
    fc.asyncProperty(plans, fc.integer(), fc.integer(), async (plan, second, third) => {
      sets += 1;
      const [first, shuffled, together] = await Promise.all(
        ['a', 'b', 'c'].map((variant) => begin(plan, `SET-${sets}-${variant}`)),
      );
      assert.ok(first && shuffled && together);
      await Promise.all([
        pipelined(first.jobs),
        pipelined(arrange(shuffled.jobs, second)),
        concurrently(arrange(together.jobs, third)),
      ]);
      await settle();
      const expected = await shownOf(first);
      assert.deepEqual(await shownOf(shuffled), expected);
      assert.deepEqual(await shownOf(together), expected);
    }),
    { seed, numRuns, interruptAfterTimeLimit: 280_000, markInterruptAsFailure: true },
  );
});

describe('a webhook that arrives before the answer to our call', () => {
  const captured = (invoiceId: string, notes: object) =>
    partnerEvent('payment.captured', {
      payment: partnerPayment({ id: `pay_${invoiceId}`, order_id: `order_${invoiceId}`, notes }),
    });

  test('and has only the provider order id is parked, and then shown under our id', async () => {
    const { order, started } = await beginOne('FAST-1', 'upi');
    const reply = await sendPartner(service, shop, captured('FAST-1', []));
    assert.deepEqual([reply.status, reply.body.status], [200, 'parked']);
    await recordAnswer(order, started, 'order_FAST-1');
    assert.deepEqual(await elementsOf('FAST-1'), [`${started} succeeded pay_FAST-1`]);
  });

  test('and has only our order id is a separate transaction until the answer arrives', async () => {
    const { order, started } = await beginOne('FAST-2', 'upi');
    await deliver({ provider: 'partner', body: captured('FAST-2', { svc_order_id: order }) });
    const before = await elementsOf('FAST-2');
    assert.equal(before.length, 2);
    assert.ok(before.includes(`${started} pending null`));
    assert.ok(before.some((element) => element.endsWith('succeeded pay_FAST-2')));
    await recordAnswer(order, started, 'order_FAST-2');
    assert.deepEqual(await elementsOf('FAST-2'), [`${started} succeeded pay_FAST-2`]);
  });
});

describe('of two tries at one checkout', () => {
  const attempt = (invoiceId: string, transaction: string, name: string, status: string) => {
    const record = partnerPayment({
      id: `pay_${name}_${invoiceId}`,
      status,
      created_at: name === 'A' ? 1_794_700_000 : 1_794_700_060,
      notes: { svc_transaction_id: transaction },
    });
    return partnerEvent(`payment.${status}`, { payment: record });
  };

  test('our id moves between them as they change, and the history shows it', async () => {
    const { order, started } = await beginOne('SWAP-1', 'upi');
    const steps = [
      ['A', 'failed', 'A'],
      ['B', 'authorized', 'B'],
      ['A', 'authorized', 'A'],
      ['B', 'captured', 'B'],
      ['A', 'captured', 'A'],
    ] as const;
    for (const [name, status, shows] of steps) {
      await deliver({ provider: 'partner', body: attempt('SWAP-1', started, name, status) });
      const own = (await elementsOf('SWAP-1')).find((element) => element.startsWith(started));
      assert.ok(own?.endsWith(`pay_${shows}_SWAP-1`), own);
      const { breaches } = await verifyInvariants(service.services);
      assert.deepEqual(
        breaches.filter(({ where }) => where.startsWith(order)),
        [],
      );
    }
    assert.equal((await elementsOf('SWAP-1')).length, 2);
  });
});

describe('a refund that failed and is requested again with the same request id', () => {
  const providers = ['partner', 'bank-gateway'] as const;
  const ends = ['reported as failed', 'refused at once'] as const;
  const cases = providers.flatMap((provider) => ends.map((end) => ({ provider, end })));
  for (const { provider, end } of cases) {
    test(`is distinguished from the first with ${provider}, which was ${end}`, async () => {
      const invoiceId = `AGAIN-${provider}-${end.slice(0, 7)}`;
      const mode = provider === 'partner' ? 'upi' : 'credit_card';
      const { order, started } = await beginOne(invoiceId, mode);
      await deliver(paidBy(provider, started));
      const first = await requestRefund(started);
      if (end === 'refused at once') await recordAnswer(order, first, undefined, 'refused');
      else await deliver(refundOf(provider, started, first, 'failed'));
      const second = await requestRefund(started);
      await deliver(refundOf(provider, started, second, 'processed'));
      assert.equal(await countParked(), 0);
      assert.deepEqual(
        (await elementsOf(invoiceId)).map((element) => element.split(' ').slice(0, 2)),
        [
          [started, 'succeeded'],
          [first, 'failed'],
          [second, 'succeeded'],
        ],
      );
    });
  }

  const requestRefund = async (transaction_id: string): Promise<string> => {
    const reply = await service.call('/api/v3/refund', {
      token: shop.token,
      body: { transaction_id, refund_request_id: `REQ-${transaction_id}`, refund_amount: 50 },
    });
    assert.equal(reply.status, 200, JSON.stringify(reply.body));
    return reply.body.transaction_id;
  };

  const paidBy = (provider: SetDelivery['provider'], transaction: string): SetDelivery => {
    const notes = { svc_transaction_id: transaction };
    return provider === 'partner'
      ? {
          provider,
          body: partnerEvent('payment.captured', {
            payment: partnerPayment({ id: `pay_${transaction}`, notes }),
          }),
        }
      : { provider, body: gatewayBody({ order: { id: transaction } }) };
  };

  const refundOf = (
    provider: SetDelivery['provider'],
    paid: string,
    refund: string,
    status: 'failed' | 'processed',
  ): SetDelivery => {
    const receipt = `REQ-${paid}`;
    if (provider === 'partner') {
      const record = partnerRefund(
        { id: `pay_${paid}` },
        {
          id: `rfnd_${refund}`,
          amount: 5_000,
          status,
          receipt: receipt.slice(0, 40),
          notes: { svc_transaction_id: refund, refund_request_id: receipt },
        },
      );
      return { provider, body: partnerEvent(`refund.${status}`, { refund: record }) };
    }
    const transaction = { id: refund, type: 'REFUND', amount: 50, reference: receipt };
    const result = status === 'failed' ? 'FAILURE' : 'SUCCESS';
    const response = { gatewayCode: status === 'failed' ? 'DECLINED' : 'APPROVED' };
    return {
      provider,
      body: gatewayBody({
        result,
        response,
        order: { id: paid },
        transaction: { ...transaction, targetTransactionId: '1' },
      }),
    };
  };
});

test('a payment that gets the id of a removed one is announced as what it is', async () => {
  const update = { hasNotificationId: false, isForm: false, isDetailed: false, hasTarget: false };
  const attempt = {
    provider: 'bank-gateway',
    isNamedByReference: false,
    amount: 'expected',
    authentication: null,
    steps: [],
    targets: 'always',
    hasTotals: false,
    isFetched: false,
  } as const;
  const updates = (result: 'SUCCESS' | 'FAILURE' | 'PENDING') => [
    { ...update, result, isOwnMerchant: true },
  ];
  const declinedAndCaptured = {
    ...attempt,
    authentication: { statuses: ['AUTHENTICATION_UNSUCCESSFUL'], isDetailed: [false] },
    type: 'AUTHORIZATION',
    updates: updates('FAILURE'),
    steps: [{ kind: 'capture', quarters: 1, updates: updates('SUCCESS') }],
  } as const;
  const pending = { ...attempt, type: 'PAYMENT', updates: updates('PENDING') } as const;
  const plan = { checkouts: [[declinedAndCaptured]], others: [pending] } as unknown as Plan;
  const begun = await begin(plan, 'REUSED-1');
  await pipelined(begun.jobs);
  await shownOf(begun);
  const bodies = await listBodies(service.database, shop);
  const told = bodies
    .filter(({ svc_order_id }) => svc_order_id === begun.orderId)
    .sort((a, b) => a.sequence - b.sequence);
  const removed = told.find(({ message }) => message === 'transaction_removed');
  const ofThatId = told.filter((body) => body.svc_transaction_id === removed?.svc_transaction_id);
  assert.deepEqual(
    ofThatId.map(({ event_type, status }) => `${event_type} ${status}`),
    ['payment_failed failed', 'review_needed removed', 'review_needed pending'],
  );
});

test('afterwards no delivery is parked and every invariant holds', async () => {
  await settle();
  const { orders, breaches } = await verifyInvariants(service.services);
  assert.ok(orders >= 3 * sets);
  assert.deepEqual(breaches, []);
});

type Job = () => Promise<void>;
type Begun = {
  readonly invoiceId: string;
  readonly orderId: string;
  readonly started: readonly string[];
  readonly jobs: readonly Job[];
};

function ofOneProvider(plan: SetPlan): SetPlan {
  return plan
    .filter(({ provider }) => provider === plan[0]?.provider)
    .map((attempt) =>
      attempt.provider === 'partner' ? attempt : { ...attempt, isNamedByReference: false },
    );
}

/** Creates the order and starts its payments. Deliveries and answers follow in any order. */
async function begin({ checkouts, others }: Plan, invoiceId: string): Promise<Begun> {
  const orderId = await createOrder(invoiceId);
  const started: string[] = [];
  const jobs: Job[] = [];
  for (const [index, tries] of checkouts.entries()) {
    const isPartner = tries[0]?.provider === 'partner';
    const transactionId = await startPayment(orderId, isPartner ? 'upi' : 'credit_card');
    started.push(transactionId);
    const tag = `${invoiceId}x${index}`;
    const deliveries = writeDeliveries(tries, { invoiceId: transactionId, tag });
    jobs.push(
      () => recordAnswer(orderId, transactionId, isPartner ? `order_${tag}` : undefined),
      ...deliveries.map(
        (delivery, number) => () =>
          deliver(
            withSortableDigest(named(delivery, `${tag}n${number}`, transactionId), index, number),
          ),
      ),
    );
  }
  const tag = `${invoiceId}x9`;
  const foreign = writeDeliveries(others, { invoiceId, tag });
  jobs.push(
    ...foreign.map(
      (delivery, number) => () =>
        deliver(withSortableDigest(named(delivery, `${tag}n${number}`), 9, number)),
    ),
  );
  return { invoiceId, orderId, started, jobs };
}

async function beginOne(invoiceId: string, mode: 'upi' | 'credit_card') {
  const order = await createOrder(invoiceId);
  return { order, started: await startPayment(order, mode) };
}

/**
 * Notices of equal rank and time are sorted by the digests of their bodies, which differ between orders. An added field
 * that is not read makes the digests start with the same bytes, so that they sort the same way for every order.
 */
function withSortableDigest(delivery: SetDelivery, group: number, number: number): SetDelivery {
  const beginning = `${group}${(number % 256).toString(16).padStart(2, '0')}`;
  const { body } = delivery;
  const isForm = typeof body === 'string';
  const before = isForm ? `${body}&padding=` : `${JSON.stringify(body).slice(0, -1)},"padding":`;
  const hash = createHash('sha256').update(before);
  for (let padding = 0; ; padding += 1) {
    const digest = hash
      .copy()
      .update(isForm ? `${padding}` : `${padding}}`)
      .digest('hex');
    if (digest.startsWith(beginning)) {
      return { ...delivery, body: isForm ? `${before}${padding}` : { ...body, padding } };
    }
  }
}

/** With a separate event id, and with our transaction id in its notes. */
function named(delivery: SetDelivery, eventId: string, transactionId?: string): SetDelivery {
  if (delivery.provider !== 'partner' || transactionId === undefined) {
    return { eventId, ...delivery };
  }
  const isNotes = (value: unknown) => (value as { invoice_id?: string }).invoice_id !== undefined;
  const body = JSON.parse(JSON.stringify(delivery.body), (name, value) =>
    name === 'notes' && isNotes(value) ? { svc_transaction_id: transactionId } : value,
  );
  return { eventId, ...delivery, body };
}

async function createOrder(invoice_id: string): Promise<string> {
  const body = orderBody({ invoice_id });
  const reply = await service.call('/api/v3/create-order', { token: shop.token, body });
  assert.equal(reply.status, 200);
  return reply.body.order_id;
}

async function startPayment(order_id: string, mode: 'upi' | 'credit_card'): Promise<string> {
  const reply = await service.call('/api/v3/initiate-payment', {
    token: shop.token,
    body: {
      order_id,
      payment_mode_code: mode,
      ...(mode === 'upi' && { upi_id: 'asha@okbank' }),
    },
  });
  assert.deepEqual([reply.status, reply.body.payment_status], [200, 'pending']);
  return reply.body.transaction_id;
}

/** Records an answer of the provider to our call or to a later poll. */
async function recordAnswer(
  orderId: string,
  transactionId: string,
  providerOrderId: string | undefined,
  call: 'taken' | 'refused' = 'taken',
): Promise<void> {
  const failure = failureReason('REFUND_FAILED', 'HTTP status 400');
  await recordCall(service.services, {
    accountId: shop.accountId,
    orderId,
    transactionId,
    provider: 'partner',
    operation: 'fetch-status',
    answer: { kind: 'answered', status: 200, body: {}, durationMs: 1, tries: 1 },
    outcome: 'done',
    callResult: call === 'taken' ? { call, providerOrderId } : { call, failure, atMs: Date.now() },
  });
}

async function deliver({ provider, eventId, body }: SetDelivery): Promise<void> {
  const options = eventId === undefined ? {} : { eventId };
  const reply =
    provider === 'partner'
      ? await sendPartner(service, shop, body, options)
      : await sendGateway(service, shop, body, options);
  assert.equal(reply.status, 200, JSON.stringify(reply.body));
}

async function pipelined(jobs: readonly Job[]): Promise<void> {
  for (const job of jobs) await job();
}

async function concurrently(jobs: readonly Job[]): Promise<void> {
  const queue = [...jobs];
  const work = async () => {
    for (let job = queue.shift(); job; job = queue.shift()) await job();
  };
  await Promise.all(Array.from({ length: callers }, work));
}

/** Retries the due deliveries, as the background does. None may need a second try. */
async function settle(): Promise<void> {
  if ((await countParked()) === 0) return;
  service.advanceSeconds(2);
  await sweep(service.services);
  assert.equal(await countParked(), 0);
}

async function countParked(): Promise<number> {
  const { rows } = await service.database.query<{ count: number }>({
    // A void may stay parked: the random set need not contain its target.
    text: `select count(*)::int as count from deliveries
            where state in ('received', 'parked', 'dead')
              and position('VOID_' in convert_from(body, 'UTF8')) = 0`,
  });
  return rows[0]?.count ?? 0;
}

async function enquire(invoice_id: string): Promise<Reply['body']> {
  const body = { invoice_id };
  const reply = await service.call('/api/v3/transaction-enquiry', { token: shop.token, body });
  assert.equal(reply.status, 200);
  return reply.body;
}

async function elementsOf(invoiceId: string): Promise<string[]> {
  const { transaction } = await enquire(invoiceId);
  return transaction
    .map((element: Record<string, unknown>) => {
      const status = element.payment_status ?? element.refund_status;
      return `${element.svc_transaction_id} ${status} ${element.psp_transaction_id}`;
    })
    .sort();
}

/** The reply of an enquiry with the flags, without values that differ between orders. */
async function shownOf({ invoiceId, orderId, started }: Begun): Promise<unknown> {
  const { accountId } = shop;
  const order = await findOrderByInvoice(service.database, accountId, invoiceId);
  assert.ok(order);
  const listed = await listTransactionsOf(service.database, [{ accountId, orderId }]);
  const stored = listed.map(({ transaction }) => transaction);
  const enquiry = await enquire(invoiceId);
  assertAllAnnounced(enquiry, await listBodies(service.database, shop));
  const { transaction, ...answer } = enquiry;
  const shown = {
    ...answer,
    transaction: transaction.map((element: Reply['body']) =>
      // The start time is that of our call.
      started.includes(element.svc_transaction_id) ? { ...element, completion_time: 0 } : element,
    ),
    attempts: order.attempts,
    flags: order.flags,
    flagsOfTransactions: stored.map((entry) => [entry.pspTransactionId, lastingFlags(entry.flags)]),
    notices: stored.map(({ notices }) =>
      notices.map(({ deliveryKey }) => deliveryKey.slice(0, 3)).sort(),
    ),
  };
  const withOurs = started.reduce(
    (text, id, index) => text.replaceAll(id, `OURS ${index}`),
    JSON.stringify(shown),
  );
  const text = withOurs
    .replaceAll(new RegExp(`${orderId}-\\d{12}`, 'g'), 'GIVEN')
    .replaceAll(orderId, 'ORDER')
    .replaceAll(invoiceId, 'INVOICE')
    .replaceAll(/"svc_signature":"[0-9a-f]{64}"/g, '"svc_signature":"signed"');
  const plain = JSON.parse(text);
  for (const name of ['transaction', 'flagsOfTransactions', 'notices']) {
    plain[name].sort((a: unknown, b: unknown) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
  }
  return plain;
}
