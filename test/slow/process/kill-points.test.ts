import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import {
  createClient,
  type Enquiry,
  type NewOrder,
  verifyWebhook,
} from '../../../client/client.js';
import { startSimulator } from '../../../simulator/simulator.ts';
import { runCommand, runJsonCommand } from '../../../tools/harness/command-line.ts';
import { listContradictions } from '../../../tools/harness/compare-events.ts';
import { findFreePort } from '../../../tools/harness/free-port.ts';
import { waitUntil } from '../../../tools/harness/wait-until.ts';
import { patientClient, untilAnswered } from '../../../tools/soak/patience.ts';
import { assertAgrees } from '../../journey/outline.ts';
import { type ProxyPoint, startDatabaseProxy } from '../../support/database-proxy.ts';
import { findCheckout } from '../../support/journey.ts';
import { orderBody } from '../../support/order-bodies.ts';
import { launchService, startServiceProcess } from '../../support/service-process.ts';
import { startShopEndpoint } from '../../support/shop-endpoint.ts';
import { openSimulatedAccount } from '../../support/simulated-account.ts';
import { createTestDatabase } from '../../support/test-database.ts';
import { testMasterKeyHex } from '../../support/test-service.ts';

/**
 * A service process is killed with SIGKILL at a named point: at a statement of a step of a journey, before the database
 * gets it or after the database has answered it. It is restarted, and callers without an answer retry.
 */
type Point = ProxyPoint & { readonly journey: Journey; readonly step: string };

/** Payments at both providers, and one whose outcome only polling the provider can find. */
const journeys = {
  partner: { provider: 'partner', isHeard: true },
  'bank-gateway': { provider: 'bank-gateway', isHeard: true },
  unheard: { provider: 'partner', isHeard: false },
} as const;
type Journey = keyof typeof journeys;

const modes = {
  partner: { payment_mode_code: 'upi', upi_id: 'asha@okbank' },
  'bank-gateway': { payment_mode_code: 'credit_card' },
} as const;

/** The most important ones: stored but not sent, done by the provider but not stored, stored but not answered. */
const [partner, gateway] = ['partner', 'bank-gateway'] as const;
const handful: readonly Point[] = [
  pointOf(partner, 'create-order', 'insert-orders', 'after'),
  pointOf(partner, 'update-order', 'append-history', 'after'),
  pointOf(partner, 'initiate-payment, partner', 'commit', 'after'),
  pointOf(gateway, 'initiate-payment, bank-gateway', 'commit', 'before', 2),
  pointOf(partner, 'payment, partner', 'insert-deliveries', 'before'),
  pointOf(gateway, 'payment, bank-gateway', 'save-order-summaries', 'after'),
  pointOf(gateway, 'payment, bank-gateway', 'commit', 'after', 2),
  pointOf(gateway, 'refund, bank-gateway', 'commit', 'after'),
  pointOf(partner, 'refund, partner', 'update-transactions', 'before'),
  // The outbox: before and after it is written, before and after an event is sent, before and after that is recorded.
  pointOf(partner, 'payment, partner', 'insert-events', 'before'),
  pointOf(gateway, 'payment, bank-gateway', 'insert-events', 'after'),
  pointOf(partner, 'payment, partner', 'claim-events', 'before'),
  pointOf(partner, 'payment, partner', 'claim-events', 'after'),
  pointOf(gateway, 'payment, bank-gateway', 'save-event-results', 'before'),
  pointOf(partner, 'payment, partner', 'insert-event-attempts', 'after'),
  // A dispute: before and after its row is written, and stored but not acknowledged.
  pointOf(partner, 'dispute, partner', 'save-disputes', 'before'),
  pointOf(gateway, 'dispute, bank-gateway', 'save-disputes', 'after'),
  pointOf(partner, 'dispute, partner', 'commit', 'after'),
];
/** KILL_POINTS=all kills before and after every statement of every step, which takes some minutes. */
const isAll = process.env.KILL_POINTS === 'all';

