import assert from 'node:assert/strict';
import { createServer, type Socket } from 'node:net';
import { after, test } from 'node:test';
import { Registry } from 'prom-client';
import { retrySeconds } from '../../../src/domain/inbox/retry-schedule.ts';
import { createMetrics } from '../../../src/http/operator/metrics.ts';
import { measureService } from '../../../src/http/operator/service-metrics.ts';
import { openDatabase } from '../../../src/postgres/database.ts';
import { buildApp } from '../../../src/process/app.ts';
import { createServices } from '../../../src/process/create-services.ts';
import { createLog } from '../../../src/process/log.ts';
import {
  type OperatorCounters,
  readOperatorCounters,
} from '../../../src/store/upkeep/operator-counters.ts';
import { retryDelivery } from '../../../src/use-cases/inbox/retry-deliveries.ts';
import { findFreePort } from '../../../tools/harness/free-port.ts';
import { waitUntil } from '../../../tools/harness/wait-until.ts';
import { partnerEvent, partnerPayment, sendPartner } from '../../support/deliveries.ts';
import { lockOrders } from '../../support/lock-orders.ts';
import { issueMerchantToken } from '../../support/merchant-token.ts';
import { movedSince, readSamples, scrape } from '../../support/metrics.ts';
import { orderBody } from '../../support/order-bodies.ts';
import { refuseRows } from '../../support/refuse-rows.ts';
import { callService, startTestService, testMasterKeyHex } from '../../support/test-service.ts';

const service = await startTestService();
const account = await service.createAccount();

test('a new service reports every metric as zero', async () => {
  const samples = await scrape(service);
  assert.equal(samples.get('database_up'), 1);
  for (const state of ['received', 'parked', 'dead', 'needs_review']) {
    assert.equal(samples.get(`inbox_deliveries{state="${state}"}`), 0, state);
    assert.equal(samples.get(`inbox_oldest_delivery_age_seconds{state="${state}"}`), 0, state);
  }
  for (const age of ['under_10m', 'under_1h', 'under_1d', 'under_2d', 'under_10d', 'over_10d']) {
    assert.equal(samples.get(`transactions_open{type="payment",age="${age}"}`), 0, age);
    assert.equal(samples.get(`transactions_open{type="refund",age="${age}"}`), 0, age);
  }
  for (const queue of ['connections', 'create-order', 'enquiry', 'deliveries']) {
    assert.equal(samples.get(`database_queue_length{queue="${queue}"}`), 0, queue);
    assert.equal(samples.get(`requests_shed_total{queue="${queue}"}`), 0, queue);
  }
});

test('a parked delivery is counted, grows old, and is dead after its last try', async () => {
  const { deliveryId } = await sendPayment({ notes: { svc_order_id: 'o_0000000000000000' } });
  assert.equal(await read('inbox_deliveries{state="parked"}'), 1);
  service.advanceSeconds(500);
  await assertAge('inbox_oldest_delivery_age_seconds{state="parked"}', 500);

  for (const seconds of retrySeconds) {
    service.advanceSeconds(seconds);
    await retryDelivery(service.services, account.accountId, deliveryId, 'due');
  }
  assert.equal(await read('inbox_deliveries{state="parked"}'), 0);
  assert.equal(await read('inbox_oldest_delivery_age_seconds{state="parked"}'), 0);
  assert.equal(await read('inbox_deliveries{state="dead"}'), 1);
});

test('a delivery that could not be applied is counted until it is applied', async () => {
  const order_id = await createOrder();
  const mend = await refuseRows(service.database, 'transactions');
  const { deliveryId } = await sendPayment({ notes: { svc_order_id: order_id } });
  assert.equal(await read('inbox_deliveries{state="received"}'), 1);
  service.advanceSeconds(70);
  await assertAge('inbox_oldest_delivery_age_seconds{state="received"}', 70);

  await mend();
  await retryDelivery(service.services, account.accountId, deliveryId, 'due');
  assert.equal(await read('inbox_deliveries{state="received"}'), 0);
});

test('a delivery with a flag for review is counted', async () => {
  const order_id = await createOrder();
  const { status } = await sendPayment({ notes: { svc_order_id: order_id }, amount: 100 });
  assert.equal(status, 'needs_review');
  assert.equal(await read('inbox_deliveries{state="needs_review"}'), 1);
});

