import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { type Call, startSimulator } from '../../../simulator/simulator.ts';
import { runCommand } from '../../../tools/harness/command-line.ts';
import { findFreePort } from '../../../tools/harness/free-port.ts';
import { headingOf, newBrowser, type PlainBrowser } from '../../../tools/harness/plain-browser.ts';
import { waitUntil } from '../../../tools/harness/wait-until.ts';
import { assertAgrees, outlineOf } from '../../journey/outline.ts';
import { findCheckout, modeOf, type SimulatedProvider } from '../../support/journey.ts';
import { orderBody } from '../../support/order-bodies.ts';
import { startServiceProcess } from '../../support/service-process.ts';
import { openSimulatedAccount, paymentBody, signIn } from '../../support/simulated-account.ts';
import { sweepNow } from '../../support/sweep-now.ts';
import { createTestDatabase } from '../../support/test-database.ts';
import { type Reply, testMasterKeyHex } from '../../support/test-service.ts';

/**
 * Kills the service once, at a moment when both providers have accepted a payment and a refund and have not answered
 * yet. Then starts it again.
 */
const { database, url: databaseUrl } = await createTestDatabase();
const providers = Object.keys(modeOf) as SimulatedProvider[];
const env = {
  DATABASE_URL: databaseUrl,
  MASTER_KEY: testMasterKeyHex,
  PORT: String(await findFreePort()),
  PROVIDER_POLL_SECONDS: '1',
};

let isHolding = false;
const held: Call[] = [];
const dead = Promise.withResolvers<void>();
const simulator = await startSimulator({
  timeScale: 0.001,
  beforeAnswer: async (call) => {
    if (!isHolding || call.operation === 'fetch') return;
    held.push(call);
    await dead.promise;
  },
});
after(() => simulator.close());
const account = await openSimulatedAccount(simulator, 'crash', env);

let service = await startServiceProcess(env);
const token = await signIn(service, account);
const refunded = await eachProvider(async (provider) => {
  const paid = await createPaid(provider);
  simulator.setScenarioFor(paid.orderId, { name: 'lost-webhook' });
  return paid;
});
const untouched = await eachProvider(createOrder);
const paidWhileDown = await eachProvider(createOrder);

isHolding = true;
for (const provider of providers) {
  const { transactionId } = refunded[provider];
  await holdBack('refund', { transaction_id: transactionId, refund_amount: 50 });
}
for (const provider of providers) {
  await holdBack('initiate-payment', paymentBody(untouched[provider], provider));
}
const checkouts = await eachProvider((provider) =>
  holdBack('initiate-payment', paymentBody(paidWhileDown[provider], provider)),
);
const consumer = await openCheckout();
await untilHeld(consumer.browser.submit(consumer.page, { payment_mode_code: 'upi' }));
await service.end('SIGKILL');
dead.resolve();
isHolding = false;
// The consumers pay while the service is down.
for (const provider of providers) await simulator.pay(checkouts[provider].id);
service = await startServiceProcess(env);
await sweepNow(database);

for (const provider of providers) {
  test(`${provider}: a refund accepted while the service was killed is found again, and made once`, async () => {
    const { orderId } = refunded[provider];
    await waitUntil('the refund is known', () => isSaved(orderId, 'refund', 'succeeded'));
    assert.deepEqual(outlineOf(await enquire(orderId)), {
      order: 'completed',
      transactions: ['payment succeeded 118', 'partial_refund succeeded 50'],
      refunds: [50, 68, 118],
    });
    const made = simulator
      .ledger()
      .refunds.filter(({ reference }) => reference.startsWith(orderId));
    assert.deepEqual(
      made.map(({ amount, status }) => [amount, status]),
      [[5_000, 'processed']],
    );
    assertAgrees(await enquire(orderId), simulator.ledger());
  });

  test(`${provider}: a payment paid while the service was down is known after its restart`, async () => {
    const orderId = paidWhileDown[provider];
    await waitUntil('the payment is known', () => isSaved(orderId, 'payment', 'succeeded'));
    assert.deepEqual(outlineOf(await enquire(orderId)), {
      order: 'completed',
      transactions: ['payment succeeded 118'],
      refunds: [0, 118, 118],
    });
    assertAgrees(await enquire(orderId), simulator.ledger());
  });
}