const proxy = await startDatabaseProxy();
const { database, url: databaseUrl } = await createTestDatabase();
const env = {
  DATABASE_URL: databaseUrl,
  MASTER_KEY: testMasterKeyHex,
  PORT: String(await findFreePort()),
  PROVIDER_POLL_SECONDS: '1',
  ENDPOINT_ALLOWED_NETWORKS: '127.0.0.0/8',
};
// Webhooks that find no service are repeated within a second or so.
const simulator = await startSimulator({ timeScale: 0.0003 });
after(() => simulator.close());
const account = await openSimulatedAccount(simulator, 'points', env);
const client = createClient({
  baseUrl: `http://127.0.0.1:${env.PORT}`,
  accessKey: account.access_key,
  accessSecret: account.access_secret,
});
const patient = patientClient(client);
const receiver = await startShopEndpoint();
const { secret } = await runJsonCommand(
  ['endpoint', 'create', account.account_id, '--url', receiver.url],
  env,
);
let travels = 0;

test('a service killed at a named point loses nothing and does nothing twice', {
  timeout: 360_000,
}, async (t) => {
  let service = await startServiceProcess(env);
  let kills = 0;
  let back: Promise<unknown> = Promise.resolve();
  const kill = () => {
    kills += 1;
    service.child.kill('SIGKILL');
    back = service.exited.then(async () => {
      service = await startServiceProcess(env);
    });
    // The rejection is handled where `back` is awaited.
    back.catch(() => {});
  };
  const points = isAll ? await collectPoints() : handful;
  const missed: string[] = [];
  const troubles: string[] = [];
  for (const point of points) {
    try {
      await travel(point.journey, {
        before: (step) => {
          if (step === point.step) proxy.doOnce(point, kill);
        },
      });
      if (proxy.isArmed()) missed.push(describe(point));
      await back;
    } catch (error) {
      troubles.push(`${describe(point)}: ${error}`);
      if (!isAll) break;
    } finally {
      proxy.disarm();
    }
  }
  t.diagnostic(`${points.length} points, ${kills} kills`);
  assert.deepEqual(troubles, []);

  await waitUntil('every delivery is finished', async () => (await statesOf()).unfinished === 0);
  assert.equal((await statesOf()).toReview, 0);
  const { code, stdout, stderr } = await runCommand(['verify', '--json'], env);
  assert.equal(code, 0, stdout + stderr);
  const { orders, breaches } = JSON.parse(stdout);
  assert.deepEqual({ orders, breaches }, { orders: travels, breaches: [] });
  await assertShopWasTold();
  // Background work does not run in every journey; the sweep runs only once a minute.
  const missedMax = isAll ? points.length / 10 : 0;
  assert.ok(missed.length <= missedMax, `not met: ${missed.join('; ')}`);
});

test('the work of a sweep whose service was killed is done after the next start', async () => {
  const first = await startServiceProcess(env);
  const { order_id } = await patient.createOrder(
    orderBody({ invoice_id: 'KILL-sweep' }) as NewOrder,
  );
  await first.end('SIGKILL');
  await database.query({
    text: 'update orders set lapses_at = now() where order_id = $1',
    values: [order_id],
  });
  const second = launchService(env);
  proxy.doOnce(pointOf('partner', 'sweep', 'lock-orders', 'before'), () =>
    second.child.kill('SIGKILL'),
  );
  await second.exited;
  await startServiceProcess(env);
  const isLapsed = async () => {
    const { rows } = await database.query<{ status: string }>({
      text: 'select status from orders where order_id = $1',
      values: [order_id],
    });
    return rows[0]?.status === 'lapsed';
  };
  await waitUntil('it is lapsed', isLapsed);
});

function pointOf(
  journey: Journey,
  step: string,
  statement: string,
  side: ProxyPoint['side'],
  occurrence = 1,
): Point {
  return { journey, step, statement, side, occurrence };
}

function describe({ side, statement, occurrence, step, journey }: Point): string {
  const words = statement.trim().replaceAll(/\s+/g, ' ').slice(0, 60);
  return `${side} ${words} (${occurrence}) in ${step} of ${journey}`;
}

