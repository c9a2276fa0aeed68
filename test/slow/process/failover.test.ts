/**
 * A leader and a standby that it waits for: whatever happens to one of them, nothing that was answered 2xx is lost, nothing
 * is read from a standby, and the service finds the new leader by itself. Contract 10.5 and 15.2.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openDatabase } from '../../../src/postgres/database.ts';
import { createServices } from '../../../src/process/create-services.ts';
import { verifyInvariants } from '../../../src/use-cases/upkeep/verify-invariants.ts';
import { waitUntil } from '../../../tools/harness/wait-until.ts';
import { startDatabasePair } from '../../support/database-pair.ts';
import { orderBody } from '../../support/order-bodies.ts';
import { startServiceProcess } from '../../support/service-process.ts';
import {
  type Answered,
  assertAnsweredOrUnavailable,
  assertUnavailable,
  callsOf,
  keepCalling,
  openShop,
} from '../../support/shop-callers.ts';
import { testMasterKeyHex } from '../../support/test-service.ts';

const { leader, standby, url } = await startDatabasePair();
const service = await startServiceProcess({ DATABASE_URL: url, MASTER_KEY: testMasterKeyHex });
const database = openDatabase({ connectionString: url });
const shop = await openShop({ database, url });
const { body: created } = await create();
const calls = callsOf(service, shop, created.order_id);
const kept: Answered[] = [];

test('while the standby hangs, nothing is answered that a failover could lose', async () => {
  await standby.freeze();
  assertUnavailable('create', await create());
  // An operator cancels what hangs: the server then reports the commit as done.
  let isAnswered = false;
  const creating = create().finally(() => {
    isAnswered = true;
  });
  let cancelled = 0;
  while (!isAnswered) cancelled += await leader.cancelWaits();
  assert.ok(cancelled > 0);
  assertUnavailable('create', await creating);
  await standby.thaw();
  await waitUntil('orders are created again', async () => (await create()).status === 200);
});

test('the leader is killed under load: the promoted standby has everything, within two seconds', async () => {
  const calling = keepCalling(calls);
  await calling.answeredAll();
  await leader.kill();
  await calling.unavailable();
  await standby.promote();
  const promotedAt = performance.now();
  await calling.answeredAll();
  const tookMs = performance.now() - promotedAt;
  const answered = await calling.stop();
  for (const one of answered) assertAnsweredOrUnavailable(one);
  kept.push(...answered);
  assert.ok(tookMs < 2_000, `served again ${tookMs.toFixed(0)} ms after the promotion`);
  await assertNothingLost();
});

test('the former leader returns as a standby: nothing is read from it', async () => {
  await leader.followOther(standby);
  await leader.start();
  const calling = keepCalling(calls);
  await calling.answeredAll();
  await standby.kill();
  await calling.unavailable();
  const replies = await Promise.all(
    (['create', 'enquiry', 'order', 'webhook', 'ready'] as const).map(async (kind) => ({
      kind,
      reply: await calls[kind]()(),
    })),
  );
  for (const { kind, reply } of replies) assertUnavailable(kind, reply);
  for (const one of await calling.stop()) assertAnsweredOrUnavailable(one);
});

/** Every call that was answered 200 gets the same answer when it is repeated. */
async function assertNothingLost(): Promise<void> {
  const creates = kept.filter(({ kind, reply }) => kind === 'create' && reply.status === 200);
  assert.ok(creates.length > 0);
  for (const { reply, again } of creates) {
    const repeated = await again();
    assert.equal(repeated.headers.get('idempotent-replayed'), 'true');
    assert.equal(repeated.body.order_id, reply.body.order_id);
  }
  const webhooks = kept.filter(({ kind, reply }) => kind === 'webhook' && reply.status === 200);
  assert.ok(webhooks.length > 0);
  for (const { reply, again } of webhooks) {
    assert.equal((await again()).body.delivery_id, reply.body.delivery_id);
  }
  const services = createServices({
    database,
    masterKeyHex: testMasterKeyHex,
    settings: { publicUrl: 'http://service.test', orderLapseSeconds: 3600 },
  });
  assert.deepEqual((await verifyInvariants(services)).breaches, []);
}

function create() {
  return service.call('/api/v3/create-order', { token: shop.token, body: orderBody() });
}
