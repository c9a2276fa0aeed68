/** Many events, endpoints and processes at once: nobody is delayed by others, and nothing is sent twice. Contract 12.5. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventLimits } from '../../src/domain/events/limits.ts';
import { createServices } from '../../src/process/create-services.ts';
import { createEndpointLanes } from '../../src/services/endpoint-lanes.ts';
import { createEventDeliveries } from '../../src/use-cases/events/deliver-events.ts';
import { waitUntil } from '../../tools/harness/wait-until.ts';
import { answerStatus, holdAnswers, startShopEndpoint } from '../support/shop-endpoint.ts';
import { testMasterKeyHex } from '../support/test-service.ts';
import { openEvents } from './open-events.ts';

const events = await openEvents();
const { service, services } = events;

test('an endpoint gets everything at once while others of its account hang and fail', async () => {
  const [hanging, failing, healthy] = [
    await startShopEndpoint(),
    await startShopEndpoint(),
    await startShopEndpoint(),
  ];
  const held = holdAnswers();
  hanging.answer = held.answer;
  failing.answer = answerStatus(500);
  const { endpoints } = await events.addAccount([hanging.url, failing.url, healthy.url]);
  await events.store(endpoints, 40);
  const deliveries = createEventDeliveries(services);
  await deliveries.startDue();
  await healthy.waitFor(40);
  assert.equal(held.count(), eventLimits.eventsOfEndpointMax);
  assert.equal(hanging.received.length, eventLimits.eventsOfEndpointMax);
  // Ten at once, ten while it fails, and then one a second.
  await failing.waitFor(20);
  const stopped = deliveries.stop();
  held.release();
  await stopped;
  const of = async (index: number) => {
    const endpoint = endpoints[index];
    assert.ok(endpoint);
    const rows = await events.listDeliveries(endpoint);
    return [...Map.groupBy(rows, ({ state }) => state)].map(([state, own]) => [state, own.length]);
  };
  assert.deepEqual(await of(2), [['delivered', 40]]);
  assert.deepEqual(await of(1), [['pending', 40]]);
  assert.deepEqual((await of(0)).sort(), [
    ['delivered', 10],
    ['pending', 30],
  ]);
});

test('an endpoint has ten events in progress at most, and gets the rest as it answers', async () => {
  const receiver = await startShopEndpoint();
  const held = holdAnswers();
  receiver.answer = held.answer;
  const endpoint = await events.addEndpoint(receiver.url);
  await events.store([endpoint], 35);
  const deliveries = createEventDeliveries(services);
  deliveries.startDeliveries([endpoint]);
  await waitUntil('ten are in progress', () => held.count() === 10);
  // While they are, further looks for due events start nothing.
  await deliveries.startDue();
  assert.equal(receiver.received.length, 10);
  while (receiver.received.length < 35) {
    const before = receiver.received.length;
    held.release();
    await receiver.waitFor(before + 1);
  }
  held.release();
  await deliveries.stop();
  assert.equal(receiver.received.length, 35);
  assert.equal(receiver.concurrentMax(), 10);
});

test('an endpoint that has failed gets one event at a time, until one succeeds', async () => {
  const receiver = await startShopEndpoint();
  receiver.answer = answerStatus(500);
  const endpoint = await events.addEndpoint(receiver.url);
  const deliveries = createEventDeliveries(services);
  await events.store([endpoint]);
  deliveries.startDeliveries([endpoint]);
  await waitUntil('its failure is saved', async () => {
    const [row] = await events.listDeliveries(endpoint);
    return row?.failures === 1;
  });
  const held = holdAnswers();
  receiver.answer = held.answer;
  await events.store([endpoint], 12);
  await deliveries.startDue();
  await waitUntil('one is in progress', () => held.count() === 1);
  await deliveries.startDue();
  assert.equal(held.count(), 1);
  held.release(503);
  await waitUntil('the next one is in progress', () => held.count() === 1);
  await deliveries.startDue();
  assert.equal(held.count(), 1);
  held.release();
  await waitUntil('it has its slots again', () => held.count() === 10);
  held.release();
  await deliveries.stop();
});

test('an endpoint gets a hundred events at once, and then a hundred a second', () => {
  const lanes = createEndpointLanes();
  const lane = lanes.laneOf({ accountId: 'acc_1', endpointId: 'ep_1' });
  const startedAtMs = performance.now();
  for (let count = 0; count < eventLimits.eventsPerSecond; count += 1) {
    assert.ok(lanes.freeSlots(lane) >= 1);
    lanes.takeSlot(lane)(true);
  }
  const free = lanes.freeSlots(lane);
  const refilled = ((performance.now() - startedAtMs) * eventLimits.eventsPerSecond) / 1000;
  assert.ok(free <= refilled, `${free} free, ${refilled} refilled`);
});

test('an endpoint that refuses at once gets some attempts, then one a second, and all again after a success', () => {
  const lanes = createEndpointLanes();
  const lane = lanes.laneOf({ accountId: 'acc_1', endpointId: 'ep_1' });
  const startedAtMs = performance.now();
  let attempts = 0;
  while (lanes.freeSlots(lane) >= 1 && attempts < 1_000) {
    lanes.takeSlot(lane)(false);
    attempts += 1;
  }
  // The first one, ten more, and what a slow machine refills meanwhile.
  const refilled = (performance.now() - startedAtMs) / 1_000;
  assert.ok(attempts >= 11 && attempts <= 11 + refilled, `${attempts} attempts`);
  lanes.takeSlot(lane)(true);
  assert.equal(lanes.freeSlots(lane), eventLimits.eventsOfEndpointMax);
});

test('slow endpoints leave slots to those that have none', () => {
  const lanes = createEndpointLanes();
  const laneOf = (index: number) => lanes.laneOf({ accountId: 'acc_1', endpointId: `ep_${index}` });
  let taken = 0;
  for (let index = 0; index < 300; index += 1) {
    const lane = laneOf(index);
    for (let free = lanes.freeSlots(lane); free > 0; free -= 1) {
      lanes.takeSlot(lane);
      taken += 1;
    }
  }
  // 25 of ten events, one of six, then 256 of one each.
  assert.equal(taken, eventLimits.eventsInProgressMax);
  assert.equal(laneOf(24).inProgress, 10);
  assert.equal(laneOf(25).inProgress, 6);
  assert.equal(laneOf(26).inProgress, 1);
  assert.equal(laneOf(281).inProgress, 1);
  assert.equal(laneOf(282).inProgress, 0);
});

test('endpoints that fail occupy half of the slots at most', () => {
  const lanes = createEndpointLanes();
  for (let index = 0; index < 400; index += 1) {
    const lane = lanes.laneOf({ accountId: 'acc_1', endpointId: `ep_${index}` });
    lanes.takeSlot(lane)(false);
    if (lanes.freeSlots(lane) > 0) lanes.takeSlot(lane);
  }
  const fresh = lanes.laneOf({ accountId: 'acc_1', endpointId: 'ep_healthy' });
  assert.equal(lanes.freeSlots(fresh), 1);
  lanes.dropIdle();
  assert.ok(lanes.laneOf({ accountId: 'acc_1', endpointId: 'ep_399' }).isFailing);
});

test('two processes send each of fifty events once', async () => {
  const receiver = await startShopEndpoint();
  receiver.answer = (reply) => {
    setTimeout(() => reply.end(), 5);
  };
  const endpoint = await events.addEndpoint(receiver.url);
  await events.store([endpoint], 50);
  const processes = [services, secondProcess()].map((own) => createEventDeliveries(own));
  await waitUntil('all are delivered', async () => {
    await Promise.all(
      processes.map((deliveries) => {
        deliveries.startDeliveries([endpoint]);
        return deliveries.startDue();
      }),
    );
    const rows = await events.listDeliveries(endpoint);
    return rows.every(({ state }) => state === 'delivered');
  });
  await Promise.all(processes.map((deliveries) => deliveries.stop()));
  const ids = receiver.received.map(({ headers }) => headers['webhook-id']);
  assert.equal(ids.length, 50);
  assert.equal(new Set(ids).size, 50);
  const rows = await events.listDeliveries(endpoint);
  assert.ok(rows.every(({ attempts }) => attempts === 1));
});

/** Another set of services on the same database, with the same clock. */
function secondProcess() {
  const { settings, clock } = services;
  const { database } = service;
  return createServices({ database, masterKeyHex: testMasterKeyHex, settings, clock });
}