test('the time of the last delivery is recorded for each provider', async () => {
  await sendPayment({ notes: { svc_order_id: await createOrder() } });
  const name = (provider: string) =>
    `provider_last_delivery_timestamp_seconds{provider="${provider}"}`;
  const at = (await read(name('partner'))) ?? 0;
  const now = service.services.clock().getTime() / 1000;
  assert.ok(Math.abs(now - at) < 5, `${at} is not ${now}`);
  assert.equal(await read(name('bank-gateway')), undefined);
});

test('a payment is counted by its age until it is final', async () => {
  const payment = partnerPayment({
    notes: { svc_order_id: await createOrder() },
    status: 'authorized',
    captured: false,
    created_at: Math.floor(service.services.clock().getTime() / 1000),
  });
  await sendPartner(service, account, partnerEvent('payment.authorized', { payment }));
  for (const [age, seconds] of [
    ['under_10m', 900],
    ['under_1h', 3_600],
    ['under_1d', 24 * 3600],
    ['under_2d', 24 * 3600],
    ['under_10d', 240 * 3600],
    ['over_10d', 0],
  ] as const) {
    const samples = await scrape(service);
    const ages = [...samples].filter(
      ([name, value]) => name.startsWith('transactions_open{') && value > 0,
    );
    assert.deepEqual(ages, [[`transactions_open{type="payment",age="${age}"}`, 1]]);
    service.advanceSeconds(seconds);
  }
  const captured = { ...payment, status: 'captured', captured: true };
  await sendPartner(service, account, partnerEvent('payment.captured', { payment: captured }));
  assert.equal(await read('transactions_open{type="payment",age="over_10d"}'), 0);
});

test('creates that are sent in one batch are counted as a batch of that size', async () => {
  const before = await scrape(service);
  await Promise.all(Array.from({ length: 10 }, createOrder));
  const moved = movedSince(before, await scrape(service));
  assert.equal(moved('commit_batch_size_sum{queue="create-order"}'), 10);
  const batches = moved('commit_batch_size_count{queue="create-order"}');
  assert.ok(batches >= 1 && batches <= 10, `${batches} batches`);
  assert.equal(moved('commit_batch_size_bucket{le="128",queue="create-order"}'), batches);
});

test('the time of a batch is divided into stages', async () => {
  const before = await scrape(service);
  await createOrder();
  const payment = partnerPayment({ id: 'pay_OfStages' });
  await sendPartner(service, account, partnerEvent('payment.captured', { payment }));
  const moved = movedSince(before, await scrape(service));
  const counted = (queue: string, stage: string) =>
    moved(`commit_batch_stage_seconds_count{queue="${queue}",stage="${stage}"}`);
  for (const stage of ['wait', 'lock', 'fold', 'database', 'answer'])
    assert.equal(counted('deliveries', stage), 1, stage);
  // What is not told apart is work of the database.
  for (const stage of ['wait', 'database', 'answer'])
    assert.equal(counted('create-order', stage), 1, stage);
  const seconds = moved('commit_batch_stage_seconds_sum{queue="create-order",stage="database"}');
  assert.ok(seconds > 0 && seconds < 5, `${seconds} s`);
});

test('waiting and shed requests are counted by queue', async (t) => {
  const before = await scrape(service);
  const release = await lockOrders(service.database, t);
  const question = { accountId: account.accountId, idName: 'order_id', id: 'o_1' } as const;
  const { findOrderWithTransactions: ask } = service.services.batches;
  const asked = Array.from({ length: 2_003 }, () => ask(question).then(() => 'told', String));
  const during = await scrape(service);
  await release();
  const outcomes = await Promise.all(asked);

  assert.equal(outcomes.filter((outcome) => outcome !== 'told').length, 3);
  assert.equal(movedSince(before, during)('requests_shed_total{queue="enquiry"}'), 3);
  const waiting = during.get('database_queue_length{queue="enquiry"}') ?? 0;
  assert.ok(waiting > 1_000, `${waiting} wait`);
  assert.equal(await read('database_queue_length{queue="enquiry"}'), 0);
});

