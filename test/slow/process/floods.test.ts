import assert from 'node:assert/strict';
import type { Socket } from 'node:net';
import { after, test } from 'node:test';
import { limits } from '../../../src/domain/limits.ts';
import { httpLimits } from '../../../src/http/limits.ts';
import { databaseLimits } from '../../../src/postgres/limits.ts';
import { createServices } from '../../../src/process/create-services.ts';
import { type Answered, connectMany, runLoad } from '../../../tools/harness/raw-load.ts';
import { waitUntil } from '../../../tools/harness/wait-until.ts';
import { assertRefused } from '../../api/assertions.ts';
import { sendBytes } from '../../api/raw-http.ts';
import { partnerEvent, partnerPayment, sendPartner } from '../../support/deliveries.ts';
import { lockOrders } from '../../support/lock-orders.ts';
import { issueMerchantToken } from '../../support/merchant-token.ts';
import { readSamples } from '../../support/metrics.ts';
import { orderBody } from '../../support/order-bodies.ts';
import { startServiceProcess } from '../../support/service-process.ts';
import { createTestAccount } from '../../support/test-account.ts';
import { createTestDatabase } from '../../support/test-database.ts';
import { testMasterKeyHex } from '../../support/test-service.ts';

const { database, url } = await createTestDatabase();
const services = createServices({
  database,
  masterKeyHex: testMasterKeyHex,
  settings: { publicUrl: 'http://service.test', orderLapseSeconds: 3600 },
});
const shop = await openShop(null);
const service = await startServiceProcess({
  DATABASE_URL: url,
  MASTER_KEY: testMasterKeyHex,
  LOG_LEVEL: 'fatal',
});

/** More than the concurrency limit. The outcome of each is checked at the end. */
const slowCount = httpLimits.concurrentRequestsMax + 200;
const slow = await sendHalves(slowCount);

test('half-sent requests do not prevent others from being served', async () => {
  await assertServing();
});

test('thousands of idle connections do not prevent others from being served', async () => {
  // The given number, or as many as this machine allows one process.
  const count = Math.min(5_000, filesMax() - slowCount - 1_000);
  assert.ok(count > 500, 'raise "ulimit -n" to run this test');
  const idle = await connectMany(service.port, count);
  await assertServing();
  assert.equal(idle.filter(({ destroyed }) => destroyed).length, 0);
  for (const socket of idle) socket.resetAndDestroy();
  await assertServing();
});

test("a body and headers beyond their limits are refused with a reply in the contract's shape", async () => {
  const body = 'x'.repeat(limits.bodyBytesMax + 1);
  const call = { token: shop.token, body };
  assertRefused(await service.call('/api/v3/create-order', call), 'PAYLOAD_TOO_LARGE');
  const headers = { 'x-razorpay-signature': '0'.repeat(64) };
  const path = `/api/v3/webhooks/partner/${shop.accountId}`;
  const webhook = await service.call(path, { body, headers });
  assert.deepEqual([webhook.status, webhook.body.status], [413, 413]);
  assert.equal(webhook.body.error.http_status_code, 413);
  const head = `GET /api/v3/order HTTP/1.1\r\nHost: x\r\nX-Much: ${'x'.repeat(20_000)}\r\n\r\n`;
  const reply = await sendBytes(service.baseUrl, head);
  assertRefused(reply, 'INVALID_REQUEST_PARAMETER', /headers are too large/);
  await assertServing();
});

test('a flood from an account with a rate limit gets no more than the limit, and another account is served', async () => {
  const perSecond = 20;
  const flooder = await openShop(perSecond);
  const startMs = performance.now();
  const [flood, own] = await Promise.all([
    runLoad({ ...createsOf(flooder.token), connections: 200, perSecond: 1_000, seconds: 1.5 }),
    runLoad({ ...createsOf(shop.token), connections: 4, seconds: 1 }),
  ]);
  const seconds = (performance.now() - startMs) / 1_000;
  assertOnly(flood, [200, 429]);
  assertOnly(own, [200]);
  // One second's worth from before, and the limit of each second since.
  const served = flood.statuses.get(200) ?? 0;
  assert.ok(served >= perSecond && served <= perSecond * (1 + seconds), describe(flood));
  await assertKept(flooder, served);
});

test('requests beyond the concurrency limit wait in the queue and are served', async () => {
  const before = await countOrders(shop);
  const [flood, health, delivery] = await Promise.all([
    runLoad({ ...createsOf(shop.token), connections: manyConnections(), seconds: 1 }),
    service.call('/healthz'),
    sendPartner(service, shop, partnerEvent('payment.captured', { payment: partnerPayment() })),
  ]);
  // A slow machine sheds those that it cannot serve within the time limit of the queue.
  assertOnly(flood, [200, 503]);
  assert.ok((flood.statuses.get(200) ?? 0) > httpLimits.concurrentRequestsMax, describe(flood));
  assert.equal(health.status, 200);
  // The provider repeats deliveries that were shed.
  assert.ok([200, 503].includes(delivery.status));
  await assertKept(shop, before + (flood.statuses.get(200) ?? 0));
});

