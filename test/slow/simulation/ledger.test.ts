import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { createEventDeliveries } from '../../../src/use-cases/events/deliver-events.ts';
import { verifyInvariants } from '../../../src/use-cases/upkeep/verify-invariants.ts';
import { inParallel } from '../../support/faulty-provider/in-parallel.ts';
import { describeOrder } from '../../support/ledger/describe-order.ts';
import { judgeOrder } from '../../support/ledger/judge-order.ts';
import { judgeShop } from '../../support/ledger/judge-shop.ts';
import { type LedgerRun, runLedger } from '../../support/ledger/ledger-run.ts';
import { enquire } from '../../support/ledger/ledger-steps.ts';
import { truthOf } from '../../support/ledger/truth.ts';
import type { Reply } from '../../support/test-service.ts';

const seed = Number(process.env.LEDGER_SEED ?? 13);
const count = Number(process.env.LEDGER_ORDERS ?? 300);
const first = Number(process.env.LEDGER_FIRST ?? 0);
console.log(`ledger: ${count} orders from number ${first} on, seed ${seed} (LEDGER_SEED)`);

const run = await runLedger({ seed, first, count });

test('no step met an answer that must not be', () => {
  assert.deepEqual([...run.troubles], []);
});

test('money asked for, money moved, enquiry and events agree for every order', async () => {
  await deliverEvents();
  const bodies: Reply['body'][] = run.endpoint.received.map(({ body }) => body);
  const byId = new Map(bodies.map((body) => [body.event_id, body]));
  const byOrder = Map.groupBy(byId.values(), ({ svc_order_id }) => svc_order_id);
  const wrongs: string[] = [];
  await inParallel(16, run.orders, async (order) => {
    const events = byOrder.get(order.orderId) ?? [];
    const enquiry = await enquire(run, order);
    const found = judgeOrder(order, truth(order), enquiry, events, run.provider.wasRefused);
    if (found.length === 0) return;
    wrongs.push(...found.map((wrong) => `${order.name}: ${wrong}`));
    console.log(`${order.name}\n${describeOrder(order, truth(order), enquiry, events)}`);
  });
  assert.deepEqual(wrongs, []);
});

test('the overview and the export of every shop have the sums of what moved', async () => {
  const wrongs: string[] = [];
  for (const shop of run.shops) {
    const own = run.orders.filter((order) => order.shop === shop);
    const judged = own.map((order) => ({ order, truth: truth(order) }));
    const found = await judgeShop(run, shop, judged);
    wrongs.push(...found.map((wrong) => `shop ${shop.number}: ${wrong}`));
  }
  assert.deepEqual(wrongs, []);
});

test('verify finds no breach', async () => {
  assert.deepEqual((await verifyInvariants(run.service.services)).breaches, []);
});

function truth(order: LedgerRun['orders'][number]) {
  const { simulator } = run.provider;
  return truthOf(order, simulator.ledger(), simulator.moved());
}

async function deliverEvents(): Promise<void> {
  const { services } = run.service;
  const { rows } = await services.database.query<{ count: number }>({
    text: 'select count(*)::int as count from events',
  });
  const deliveries = createEventDeliveries(services);
  const isDone = () => run.endpoint.received.length >= (rows[0]?.count ?? 0);
  // One look finds the events of a limited number of endpoints.
  for (let looks = 0; !isDone() && looks < 100; looks += 1) {
    await deliveries.startDue();
    await setTimeout(100);
  }
  await deliveries.stop();
  assert.ok(isDone(), 'every event was delivered');
}
