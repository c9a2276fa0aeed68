import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { test } from 'node:test';
import { commandLine } from '../../src/domain/audit.ts';
import { updateAccount } from '../../src/use-cases/accounts/update-account.ts';
import { partnerEvent, partnerPayment, sendPartner } from '../support/deliveries.ts';
import { orderBody } from '../support/order-bodies.ts';
import { type Reply, startTestService, type TestAccount } from '../support/test-service.ts';
import { assertRefused } from './assertions.ts';

const service = await startTestService();
const perSecond = 5;

test('an account has no limit unless it is given one', async () => {
  const account = await service.createAccount();
  assert.deepEqual(statusesOf(await sendMany(account, 100)), { 200: 100 });
});

test('an account above its limit is answered 429 with Retry-After and is served again after that time', async () => {
  const account = await service.createAccount({ requestsPerSecond: perSecond });
  const replies = await sendMany(account, 40);
  const refused = replies.filter(({ status }) => status !== 200);
  assert.ok(replies.length - refused.length >= perSecond);
  assert.ok(refused.length > 0);
  for (const reply of refused) {
    assertRefused(reply, 'RATE_LIMITED');
    assert.equal(reply.headers.get('retry-after'), '1');
  }
  service.advanceSeconds(1);
  assert.deepEqual(statusesOf(await sendMany(account, perSecond)), { 200: perSecond });
});

test('a refused call changes nothing and can be repeated', async () => {
  const account = await service.createAccount({ requestsPerSecond: 1 });
  const body = orderBody();
  const send = () => service.call('/api/v3/create-order', { token: account.token, body });
  const replies = await Promise.all(Array.from({ length: 10 }, send));
  const ids = replies.filter(({ status }) => status === 200).map((reply) => reply.body.order_id);
  service.advanceSeconds(1);
  const again = await send();
  assert.equal(again.status, 200);
  assert.deepEqual([...new Set([...ids, again.body.order_id])].length, 1);
});

test('the limit is checked before the body is read', async () => {
  const account = await service.createAccount({ requestsPerSecond: 1 });
  await sendMany(account, 3);
  const head = await sendHeadOnly(account);
  assert.match(head, /^HTTP\/1\.1 429 /);
});

test('order tokens do not use up the quota of their account', async () => {
  const account = await service.createAccount({ requestsPerSecond: 1 });
  const { body: order } = await create(account);
  const call = { token: order.token, body: { order_id: order.order_id } };
  service.advanceSeconds(1);
  const replies = await Promise.all(
    Array.from({ length: 15 }, () => service.call('/api/v3/transaction-enquiry', call)),
  );
  assert.deepEqual(statusesOf(replies), { 200: 15 });
  assert.equal((await create(account)).status, 200);
});

test('webhooks of a provider are never limited', async () => {
  const account = await service.createAccount({ requestsPerSecond: 1 });
  const { body: order } = await create(account);
  await sendMany(account, 5);
  const deliveries = Array.from({ length: 20 }, (_entry, index) => {
    const payment = partnerPayment({ id: `pay_${index}`, notes: { svc_order_id: order.order_id } });
    return sendPartner(service, account, partnerEvent('payment.failed', { payment }));
  });
  assert.deepEqual(statusesOf(await Promise.all(deliveries)), { 200: 20 });
});

test('an account at its limit does not affect another account', async () => {
  const limited = await service.createAccount({ requestsPerSecond: perSecond });
  const other = await service.createAccount({ requestsPerSecond: 1_000 });
  const [flood, own] = await Promise.all([sendMany(limited, 100), sendMany(other, 50)]);
  assert.ok((statusesOf(flood)[429] ?? 0) > 0);
  assert.deepEqual(statusesOf(own), { 200: 50 });
});

test('a limit that is set, changed or removed takes effect within the time that accounts are cached', async () => {
  const account = await service.createAccount();
  const set = (requestsPerSecond: number | null) =>
    updateAccount(service.services, account.accountId, () => ({ requestsPerSecond }), commandLine);
  await set(1);
  const isLimited = async () => (statusesOf(await sendMany(account, 5))[429] ?? 0) > 0;
  await until(isLimited);
  await set(null);
  await until(async () => !(await isLimited()));
});

function create(account: TestAccount): Promise<Reply> {
  return service.call('/api/v3/create-order', { token: account.token, body: orderBody() });
}

function sendMany(account: TestAccount, count: number): Promise<Reply[]> {
  return Promise.all(Array.from({ length: count }, () => create(account)));
}

function statusesOf(replies: readonly Reply[]): Record<number, number> {
  const groups = Object.groupBy(replies, ({ status }) => status);
  return Object.fromEntries(
    Object.entries(groups).map(([status, own]) => [Number(status), own?.length ?? 0]),
  );
}

async function until(isSo: () => Promise<boolean>): Promise<void> {
  const deadline = performance.now() + 5_000;
  while (!(await isSo())) assert.ok(performance.now() < deadline, 'it does not come to hold');
}

/** Announces a body that never arrives; resolves with the headers of the reply. */
function sendHeadOnly({ token }: TestAccount): Promise<string> {
  const { hostname, port } = new URL(service.baseUrl);
  const head = `POST /api/v3/create-order HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\nContent-Length: 100\r\n\r\n`;
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname, () => socket.write(head));
    socket.on('error', reject);
    socket.once('data', (chunk) => {
      socket.destroy();
      resolve(chunk.toString());
    });
  });
}