test('partner: a payment accepted while the service was killed is found again and can be paid', async () => {
  const orderId = untouched.partner;
  await waitUntil('it is pending', () => isSaved(orderId, 'payment', 'pending'));
  const { svc_transaction_id: id } = (await enquire(orderId)).body.transaction[0];
  await simulator.pay(await findCheckout(`${service.baseUrl}/pay/${account.account_id}/${id}`));
  await simulator.settled();
  assert.deepEqual(await lines(orderId), ['payment succeeded 118']);
  assertAgrees(await enquire(orderId), simulator.ledger());
});

test('a consumer whose click on Pay got no reply sends the form again, and pays once', async () => {
  const { browser, page, orderId } = consumer;
  const again = await browser.submit(page, { payment_mode_code: 'upi' });
  assert.ok([303, 409].includes(again.status), `${again.status}`);
  const launch = await waitUntilLaunched(browser, orderId);
  assert.equal((await enquire(orderId)).body.transaction.length, 1);
  await simulator.pay(await findCheckout(`${service.baseUrl}${launch}`));
  await simulator.settled();
  assert.deepEqual(await lines(orderId), ['payment succeeded 118']);
  assert.equal(headingOf(await browser.get(`/checkout/${orderId}`)), 'Payment received');
  assertAgrees(await enquire(orderId), simulator.ledger());
});

test('bank-gateway: a payment whose page nobody has opened stays open, and another one pays', async () => {
  const orderId = untouched['bank-gateway'];
  await pay(orderId, 'bank-gateway');
  await simulator.settled();
  assert.deepEqual(await lines(orderId), ['payment new 118', 'payment succeeded 118']);
  assertAgrees(await enquire(orderId), simulator.ledger());
});

test('after these tests, verify finds nothing', async () => {
  await simulator.settled();
  const { code, stdout, stderr } = await runCommand(['verify', '--json'], env);
  assert.equal(code, 0, stdout + stderr);
  assert.deepEqual(JSON.parse(stdout).breaches, []);
});

function call(path: string, body: object): Promise<Reply> {
  return service.call(`/api/v3/${path}`, { token, body });
}

function enquire(orderId: string): Promise<Reply> {
  return call('transaction-enquiry', { order_id: orderId });
}

async function lines(orderId: string): Promise<readonly string[]> {
  return outlineOf(await enquire(orderId)).transactions;
}

/** Reads the database: an enquiry would poll the provider. */
async function isSaved(orderId: string, type: string, status: string): Promise<boolean> {
  const { rows } = await database.query({
    text: 'select from transactions where order_id = $1 and type = $2 and status = $3',
    values: [orderId, type, status],
  });
  return rows.length > 0;
}

async function createOrder(): Promise<string> {
  return (await call('create-order', orderBody())).body.order_id;
}

async function openCheckout() {
  const { order_id: orderId, token } = (await call('create-order', orderBody())).body;
  const browser = newBrowser(service, token);
  await browser.get(`/checkout?token=${token}`);
  return { browser, orderId, page: await browser.get(`/checkout/${orderId}`) };
}

/** The page of the waiting consumer has a link to the provider once our poll has found the payment there. */
async function waitUntilLaunched(browser: PlainBrowser, orderId: string): Promise<string> {
  let launch: string | undefined;
  await waitUntil('the page leads to the provider', async () => {
    const { text } = await browser.get(`/checkout/${orderId}`);
    launch = /href="(\/pay\/[^"?]+)"/.exec(text)?.[1];
    return launch !== undefined;
  });
  return launch ?? '';
}

async function pay(orderId: string, provider: SimulatedProvider): Promise<string> {
  const { status, body } = await call('initiate-payment', paymentBody(orderId, provider));
  assert.equal(status, 200, JSON.stringify(body));
  await simulator.pay(await findCheckout(body.next[0].url));
  return body.transaction_id;
}

async function createPaid(provider: SimulatedProvider) {
  const orderId = await createOrder();
  const transactionId = await pay(orderId, provider);
  await simulator.settled();
  assert.deepEqual(await lines(orderId), ['payment succeeded 118']);
  return { orderId, transactionId };
}

/** A call that its provider has accepted and never answers. */
async function holdBack(path: string, body: object): Promise<Call> {
  return untilHeld(call(path, body));
}

async function untilHeld(request: Promise<unknown>): Promise<Call> {
  const before = held.length;
  const unanswered = assert.rejects(request);
  after(() => unanswered);
  await waitUntil('the provider has accepted it', () => held.length > before);
  const taken = held.at(-1);
  assert.ok(taken);
  return taken;
}

async function eachProvider<T>(
  make: (provider: SimulatedProvider) => Promise<T>,
): Promise<Record<SimulatedProvider, T>> {
  return { partner: await make('partner'), 'bank-gateway': await make('bank-gateway') };
}