test('a call to a provider that cannot be reached is counted by its outcome', async () => {
  const url = `http://127.0.0.1:${await findFreePort()}`;
  const shop = await service.createAccount({
    providerApis: { partner: { url, login: 'rzp_test_metrics' } },
    apiSecrets: { 'partner-key-secret': 'partner_key_secret_metrics' },
  });
  const order = await service.call('/api/v3/create-order', {
    token: shop.token,
    body: orderBody(),
  });
  const { status } = await service.call('/api/v3/initiate-payment', {
    token: shop.token,
    body: {
      order_id: order.body.order_id,
      payment_mode_code: 'upi',
      upi_id: 'asha@okbank',
    },
  });
  assert.equal(status, 200);
  const labels = 'provider="partner",operation="start-payment",outcome="not-sent"';
  assert.equal(await read(`provider_calls_total{${labels}}`), 1);
});

test('while the database hangs the page reports that, and has all metrics that do not need it', async () => {
  const sockets = new Set<Socket>();
  const silent = createServer((socket) => sockets.add(socket)).listen(0, '127.0.0.1');
  await waitUntil('it listens', () => silent.listening);
  const { port } = silent.address() as { port: number };
  const database = openDatabase({ host: '127.0.0.1', port, user: 'u', database: 'd' });
  after(() => database.close());
  const metrics = createMetrics();
  const app = await buildApp({
    services: createServices({
      database,
      masterKeyHex: testMasterKeyHex,
      settings: { publicUrl: 'http://service.test', orderLapseSeconds: 3600 },
    }),
    metrics,
    log: createLog('silent'),
    checkReadiness: async () => ({ missing: [], late: [] }),
    renderMetrics: async () => ({
      contentType: 'text/plain',
      text: await metrics.registry.metrics(),
    }),
  });
  after(() => app.close());
  const baseUrl = await app.listen({ host: '127.0.0.1', port: 0 });

  const startedAt = performance.now();
  const { status, body } = await callService(baseUrl, '/metrics');
  assert.equal(status, 200);
  assert.ok(performance.now() - startedAt < 2_500, 'the page waits for nobody');
  const samples = readSamples(body);
  assert.equal(samples.get('database_up'), 0);
  assert.equal(samples.get('database_queue_length{queue="create-order"}'), 0);
  assert.ok(samples.has('process_start_time_seconds'));
  assert.deepEqual(
    [...samples.keys()].filter((name) =>
      /^(inbox|transactions|reviews|background|stored)_/.test(name),
    ),
    [],
  );
  silent.close();
  for (const socket of sockets) socket.destroy();
});

test('values from a database that is gone are no longer reported', async () => {
  const registry = new Registry();
  let stored: OperatorCounters | undefined = await readOperatorCounters(
    service.database,
    new Date(),
  );
  const measured = { ...service.services, queueStats: service.database.queueStats };
  measureService(registry, measured, async () => stored);
  assert.match(await registry.metrics(), /^inbox_deliveries\{/m);
  stored = undefined;
  assert.doesNotMatch(await registry.metrics(), /^(inbox|transactions|reviews|background)_\w+\{/m);
});

async function read(name: string): Promise<number | undefined> {
  return (await scrape(service)).get(name);
}

async function assertAge(name: string, seconds: number): Promise<void> {
  const age = (await read(name)) ?? 0;
  assert.ok(age >= seconds && age < seconds + 10, `${name} is ${age}`);
}

/** A new token each time, because the clock may have been moved beyond the lifetime of an earlier one. */
async function issueToken(): Promise<string> {
  const { accountId } = account;
  return (await issueMerchantToken(service.services, accountId)).token;
}

async function createOrder(): Promise<string> {
  const { status, body } = await service.call('/api/v3/create-order', {
    token: await issueToken(),
    body: orderBody(),
  });
  assert.equal(status, 200);
  return body.order_id;
}

async function sendPayment(changes: Record<string, unknown>) {
  const payment = partnerPayment(changes);
  const reply = await sendPartner(service, account, partnerEvent('payment.captured', { payment }));
  assert.equal(reply.status, 200);
  return { deliveryId: String(reply.body.delivery_id), status: String(reply.body.status) };
}
