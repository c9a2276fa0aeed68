import assert from 'node:assert/strict';
import type { Socket } from 'node:net';
import { after, test } from 'node:test';
import { limits } from '../../src/domain/limits.ts';
import { createAccount } from '../../src/use-cases/create-account.ts';
import { createServices } from '../../src/use-cases/services.ts';
import { assertRefused } from '../api/assertions.ts';
import { sendBytes } from '../api/raw-http.ts';
import { partnerEvent, partnerPayment, sendPartner } from '../support/deliveries.ts';
import { type Answered, connectMany, runLoad } from '../support/load.ts';
import { orderBody } from '../support/order-bodies.ts';
import { startServiceProcess } from '../support/service-process.ts';
import { createTestDatabase } from '../support/test-database.ts';
import { testMasterKeyHex } from '../support/test-service.ts';

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

/** More than may be worked on at once; what becomes of them is looked at in the end. */
const slowCount = limits.requestsAtOnceMax + 200;
const slow = await sendHalves(slowCount);

test('requests that are only half sent keep nobody from being served', async () => {
  await assertServing();
});

test('thousands of idle connections keep nobody from being served', async () => {
  // As many as asked for, or what this machine lets one process have.
  const count = Math.min(5_000, filesMax() - slowCount - 1_000);
  assert.ok(count > 500, 'raise "ulimit -n" to run this test');
  const idle = await connectMany(service.port, count);
  await assertServing();
  assert.equal(idle.filter(({ destroyed }) => destroyed).length, 0);
  for (const socket of idle) socket.resetAndDestroy();
  await assertServing();
});

test("a body and headers beyond their limits are refused in the contract's shape", async () => {
  const body = 'x'.repeat(limits.bodyBytesMax + 1);
  const call = { token: shop.token, body };
  assertRefused(await service.call('/api/v3/create-order', call), 'PAYLOAD_TOO_LARGE');
  const webhook = await service.call(`/api/v3/webhooks/partner/${shop.accountId}`, { body });
  assert.deepEqual([webhook.status, webhook.body.status], [413, 413]);
  assert.equal(webhook.body.error.http_status_code, 413);
  const head = `GET /api/v3/order HTTP/1.1\r\nHost: x\r\nX-Much: ${'x'.repeat(20_000)}\r\n\r\n`;
  const reply = await sendBytes(service.baseUrl, head);
  assertRefused(reply, 'INVALID_REQUEST_PARAMETER', /headers are too large/);
  await assertServing();
});

test('the flood of an account with a limit is refused and leaves another account its share', async (t) => {
  const flooder = await openShop(20);
  const ownLoad = { ...createsOf(shop.token), connections: 4, seconds: 1 };
  await holdsInOneOf(3, async () => {
    const quiet = await runLoad(ownLoad);
    const [flood, own] = await Promise.all([
      runLoad({ ...createsOf(flooder.token), connections: 200, perSecond: 1_000, seconds: 1.5 }),
      runLoad(ownLoad),
    ]);
    t.diagnostic(`alone ${describe(quiet)}, beside ${describe(flood)} ${describe(own)}`);
    assertOnly(flood, [200, 429]);
    assertOnly(own, [200]);
    assert.ok((flood.statuses.get(429) ?? 0) > 500, describe(flood));
    assert.ok((flood.statuses.get(200) ?? 0) < 200, describe(flood));
    return own.servedPerSecond > quiet.servedPerSecond / 3;
  });
});

test('three times what can be served: about as much is served as before, the rest is shed, nothing hangs', async (t) => {
  const atFullSpeed = () => runLoad({ ...createsOf(shop.token), connections: 128, seconds: 1 });
  await atFullSpeed();
  await holdsInOneOf(3, async () => {
    const before = await atFullSpeed();
    const [flood, health, delivery] = await Promise.all([
      runLoad({
        ...createsOf(shop.token),
        connections: Math.min(3 * limits.requestsAtOnceMax, filesMax() - slowCount - 1_000),
        perSecond: 3 * before.servedPerSecond,
        seconds: 3,
      }),
      service.call('/healthz'),
      sendPartner(service, shop, partnerEvent('payment.captured', { payment: partnerPayment() })),
    ]);
    t.diagnostic(`${describe(before)}, flooded ${describe(flood)}`);
    assertOnly(before, [200]);
    assertOnly(flood, [200, 503]);
    assert.ok((flood.statuses.get(503) ?? 0) > 0, describe(flood));
    assert.equal(health.status, 200);
    // A provider sends again what was shed.
    assert.ok([200, 503].includes(delivery.status));
    return flood.servedPerSecond > before.servedPerSecond / 2;
  });
  await assertServing();
});

test('half-sent requests are cut off when their time is over', async () => {
  const replies = await slow.cutOff;
  assert.equal(replies.length, slowCount);
  for (const text of replies) assert.match(text, /^HTTP\/1\.1 400 /);
  await assertServing();
});

type ShopAccount = Awaited<ReturnType<typeof openShop>>;

async function openShop(requestsPerSecond: number | null) {
  const account = await createAccount(services, { name: 'Flooded', requestsPerSecond });
  const { accountId } = account;
  return { ...account, ...(await services.tokens.issue({ type: 'merchant', accountId })) };
}

async function assertServing(): Promise<void> {
  const { token }: ShopAccount = shop;
  const reply = await service.call('/api/v3/create-order', { token, body: orderBody() });
  assert.equal(reply.status, 200, JSON.stringify(reply.body));
  const { order_id } = reply.body;
  const enquiry = await service.call('/api/v3/transaction-enquiry', { token, body: { order_id } });
  assert.equal(enquiry.status, 200, JSON.stringify(enquiry.body));
}

/** For speeds, which whatever else runs on the machine can spoil; all else must hold in every round. */
async function holdsInOneOf(roundsMax: number, round: () => Promise<boolean>): Promise<void> {
  for (let rounds = 0; rounds < roundsMax; rounds += 1) if (await round()) return;
  assert.fail(`too slow in each of ${roundsMax} rounds`);
}

function createsOf(token: string) {
  const next = () => {
    const body = JSON.stringify(orderBody());
    return `POST /api/v3/create-order HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
  };
  return { port: service.port, next };
}

/** Every request came back, with one of these statuses, and a refusal says when to come again. */
function assertOnly(answered: Answered, statuses: readonly number[]): void {
  const others = [...answered.statuses.keys()].filter((status) => !statuses.includes(status));
  assert.deepEqual(
    { others, lost: answered.lost, withoutRetryAfter: answered.withoutRetryAfter },
    { others: [], lost: 0, withoutRetryAfter: 0 },
    describe(answered),
  );
}

function describe({ statuses, servedPerSecond }: Answered): string {
  return `${Math.round(servedPerSecond)}/s of ${JSON.stringify(Object.fromEntries(statuses))}`;
}

/** Some stop within the head, most within a body that nobody can judge before it is whole. */
async function sendHalves(count: number): Promise<{ readonly cutOff: Promise<string[]> }> {
  const sockets = await connectMany(service.port, count);
  after(() => {
    for (const socket of sockets) socket.destroy();
  });
  const path = `/api/v3/webhooks/partner/${shop.accountId}`;
  const head = `POST ${path} HTTP/1.1\r\nHost: x\r\n`;
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

/** Open files that one process may have; each connection is one. */
function filesMax(): number {
  const report = process.report.getReport() as unknown as {
    userLimits?: { open_files?: { soft: number | string } };
  };
  const { soft = 1_024 } = report.userLimits?.open_files ?? {};
  return typeof soft === 'number' ? soft : 100_000;
}
