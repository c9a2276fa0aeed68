import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { startSimulator } from '../../../simulator/simulator.ts';
import { runCommand } from '../../../tools/harness/command-line.ts';
import { findFreePort } from '../../../tools/harness/free-port.ts';
import { waitUntil } from '../../../tools/harness/wait-until.ts';
import { type Side, startDatabaseProxy } from '../../support/database-proxy.ts';
import { findCheckout, type SimulatedProvider } from '../../support/journey.ts';
import { orderBody } from '../../support/order-bodies.ts';
import { startServiceProcess } from '../../support/service-process.ts';
import { openSimulatedAccount, paymentBody, signIn } from '../../support/simulated-account.ts';
import { createTestDatabase } from '../../support/test-database.ts';
import { type Reply, testMasterKeyHex } from '../../support/test-service.ts';

/**
 * Payments and refunds with an Idempotency-Key are stopped at a statement, before the database gets it or after it has
 * answered. Then the service is killed with SIGKILL and restarted, and the callers repeat their calls.
 */
const proxy = await startDatabaseProxy();
const { database, url: databaseUrl } = await createTestDatabase();
const env = {
  DATABASE_URL: databaseUrl,
  MASTER_KEY: testMasterKeyHex,
  PORT: String(await findFreePort()),
};
let onProviderCall = () => {};
const simulator = await startSimulator({
  timeScale: 0.001,
  beforeAnswer: async () => onProviderCall(),
});
after(() => simulator.close());
const account = await openSimulatedAccount(simulator, 'retries', env);
let startedAt = new Date();
let service = await startServiceProcess(env);
const token = await signIn(service, account);

/** The statement at which a request is stopped; `late` counts from the call to the provider on. */
type Point = readonly [statement: string, side: Side, from?: 'late'];
type Killed = { readonly orderId: string; readonly repeat: () => Promise<Reply> };

const notKept: Point = ['claim-idempotency-key', 'after'];
const keptAndNotSent: Point = ['commit', 'after'];
const takenAndNotNoted: Point = ['save-first-answer', 'before'];
const notedAndNotAnswered: Point = ['commit', 'after', 'late'];
const answerStored: Point = ['save-first-answer', 'after'];

const payments = {
  notKept: await toPay('partner'),
  partnerNotSent: await toPay('partner'),
  partnerNotNoted: await toPay('partner'),
  gatewayNotNoted: await toPay('bank-gateway'),
  partnerNotAnswered: await toPay('partner'),
  gatewayNotAnswered: await toPay('bank-gateway'),
};
await killAt([
  [notKept, payments.notKept],
  [keptAndNotSent, payments.partnerNotSent],
  [takenAndNotNoted, payments.partnerNotNoted],
  [takenAndNotNoted, payments.gatewayNotNoted],
  [notedAndNotAnswered, payments.partnerNotAnswered],
  [notedAndNotAnswered, payments.gatewayNotAnswered],
]);
const refunds = {
  notKept: await toRefund('partner'),
  partnerNotSent: await toRefund('partner'),
  gatewayNotStored: await toRefund('bank-gateway'),
  gatewayStored: await toRefund('bank-gateway'),
};
await killAt([
  [notKept, refunds.notKept],
  [keptAndNotSent, refunds.partnerNotSent],
  [takenAndNotNoted, refunds.gatewayNotStored],
  [answerStored, refunds.gatewayStored],
]);

test('a payment that was rolled back leaves its key free: the repeat starts it', async () => {
  const { orderId, repeat } = payments.notKept;
  const reply = await repeat();
  assert.deepEqual([reply.status, isReplay(reply)], [200, false]);
  assert.deepEqual(await idsOf(orderId, 'payment'), [reply.body.transaction_id]);
});

for (const name of ['partnerNotSent', 'partnerNotNoted', 'gatewayNotNoted'] as const) {
  test(`a repeat finds the stored payment in its current state: ${name}`, async () => {
    const { orderId, repeat } = payments[name];
    const [kept] = await idsOf(orderId, 'payment');
    const reply = await repeat();
    assert.deepEqual([reply.status, isReplay(reply)], [200, true], JSON.stringify(reply.body));
    const { message, ...others } = reply.body;
    assert.match(message, /transaction-enquiry/);
    assert.deepEqual(others, {
      order_id: orderId,
      transaction_id: kept,
      payment_status: 'pending',
      next: [],
    });
    assert.deepEqual(await idsOf(orderId, 'payment'), [kept]);
  });
}