/**
 * Collects the points from journeys without kills: every statement and every commit of each step, because all moments
 * between two of them are equivalent. Points of several journeys are used once. Statements that may run at any time are
 * assigned to the longest journey.
 */
async function collectPoints(): Promise<Point[]> {
  // The first one opens the connections.
  await travel('partner');
  const [first, second] = [await passOnce(), await passOnce()];
  const steady = [...first].flatMap(([key, point]) =>
    second.has(key) && !isOfBackground(point.statement) ? [point] : [],
  );
  const known = new Set(steady.map(({ statement }) => statement));
  const all = [...first.values(), ...second.values()].map(({ statement }) => statement);
  const background = [...new Set(all)]
    .filter((statement) => !known.has(statement))
    .map((statement) => pointOf('unheard', 'create-order', statement, 'before'));
  return [...steady, ...background].flatMap((point) => [point, { ...point, side: 'after' }]);
}

/** The background looks for work all the time, so these statements appear in any step. */
function isOfBackground(statement: string): boolean {
  return ['has-due-deliveries', 'claim-due-polls', 'claim-sweep-lease'].includes(statement);
}

async function passOnce(): Promise<Map<string, Point>> {
  const found = new Map<string, Point>();
  for (const journey of Object.keys(journeys) as Journey[]) {
    await travel(journey, {
      before: () => proxy.takePassed(),
      after: (step) => {
        let commits = 0;
        for (const statement of proxy.takePassed()) {
          // It is sent in one write with the statement after it.
          if (statement === 'begin') continue;
          if (statement === 'commit') commits += 1;
          const occurrence = statement === 'commit' ? commits : 1;
          const key = `${step} ${statement} ${occurrence}`;
          if (found.has(key)) continue;
          found.set(key, pointOf(journey, step, statement, 'before', occurrence));
        }
      },
    });
  }
  return found;
}

type Watch = {
  readonly before?: (step: string) => void;
  readonly after?: (step: string) => void;
};

/** Creates, changes, pays and refunds an order like callers that retry, and checks the outcome. */
async function travel(journey: Journey, watch: Watch = {}): Promise<void> {
  travels += 1;
  const { provider, isHeard } = journeys[journey];
  const mark = isHeard ? provider : `${provider} unheard`;
  const invoice_id = `KILL-${travels}`;
  const inStep = async <Result>(step: string, work: () => Promise<Result>): Promise<Result> => {
    watch.before?.(step);
    const result = await work();
    watch.after?.(step);
    return result;
  };

  const body = orderBody({ invoice_id }) as NewOrder;
  const { order_id } = await inStep('create-order', () => patient.createOrder(body));
  if (!isHeard) simulator.setScenarioFor(order_id, { name: 'lost-webhook' });
  if (provider === 'partner') {
    const changes = { order_id, description: `Order ${travels}` };
    await inStep('update-order', () => untilAnswered(() => client.updateOrder(changes)));
  } else {
    const consumer = { order_id, mobile_number: 9_876_543_210 };
    await inStep('resolve-user', () => untilAnswered(() => client.resolveUser(consumer)));
  }
  const url = await inStep(`initiate-payment, ${provider}`, async () => {
    // A payment whose launch page was lost with the service is replaced by another, as its answer says.
    for (let time = 1; time <= 3; time += 1) {
      const { next } = await patient.initiatePayment({ order_id, ...modes[provider] });
      if (next[0]) return next[0].url;
    }
    assert.fail('there is no page to pay at');
  });
  await inStep(`payment, ${mark}`, async () => {
    await simulator.pay(await untilAnswered(() => findCheckout(url)));
    await simulator.settled();
    await pollUntil(order_id, ({ order }) => order.status === 'completed');
  });
  const wish = { invoice_id, refund_amount: 18, refund_request_id: `R-${travels}` };
  const told = await inStep(`refund, ${mark}`, async () => {
    await patient.refund(wish);
    await simulator.settled();
    return pollUntil(order_id, ({ order }) => order.refund_details?.refunded_amount === 18);
  });
  // Nothing lists disputes, so they need their webhooks.
  if (isHeard) await inStep(`dispute, ${provider}`, () => dispute(order_id));
  const ofInvoice = await untilAnswered(() => client.getOrder({ invoice_id }));
  judge(told, ofInvoice.order_id);
}