test('requests that wait too long are shed, the others are served, and none hangs', async (t) => {
  const before = await countOrders(shop);
  // A slow machine has shed some in the test before.
  const shedBefore = countShed((await service.call('/metrics')).body);
  const release = await lockOrders(database, t);
  const flooding = runLoad({
    ...createsOf(shop.token),
    connections: manyConnections(),
    seconds: 5,
  });
  const page = await waitForShed(shedBefore);
  await release();
  const flood = await flooding;
  assertOnly(flood, [200, 503]);
  assert.ok((flood.statuses.get(503) ?? 0) > 0, describe(flood));
  assert.ok((flood.statuses.get(200) ?? 0) > 0, describe(flood));
  for (const [queue, length] of queuesOf(page)) {
    const lengthMax = queue.includes('"requests"')
      ? httpLimits.admissionQueueMax
      : databaseLimits.databaseQueueMax;
    assert.ok(length <= lengthMax, `${length} wait in ${queue}`);
  }
  await assertKept(shop, before + (flood.statuses.get(200) ?? 0));
  await assertServing();
  for (const [queue, length] of queuesOf((await service.call('/metrics')).body)) {
    assert.equal(length, 0, queue);
  }
});

test('half-sent requests are closed after the time limit', async () => {
  const replies = await slow.cutOff;
  assert.equal(replies.length, slowCount);
  for (const text of replies) assert.match(text, /^HTTP\/1\.1 400 /);
  await assertServing();
});

type ShopAccount = Awaited<ReturnType<typeof openShop>>;

async function openShop(requestsPerSecond: number | null) {
  const account = await createTestAccount(services, { name: 'Flooded', requestsPerSecond });
  const { accountId } = account;
  return { ...account, ...(await issueMerchantToken(services, accountId)) };
}

async function assertServing(): Promise<void> {
  const { token }: ShopAccount = shop;
  const reply = await service.call('/api/v3/create-order', { token, body: orderBody() });
  assert.equal(reply.status, 200, JSON.stringify(reply.body));
  const { order_id } = reply.body;
  const enquiry = await service.call('/api/v3/transaction-enquiry', { token, body: { order_id } });
  assert.equal(enquiry.status, 200, JSON.stringify(enquiry.body));
}

/** Every order and delivery that was answered 200 is stored. */
async function assertKept(account: ShopAccount, served: number): Promise<void> {
  const count = await countOrders(account);
  assert.ok(count >= served, `${count} orders of ${served} that were answered 200`);
}

async function countOrders({ accountId }: ShopAccount): Promise<number> {
  const { rows } = await database.query<{ count: number }>({
    text: 'select count(*) as count from orders where account_id = $1',
    values: [accountId],
  });
  return rows[0]?.count ?? 0;
}

function manyConnections(): number {
  return Math.min(3_000, filesMax() - slowCount - 1_000);
}

/** Resolves with the metrics page that shows it. */
async function waitForShed(before: number): Promise<string> {
  let page = '';
  await waitUntil('some are shed', async () => {
    page = (await service.call('/metrics')).body;
    return countShed(page) > before;
  });
  return page;
}

function countShed(page: string): number {
  return readSamples(page).get('requests_shed_total{queue="requests"}') ?? 0;
}

function queuesOf(page: string): [name: string, length: number][] {
  const queues = [...readSamples(page)].filter(([name]) =>
    name.startsWith('database_queue_length'),
  );
  assert.ok(queues.length > 0, page);
  return queues;
}

function createsOf(token: string) {
  const next = () => {
    const body = JSON.stringify(orderBody());
    return `POST /api/v3/create-order HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
  };
  return { port: service.port, next };
}

/** Every request was answered with one of these statuses, and every refusal has Retry-After. */
function assertOnly(answered: Answered, statuses: readonly number[]): void {
  const others = [...answered.statuses.keys()].filter((status) => !statuses.includes(status));
  assert.deepEqual(
    { others, lost: answered.lost, withoutRetryAfter: answered.withoutRetryAfter },
    { others: [], lost: 0, withoutRetryAfter: 0 },
    describe(answered),
  );
}

function describe({ statuses }: Answered): string {
  return JSON.stringify(Object.fromEntries(statuses));
}

/** Some stop within the head, most within a body that cannot be validated before it is complete. */
async function sendHalves(count: number): Promise<{ readonly cutOff: Promise<string[]> }> {
  const sockets = await connectMany(service.port, count);
  after(() => {
    for (const socket of sockets) socket.destroy();
  });
  const path = `/api/v3/webhooks/partner/${shop.accountId}`;
  // Without credentials the request would be refused before its body is read.
  const head = `POST ${path} HTTP/1.1\r\nHost: x\r\nX-Razorpay-Signature: 00\r\n`;
  const texts = sockets.map((socket, index) => {
    socket.write(index < 100 ? head : `${head}Content-Length: 100\r\n\r\n{"event"`);
    return readToEnd(socket);
  });
  return { cutOff: Promise.all(texts) };
}

function readToEnd(socket: Socket): Promise<string> {
  let text = '';
  socket.on('data', (chunk) => {
    text += chunk.toString();
  });
  return new Promise((resolve) => socket.on('close', () => resolve(text)));
}

/** The limit of open files of a process; each connection needs one. */
function filesMax(): number {
  const report = process.report.getReport() as unknown as {
    userLimits?: { open_files?: { soft: number | string } };
  };
  const { soft = 1_024 } = report.userLimits?.open_files ?? {};
  return typeof soft === 'number' ? soft : 100_000;
}
