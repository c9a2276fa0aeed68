/**
 * `npm run bench:events`: whether endpoints that hang, fail or are dead slow down anybody else. About two minutes.
 * Prints its figures; throughput is compared with the same load without such endpoints, in the same run.
 */
import { setTimeout as delay } from 'node:timers/promises';
import type { Database } from '../../src/postgres/database.ts';
import { findFreePort } from '../harness/free-port.ts';
import { send } from '../harness/send.ts';
import { measure } from './load.ts';
import { medianOf } from './median.ts';
import { createOrders, makeOrders, partnerWebhooks } from './requests.ts';
import { openShop, type Shop } from './shop.ts';
import { addEndpoint, type ShopEndpoint, startShopEndpoint } from './shop-endpoint.ts';
import { type Program, withDataDir, withService } from './stage.ts';

const ordersPerMinute = 1_000;
const rounds = 5;
const seconds = 2;
const waiting = 100_000;

type Stage = { readonly service: Program; readonly database: Database; readonly other: Shop };

await withDataDir((dataDir) =>
  withService(dataDir, async (service, database) => {
    const other = await openShop(service.url, dataDir);
    const stage = { service, database, other };
    await measure(service, createOrders(other), { connections: 64, seconds: 5 });
    await besideTroubledEndpoints(stage, dataDir);
    await besideManyWaiting(stage, dataDir);
  }),
);

/** One endpoint hangs, one fails, one is healthy, and all get every event. */
async function besideTroubledEndpoints(stage: Stage, dataDir: string): Promise<void> {
  const shops = {
    told: await openShop(stage.service.url, dataDir),
    untold: await openShop(stage.service.url, dataDir),
  };
  const healthy = await startShopEndpoint('accept');
  const others = [await startShopEndpoint('hang'), await startShopEndpoint('refuse')];
  for (const { url } of [healthy, ...others]) await addEndpoint(shops.told, url);
  const ratios: number[] = [];
  const delays: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const without = await besideOrders(stage, shops.untold, undefined);
    const withThem = await besideOrders(stage, shops.told, healthy);
    ratios.push(withThem.perSecond / without.perSecond);
    delays.push(...withThem.delaysMs);
  }
  const quiet = await payAtRate(stage, shops.told, healthy, 10);
  for (const endpoint of [healthy, ...others]) await endpoint.close();
  console.log(
    `${ordersPerMinute} orders a minute to a hanging, a failing and a healthy endpoint: ` +
      `create order at 64 connections ${medianOf(ratios).toFixed(2)} of the throughput without endpoints (must 0.95); ` +
      `the healthy one hears after ${describe(delays)} beside that load and ${describe(quiet)} without (must p99 2000 ms)`,
  );
}

async function besideOrders(stage: Stage, shop: Shop, healthy: ShopEndpoint | undefined) {
  const paying = payAtRate(stage, shop, healthy, seconds);
  const options = { connections: 64, seconds };
  const { perSecond } = await measure(stage.service, createOrders(stage.other), options);
  return { perSecond, delaysMs: await paying };
}

/** Returns how long after the answer to the webhook the endpoint heard that the order is completed. */
async function payAtRate(
  { service, database }: Stage,
  shop: Shop,
  endpoint: ShopEndpoint | undefined,
  duration: number,
): Promise<number[]> {
  const count = Math.round((ordersPerMinute / 60) * duration);
  const orders = await makeOrders(database, service.url, shop, count);
  const next = partnerWebhooks(shop, orders);
  const answeredAtMs = new Map<string, number>();
  const deliver = async (orderId: string) => {
    const response = await send(service.url, next());
    if (response.status !== 200) throw new Error(`a webhook was answered ${response.status}`);
    await response.text();
    answeredAtMs.set(orderId, performance.now());
  };
  const sent: Promise<void>[] = [];
  for (const { orderId } of orders) {
    sent.push(deliver(orderId));
    await delay((duration * 1_000) / count);
  }
  await Promise.all(sent);
  if (!endpoint) return [];
  const isHeard = (orderId: string) =>
    endpoint.heard.find((event) => event.orderId === orderId && event.type === 'order_completed');
  const delays: number[] = [];
  for (const { orderId } of orders) {
    const deadline = performance.now() + 30_000;
    while (!isHeard(orderId) && performance.now() < deadline) await delay(5);
    const heardAtMs = isHeard(orderId)?.atMs ?? Number.POSITIVE_INFINITY;
    delays.push(heardAtMs - (answeredAtMs.get(orderId) ?? 0));
  }
  return delays;
}

/** Events wait for an endpoint that is dead, and then returns. */
async function besideManyWaiting(stage: Stage, dataDir: string): Promise<void> {
  const { service, database, other } = stage;
  const dead = await openShop(service.url, dataDir);
  const port = await findFreePort();
  const endpointId = await addEndpoint(dead, `http://127.0.0.1:${port}/`);
  const deliver = async () => {
    const orders = await makeOrders(database, service.url, other, seconds * 8_000);
    const options = { connections: 64, seconds };
    return (await measure(service, partnerWebhooks(other, orders), options)).perSecond;
  };
  await deliver();
  const before: number[] = [];
  const beside: number[] = [];
  for (let round = 0; round < rounds; round += 1) before.push(await deliver());
  await fillEvents(database, dead, endpointId);
  for (let round = 0; round < rounds; round += 1) beside.push(await deliver());
  const returned = await startShopEndpoint('accept', port);
  await makeDue(database, dead);
  await delay(10_000);
  const perSecond = returned.heard.length / 10;
  await returned.close();
  console.log(
    `${waiting} events waiting for a dead endpoint: webhooks of others ${(medianOf(beside) / medianOf(before)).toFixed(2)} ` +
      `of the throughput without them; after its return it gets ${perSecond.toFixed(0)} a second`,
  );
}

/** All of one order: an event needs no order to be sent. */
async function fillEvents(database: Database, { accountId }: Shop, endpointId: string) {
  const body = JSON.stringify({ event_type: 'waiting', fill: 'x'.repeat(1_500) });
  await inParts(
    database,
    `insert into events (account_id, order_id, sequence, endpoint_id, event_type, status,
       occurred_at, state, attempts, failures, next_attempt_at, body)
     select $3, 'o_waiting', n, $4, 'order_completed', 'completed', now(), 'pending', 0, 0, now(),
            convert_to($5, 'UTF8')
       from generate_series($1::integer, $2::integer) n`,
    [accountId, endpointId, body],
  );
}

async function makeDue(database: Database, { accountId }: Shop) {
  await inParts(
    database,
    `update events set next_attempt_at = now(), failures = 0
      where sequence between $1 and $2 and account_id = $3 and order_id = 'o_waiting'`,
    [accountId],
  );
}

/** The statement gets the first and the last number of each part: a single statement would take too long. */
async function inParts(database: Database, text: string, values: readonly unknown[]) {
  const size = 5_000;
  for (let from = 1; from <= waiting; from += size) {
    await database.query({ text, values: [from, from + size - 1, ...values] });
  }
}

function describe(delaysMs: readonly number[]): string {
  const sorted = delaysMs.toSorted((a, b) => a - b);
  const at = (share: number) => (sorted[Math.ceil(sorted.length * share) - 1] ?? 0).toFixed(0);
  return `p50 ${at(0.5)} ms, p99 ${at(0.99)} ms`;
}
