import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { findOrderByInvoice } from '../../src/store/orders/orders.ts';
import { listTransactionsOf } from '../../src/store/payments/transactions.ts';
import { sweep } from '../../src/use-cases/upkeep/sweep.ts';
import { verifyInvariants } from '../../src/use-cases/upkeep/verify-invariants.ts';
import { assertAllAnnounced, lastingFlags, listBodies } from '../support/announced.ts';
import { partnerEvent, partnerPayment, sendGateway, sendPartner } from '../support/deliveries.ts';
import {
  arrange,
  expectedMerchant,
  type SetDelivery,
  setPlans,
  writeDeliveries,
} from '../support/delivery-sets.ts';
import { orderBody } from '../support/order-bodies.ts';
import { addEndpoint } from '../support/shop-endpoint.ts';
import { type Reply, startTestService, type TestAccount } from '../support/test-service.ts';

const seed = Number(process.env.ANY_ORDER_SEED ?? Date.now() % 2 ** 31);
const numRuns = Number(process.env.ANY_ORDER_HTTP_RUNS ?? 25);
console.log(`any order over HTTP: ${numRuns} sets, seed ${seed} (ANY_ORDER_SEED)`);

const callers = 8;
const service = await startTestService();
const settings = { bankGatewayMerchant: expectedMerchant };
const inOrder = await service.createAccount(settings);
const shuffled = await service.createAccount(settings);
const concurrent = await service.createAccount(settings);
for (const { accountId } of [inOrder, shuffled, concurrent]) {
  await addEndpoint(service, accountId, 'http://127.0.0.1:9/never-sent-here');
}
let sets = 0;

test('an enquiry shows the same result for deliveries in order, shuffled or concurrent', {
  timeout: 300_000,
}, async () => {
  await fc.assert(
    fc.asyncProperty(setPlans(3), fc.integer(), fc.integer(), async (plan, second, third) => {
      sets += 1;
      const invoiceId = `ANY-${sets}`;
      const deliveries = writeDeliveries(plan, { invoiceId, tag: `Set${sets}x` });
      const send = (account: TestAccount) => (delivery: SetDelivery) => deliver(account, delivery);
      await Promise.all([
        pipelined([
          () => createOrder(inOrder, invoiceId),
          ...deliveries.map((delivery) => () => deliver(inOrder, delivery)),
        ]),
        pipelined(
          amidst(arrange(deliveries, second).map(toJob(send(shuffled))), () =>
            createOrder(shuffled, invoiceId),
          ),
        ),
        concurrently(
          amidst(arrange(deliveries, third).map(toJob(send(concurrent))), () =>
            createOrder(concurrent, invoiceId),
          ),
        ),
      ]);
      await settle();
      const expected = await shownOf(inOrder, invoiceId);
      assert.deepEqual(await shownOf(shuffled, invoiceId), expected);
      assert.deepEqual(await shownOf(concurrent, invoiceId), expected);
      for (const account of [inOrder, shuffled, concurrent]) {
        assertAllAnnounced(
          await enquire(account, invoiceId),
          await listBodies(service.database, account),
        );
      }
    }),
    { seed, numRuns, interruptAfterTimeLimit: 280_000, markInterruptAsFailure: true },
  );
});

test('a delivery that arrives while its order is created does not stay parked', async () => {
  for (let round = 0; round < 100; round += 1) {
    const invoiceId = `TOGETHER-${round}`;
    const payment = partnerPayment({ notes: { invoice_id: invoiceId } });
    await Promise.all([
      createOrder(concurrent, invoiceId),
      deliver(concurrent, {
        provider: 'partner',
        body: partnerEvent('payment.captured', { payment }),
      }),
    ]);
    assert.equal((await enquire(concurrent, invoiceId)).order.status, 'completed', invoiceId);
  }
});

test('afterwards no delivery is parked and every invariant holds', async () => {
  await settle();
  const { orders, breaches } = await verifyInvariants(service.services);
  assert.ok(orders >= 3 * sets);
  assert.deepEqual(breaches, []);
});

type Job = () => Promise<void>;

function toJob(send: (delivery: SetDelivery) => Promise<void>) {
  return (delivery: SetDelivery): Job =>
    () =>
      send(delivery);
}

/** Creates the order after half of the deliveries. */
function amidst(jobs: readonly Job[], createsOrder: Job): Job[] {
  return jobs.toSpliced(Math.floor(jobs.length / 2), 0, createsOrder);
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

async function createOrder(account: TestAccount, invoice_id: string): Promise<void> {
  const reply = await service.call('/api/v3/create-order', {
    token: account.token,
    body: orderBody({ invoice_id }),
  });
  assert.equal(reply.status, 200);
}

async function deliver(account: TestAccount, delivery: SetDelivery): Promise<void> {
  const { provider, eventId, body } = delivery;
  const options = eventId === undefined ? {} : { eventId };
  const reply =
    provider === 'partner'
      ? await sendPartner(service, account, body, options)
      : await sendGateway(service, account, body, options);
  assert.equal(reply.status, 200, JSON.stringify(reply.body));
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

async function enquire({ token }: TestAccount, invoice_id: string): Promise<Reply['body']> {
  const reply = await service.call('/api/v3/transaction-enquiry', { token, body: { invoice_id } });
  assert.equal(reply.status, 200);
  return reply.body;
}

/** The reply of an enquiry with the flags, without ids of the order and without signatures. */
async function shownOf(account: TestAccount, invoiceId: string): Promise<unknown> {
  const { accountId } = account;
  const order = await findOrderByInvoice(service.database, accountId, invoiceId);
  assert.ok(order);
  const listed = await listTransactionsOf(service.database, [
    { accountId, orderId: order.orderId },
  ]);
  const stored = listed.map(({ transaction }) => transaction);
  const { transaction, ...answer } = await enquire(account, invoiceId);
  const shown = {
    ...answer,
    transaction: transaction.map(withoutFirstRecord),
    attempts: order.attempts,
    flags: order.flags,
    flagsOfTransactions: stored
      .map((entry) => [entry.pspTransactionId, lastingFlags(entry.flags)])
      .sort(),
  };
  const text = JSON.stringify(shown)
    .replaceAll(order.orderId, 'ORDER')
    .replaceAll(/"svc_signature":"[0-9a-f]{64}"/g, '"svc_signature":"signed"');
  return JSON.parse(text);
}

/** A gateway payment may have several records, and its id comes from the one that arrived first. */
function withoutFirstRecord(element: Reply['body']): unknown {
  const isByRecord = element.payment_partner === 'Mastercard Gateway' && element.payment_status;
  assert.match(element.svc_transaction_id, /^o_[0-9A-Za-z]{16}-\d{12}$/);
  if (!isByRecord) return element;
  const svc_transaction_id = 'by the first record';
  const disputes = element.disputes.map((dispute: Reply['body']) => {
    assert.equal(dispute.svc_transaction_id, element.svc_transaction_id);
    return { ...dispute, svc_transaction_id };
  });
  return { ...element, svc_transaction_id, disputes };
}
