import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startDatabaseProxy } from '../../support/database-proxy.ts';
import { orderBody } from '../../support/order-bodies.ts';

const proxy = await startDatabaseProxy();
const { startJourney } = await import('../../support/journey.ts');
const { service, simulator, shop, refund, enquire, heal, assertSound, initiate } =
  await startJourney();

/** The connection may break at every statement of a whole journey. */
await travel('first');
proxy.takePassed();
await travel('second');
const points = [...new Set(proxy.takePassed())].sort();

const journeysMax = 4;

/** What every journey runs. Others run only after a cache entry has expired, or when a background job is due. */
const always = [
  'begin',
  'commit',
  'lock-order',
  'lock-orders',
  'lock-deliveries-by-key',
  'insert-orders',
  'insert-transactions',
  'insert-deliveries',
  'learn-provider-orders',
  'claim-refund-request',
  'find-live-refund',
  'find-orders-with-transactions',
  'find-referenced-orders',
  'list-transactions-of',
  'list-transactions-of-small',
  'list-held-events',
  'list-parked-deliveries',
  'append-history',
  'update-transactions',
  'save-order-summaries',
];

test('a journey runs all kinds of statements', () => {
  const missing = always.filter((name) => !points.includes(name));
  assert.deepEqual(missing, [], `${missing.join(', ')} not among ${points.join(', ')}`);
});

for (const side of ['before', 'after'] as const) {
  test(`a connection cut ${side} any statement loses nothing and does nothing twice`, async () => {
    const neverCut: string[] = [];
    for (const [index, point] of points.entries()) {
      proxy.cutOnce(point, side);
      // A statement that runs only after a cache entry has expired may need another journey.
      for (let journey = 1; proxy.isArmed() && journey <= journeysMax; journey += 1) {
        await travel(`${side}-${index}-${journey}`);
      }
      if (proxy.isArmed()) neverCut.push(point);
    }
    const missed = neverCut.filter((point) => always.includes(point));
    assert.deepEqual(missed, [], 'never cut');
    await assertSound();
  });
}

/** Creates, pays and refunds like a caller that retries after each 503. */
async function travel(name: string): Promise<void> {
  const invoice_id = `CUT-${name}`;
  const { body: created } = await untilAnswered(() =>
    service.call('/api/v3/create-order', { token: shop.token, body: orderBody({ invoice_id }) }),
  );
  const order_id: string = created.order_id;
  const started = await untilAnswered(() => initiate(order_id));
  const url: string | undefined = started.body.next[0]?.url;
  if (url !== undefined) await payAt(url);
  await simulator.settled();
  await untilTrue(order_id, ({ order }) => order.status === 'completed');

  const wish = { invoice_id, refund_amount: 18, refund_request_id: `R-${name}` };
  const refunded = await untilAnswered(() => refund(wish));
  // The service answers that it was done before: the answer to an earlier try was lost.
  assert.ok([200, 409].includes(refunded.status), JSON.stringify(refunded.body));
  await simulator.settled();
  const { order, transaction } = await untilTrue(
    order_id,
    (found) => found.order.refund_details?.refunded_amount === 18,
  );
  assert.equal(order.svc_order_id, order_id);
  const payments = transaction.filter(
    (entry: { payment_status: string }) => entry.payment_status === 'succeeded',
  );
  assert.equal(payments.length, 1, JSON.stringify(transaction));
}

async function payAt(url: string): Promise<void> {
  const page = await untilAnswered(async () => {
    const response = await fetch(url);
    return { status: response.status, body: await response.text(), headers: response.headers };
  });
  const checkout = /name="order_id" value="([^"]+)"/.exec(page.body)?.[1] ?? '';
  await simulator.pay(checkout);
}

async function untilAnswered<Answer extends { readonly status: number }>(
  call: () => Promise<Answer>,
): Promise<Answer> {
  for (let tries = 1; ; tries += 1) {
    const answer = await call();
    if (answer.status < 500) return answer;
    assert.equal(answer.status, 503, 'a database error is answered with 503');
    assert.ok(tries < 20, 'the service did not come back');
  }
}

// biome-ignore lint/suspicious/noExplicitAny: replies are asserted field by field
async function untilTrue(order_id: string, isTrue: (found: any) => boolean): Promise<any> {
  for (let tries = 1; ; tries += 1) {
    const { body } = await untilAnswered(() => enquire({ order_id }));
    if (isTrue(body)) return body;
    assert.ok(tries < 20, `it stays ${JSON.stringify(body)}`);
    await heal();
  }
}
