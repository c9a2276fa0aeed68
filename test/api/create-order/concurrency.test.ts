import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { createMetrics } from '../../../src/http/operator/metrics.ts';
import { openDatabase } from '../../../src/postgres/database.ts';
import { buildApp } from '../../../src/process/app.ts';
import { createServices } from '../../../src/process/create-services.ts';
import { createLog } from '../../../src/process/log.ts';
import { orderBody } from '../../support/order-bodies.ts';
import {
  callService,
  type Reply,
  startTestService,
  testMasterKeyHex,
} from '../../support/test-service.ts';
import { assertRefused, withoutTokens } from '../assertions.ts';

const service = await startTestService();
const account = await service.createAccount();

test('fifty concurrent identical creates make one order and fifty equal replies', async () => {
  const body = orderBody();
  const replies = await createFifty(() => ({ baseUrl: service.baseUrl, body }));
  await assertOneOrder(replies, body.invoice_id);
});

test('fifty concurrent identical creates through two applications make one order', async (t) => {
  const secondUrl = await startSecondApplication(t);
  const body = orderBody();
  const replies = await createFifty((index) => ({
    baseUrl: index % 2 === 0 ? service.baseUrl : secondUrl,
    body,
  }));
  await assertOneOrder(replies, body.invoice_id);
});

test('of fifty concurrent creates with one invoice and different contents one succeeds and the rest are answered 409', async (t) => {
  const secondUrl = await startSecondApplication(t);
  const body = orderBody();
  const replies = await createFifty((index) => ({
    baseUrl: index % 2 === 0 ? service.baseUrl : secondUrl,
    body: { ...body, description: `content ${index}` },
  }));

  const won = replies.filter(({ status }) => status === 200);
  assert.equal(won.length, 1);
  assert.equal(won[0]?.headers.get('idempotent-replayed'), null);
  for (const reply of replies.filter((reply) => !won.includes(reply))) {
    assertRefused(reply, 'DUPLICATE_INVOICE_ID', String(body.invoice_id));
  }
  assert.deepEqual(await orderIdsOf(body.invoice_id), [won[0]?.body.order_id]);
});

async function assertOneOrder(replies: readonly Reply[], invoiceId: unknown): Promise<void> {
  const [first] = replies;
  for (const reply of replies) {
    assert.equal(reply.status, 200, JSON.stringify(reply.body));
    assert.deepEqual(withoutTokens(reply.body), withoutTokens(first?.body));
  }
  const replayed = replies.filter(({ headers }) => headers.get('idempotent-replayed') === 'true');
  assert.equal(replayed.length, 49);
  assert.deepEqual(await orderIdsOf(invoiceId), [first?.body.order_id]);
}

function createFifty(
  build: (index: number) => { baseUrl: string; body: Record<string, unknown> },
): Promise<Reply[]> {
  return Promise.all(
    Array.from({ length: 50 }, (_, index) => {
      const { baseUrl, body } = build(index);
      return callService(baseUrl, '/api/v3/create-order', { token: account.token, body });
    }),
  );
}

async function orderIdsOf(invoiceId: unknown): Promise<string[]> {
  const { rows } = await service.database.query<{ order_id: string }>({
    text: 'select order_id from orders where invoice_id = $1',
    values: [invoiceId],
  });
  return rows.map(({ order_id }) => order_id);
}

/** Another application that shares only the database and the master key. */
async function startSecondApplication(t: TestContext): Promise<string> {
  const database = openDatabase({ connectionString: service.url });
  const services = createServices({
    database,
    masterKeyHex: testMasterKeyHex,
    settings: service.services.settings,
  });
  const app = await buildApp({
    services,
    metrics: createMetrics(),
    log: createLog('silent'),
    checkReadiness: async () => ({ missing: [], late: [] }),
    renderMetrics: async () => ({ contentType: 'text/plain', text: '' }),
  });
  t.after(async () => {
    await app.close();
    await database.close();
  });
  return app.listen({ host: '127.0.0.1', port: 0 });
}
