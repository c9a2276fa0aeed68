/** The pace of an endpoint: a hundred events at once, then a hundred a second in few claims. Contract 12.5. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventLimits } from '../../src/domain/events/limits.ts';
import type { Database } from '../../src/postgres/database.ts';
import { createEndpointLanes } from '../../src/services/endpoint-lanes.ts';
import { createEventDeliveries } from '../../src/use-cases/events/deliver-events.ts';
import { waitUntil } from '../../tools/harness/wait-until.ts';
import { answerStatus, startShopEndpoint } from '../support/shop-endpoint.ts';
import { openEvents } from './open-events.ts';

const events = await openEvents();
const { services } = events;

test('a backlog is sent at the full rate in few claims, without another round or commit', async () => {
  const receiver = await startShopEndpoint();
  const endpoint = await events.addEndpoint(receiver.url);
  await events.store([endpoint], 300);
  const { database, countClaims } = countingClaims();
  const deliveries = createEventDeliveries({ ...services, database });
  const startedAtMs = performance.now();
  deliveries.startDeliveries([endpoint]);
  await receiver.waitFor(300);
  const seconds = (performance.now() - startedAtMs) / 1_000;
  await deliveries.stop();
  assert.equal(receiver.received.length, 300);
  assert.ok(receiver.concurrentMax() <= eventLimits.eventsOfEndpointMax);
  // A hundred are in the bucket, and the others follow as it fills: never sooner, however fast the endpoint is.
  assert.ok(seconds >= 1.9, `${seconds} s`);
  // Ten events by most claims, and five by some of those that need not wait.
  assert.ok(countClaims() <= 75, `${countClaims()} claims`);
});

test('an endpoint that fails is tried again at its own pace, without another round', async () => {
  const receiver = await startShopEndpoint();
  receiver.answer = answerStatus(500);
  const endpoint = await events.addEndpoint(receiver.url);
  await events.store([endpoint], 22);
  const deliveries = createEventDeliveries(services);
  const startedAtMs = performance.now();
  deliveries.startDeliveries([endpoint]);
  // Ten before it is known to fail, ten at once while it fails, and then one a second.
  await receiver.waitFor(21);
  const seconds = (performance.now() - startedAtMs) / 1_000;
  await deliveries.stop();
  assert.ok(seconds >= 0.9, `${seconds} s`);
});

test('nothing is sent after the end, although tokens were being collected', async () => {
  const receiver = await startShopEndpoint();
  const endpoint = await events.addEndpoint(receiver.url);
  await events.store([endpoint], 130);
  const deliveries = createEventDeliveries(services);
  deliveries.startDeliveries([endpoint]);
  await receiver.waitFor(100);
  await deliveries.stop();
  const { length } = receiver.received;
  const rows = await events.listDeliveries(endpoint);
  assert.equal(rows.filter(({ state }) => state === 'delivered').length, length);
  assert.equal(rows.filter(({ attempts }) => attempts > 0).length, length);
});

test('a lane without tokens is woken once, when it has those for a whole claim', async () => {
  const { lanes, lane } = emptyLane();
  let woken = 0;
  const wake = () => {
    woken += 1;
  };
  for (let count = 0; count < 3; count += 1) assert.ok(lanes.collectTokens(lane, wake));
  assert.equal(lane.timer?.hasRef(), false);
  lanes.dropIdle();
  assert.equal(lanes.laneOf(lane.endpoint), lane);
  await waitUntil('the lane is woken', () => woken > 0);
  assert.equal(lane.timer, undefined);
  assert.equal(lanes.freeSlots(lane), eventLimits.eventsOfEndpointMax);
  assert.ok(!lanes.collectTokens(lane, wake));
  assert.equal(woken, 1);
});

test('a lane is not woken after the end', async () => {
  const { lanes, lane } = emptyLane();
  let isWoken = false;
  lanes.collectTokens(lane, () => {
    isWoken = true;
  });
  lanes.stop();
  // By then the timer would have run.
  await waitUntil(
    'there are tokens',
    () => lanes.freeSlots(lane) === eventLimits.eventsOfEndpointMax,
  );
  assert.ok(!isWoken);
});

test('a lane with tokens for its slots, or without a slot, collects none', () => {
  const lanes = createEndpointLanes();
  const lane = lanes.laneOf({ accountId: 'acc_1', endpointId: 'ep_1' });
  const refuse = () => assert.fail('it is woken');
  assert.ok(!lanes.collectTokens(lane, refuse));
  for (let count = 0; count < eventLimits.eventsOfEndpointMax; count += 1) lanes.takeSlot(lane);
  assert.ok(!lanes.collectTokens(lane, refuse));
  assert.equal(lane.timer, undefined);
});

function emptyLane() {
  const lanes = createEndpointLanes();
  const lane = lanes.laneOf({ accountId: 'acc_1', endpointId: 'ep_1' });
  while (lanes.freeSlots(lane) >= 1) lanes.takeSlot(lane)(true);
  return { lanes, lane };
}

/** The same database, which counts the claims made through it. */
function countingClaims() {
  let claims = 0;
  const { query } = services.database;
  const counting = {
    query: (statement: { name?: string }) => {
      if (statement.name === 'claim-events') claims += 1;
      return query(statement as never);
    },
  };
  const database: Database = Object.assign(Object.create(services.database), counting);
  return { database, countClaims: () => claims };
}