/** Claims what was not refunded. The message is repeated until it is acknowledged, and counts once. */
async function dispute(order_id: string): Promise<void> {
  const { payments } = simulator.ledger();
  const payment = payments.find(
    ({ reference, status }) => reference.startsWith(`${order_id}-`) && status === 'captured',
  );
  const id = await simulator.disputes.open(payment?.id ?? '', { amount: 10_000 });
  await simulator.settled();
  const isShown = ({ disputes }: Enquiry['transaction'][number]) =>
    disputes.some(({ dispute_id, amount }) => dispute_id === id && amount === 100);
  const told = await pollUntil(order_id, ({ transaction }) => transaction.some(isShown));
  assert.equal(told.order.refund_details?.available_refundable_amount, 0);
  assert.equal(told.transaction.flatMap(({ disputes }) => disputes).length, 1);
}

/** One order, paid once and refunded once, here and at the provider. */
function judge({ order, transaction }: Enquiry, orderIdOfInvoice: string): void {
  assert.equal(order.svc_order_id, orderIdOfInvoice);
  const succeeded = transaction
    .filter((entry) => [entry.payment_status, entry.refund_status].includes('succeeded'))
    .map((entry) => `${entry.transaction_type} ${entry.transaction_amount}`);
  assert.deepEqual(succeeded, ['payment 118', 'partial_refund 18']);
  const { payments, refunds } = simulator.ledger();
  const ofOrder = [...payments, ...refunds]
    .filter(({ reference }) => reference.startsWith(`${orderIdOfInvoice}-`))
    .map(({ amount, status }) => `${status} ${amount}`);
  assert.deepEqual(
    ofOrder.filter((entry) => !entry.startsWith('created')),
    ['captured 11800', 'processed 1800'],
  );
  const reply = { status: 200, headers: new Headers(), body: { order, transaction } };
  assertAgrees(reply, simulator.ledger());
}

/** Every event has arrived at least once, with the same bytes each time, and together they agree with the enquiry. */
async function assertShopWasTold(): Promise<void> {
  // As if the claims of the killed processes had ended.
  await database.query({
    text: `update events set next_attempt_at = now() where state = 'pending'`,
  });
  await waitUntil('every event is delivered', async () => {
    const { rows } = await database.query<{ count: number }>({
      text: `select count(*)::integer as count from events where state <> 'delivered'`,
    });
    return rows[0]?.count === 0;
  });
  const bytes = new Map<string, string>();
  for (const { headers, text } of receiver.received) {
    const event = await verifyWebhook({ headers, body: text, secret: String(secret) });
    assert.equal(bytes.get(event.event_id) ?? text, text);
    bytes.set(event.event_id, text);
  }
  const events = [...bytes.values()].map((text) => JSON.parse(text));
  const byOrder = Map.groupBy(events, ({ svc_order_id }) => svc_order_id);
  assert.equal(byOrder.size, travels);
  for (const [order_id, own] of byOrder) {
    assert.deepEqual(listContradictions(await client.transactionEnquiry({ order_id }), own), []);
  }
}

async function statesOf(): Promise<{ unfinished: number; toReview: number }> {
  const { rows } = await database.query<{ unfinished: number; toReview: number }>({
    text: `select count(*) filter (where state in ('received', 'parked')) as unfinished,
                  count(*) filter (where state in ('needs_review', 'dead')) as "toReview"
             from deliveries`,
  });
  return rows[0] ?? assert.fail('nothing was counted');
}

async function pollUntil(order_id: string, isSo: (told: Enquiry) => boolean): Promise<Enquiry> {
  const deadline = performance.now() + 30_000;
  for (;;) {
    const told = await patient.transactionEnquiry({ order_id });
    if (isSo(told)) return told;
    assert.ok(performance.now() < deadline, `it stays ${JSON.stringify(told)}`);
    await delay(50);
  }
}