for (const name of ['partnerNotAnswered', 'gatewayNotAnswered'] as const) {
  test(`a repeat gets the stored answer, with the launch page: ${name}`, async () => {
    const { orderId, repeat } = payments[name];
    const [kept] = await idsOf(orderId, 'payment');
    const reply = await repeat();
    assert.deepEqual([reply.status, isReplay(reply)], [200, true], JSON.stringify(reply.body));
    assert.equal(reply.body.transaction_id, kept);
    await simulator.pay(await findCheckout(reply.body.next[0].url));
    await simulator.settled();
    const { body } = await call('transaction-enquiry', { order_id: orderId });
    assert.equal(body.order.status, 'completed');
    assert.equal(body.transaction.length, 1);
    assert.deepEqual((await repeat()).body, reply.body);
  });
}

test('a refund that was rolled back leaves its key free: the repeat starts it', async () => {
  const { orderId, repeat } = refunds.notKept;
  const reply = await repeat();
  assert.deepEqual([reply.status, isReplay(reply)], [200, false]);
  assert.deepEqual(await idsOf(orderId, 'refund'), [reply.body.transaction_id]);
});

for (const name of ['partnerNotSent', 'gatewayNotStored', 'gatewayStored'] as const) {
  test(`a repeat finds the stored refund, and starts no other: ${name}`, async () => {
    const { orderId, repeat } = refunds[name];
    const [kept] = await idsOf(orderId, 'refund');
    const reply = await repeat();
    assert.deepEqual([reply.status, isReplay(reply)], [200, true], JSON.stringify(reply.body));
    assert.equal(reply.body.transaction_id, kept);
    assert.match(reply.body.refund_status, /^(pending|succeeded)$/);
    assert.deepEqual(await idsOf(orderId, 'refund'), [kept]);
    const there = simulator
      .ledger()
      .refunds.filter(({ reference }) => reference.startsWith(`${orderId}-`));
    assert.equal(there.length, name === 'partnerNotSent' ? 0 : 1);
  });
}

test('verify reports nothing afterwards', async () => {
  await simulator.settled();
  const { code, stdout, stderr } = await runCommand(['verify', '--json'], env);
  assert.equal(code, 0, stdout + stderr);
  assert.deepEqual(JSON.parse(stdout).breaches, []);
});

async function toPay(provider: SimulatedProvider): Promise<Killed> {
  const orderId = await createOrder();
  return keyed(orderId, 'initiate-payment', paymentBody(orderId, provider));
}

async function toRefund(provider: SimulatedProvider): Promise<Killed> {
  const orderId = await createOrder();
  const { body } = await call('initiate-payment', paymentBody(orderId, provider));
  await simulator.pay(await findCheckout(body.next[0].url));
  await simulator.settled();
  const wished = { transaction_id: body.transaction_id, refund_amount: 18 };
  return keyed(orderId, 'refund', wished);
}

function keyed(orderId: string, path: string, body: object): Killed {
  return { orderId, repeat: () => call(path, body, { 'idempotency-key': `key of ${orderId}` }) };
}

/** All requests are stopped before one kill, because restarting the service takes longer than everything else. */
async function killAt(requests: readonly (readonly [Point, Killed])[]): Promise<void> {
  await backgroundRests();
  const unanswered: Promise<unknown>[] = [];
  for (const [[statement, side, from], { repeat }] of requests) {
    let isStill = false;
    const arm = () =>
      proxy.doOnce({ statement, side, occurrence: 1 }, () => {
        isStill = true;
      });
    if (from === 'late') onProviderCall = arm;
    else arm();
    unanswered.push(assert.rejects(repeat()));
    await waitUntil(`it stands still ${side} ${statement}`, () => isStill);
    onProviderCall = () => {};
  }
  await service.end('SIGKILL');
  await Promise.all(unanswered);
  startedAt = new Date();
  service = await startServiceProcess(env);
}

/** Resolves when the start and its first sweep are complete, so that the next commit is one of ours. */
async function backgroundRests(): Promise<void> {
  await waitUntil('the first sweep is done', async () => {
    const { rowCount } = await database.query({
      text: `select from background_steps where step = 'count-stored' and last_success_at > $1`,
      values: [startedAt],
    });
    return rowCount === 1;
  });
  let quiet = 0;
  await waitUntil('the background is idle', () => {
    quiet = proxy.takePassed().includes('commit') ? 0 : quiet + 1;
    return quiet >= 10;
  });
}

async function createOrder(): Promise<string> {
  return (await call('create-order', orderBody())).body.order_id;
}

function call(path: string, body: object, headers: Record<string, string> = {}): Promise<Reply> {
  return service.call(`/api/v3/${path}`, { token, headers, body });
}

function isReplay({ headers }: Reply): boolean {
  return headers.get('idempotent-replayed') === 'true';
}

async function idsOf(orderId: string, type: string): Promise<string[]> {
  const { rows } = await database.query<{ transaction_id: string }>({
    text: 'select transaction_id from transactions where order_id = $1 and type = $2',
    values: [orderId, type],
  });
  return rows.map(({ transaction_id }) => transaction_id);
}
