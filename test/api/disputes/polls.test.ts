/** Open disputes are polled once a day, so that a lost webhook does not hide a result. Contract 17.2. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sweep } from '../../../src/use-cases/upkeep/sweep.ts';
import { answerWith } from '../../support/stub-gateway.ts';
import { assertInvariants } from '../webhooks/shop.ts';
import { disputeEvent, disputeRecord, openDisputeShop } from './dispute-shop.ts';

type Fields = Record<string, unknown>;

const records = new Map<string, Fields>();
const polled: string[] = [];
let isDown = false;
const shop = await openDisputeShop((path, response) => {
  const [, id = ''] = /^\/v1\/disputes\/(.+)$/.exec(path) ?? [];
  polled.push(id);
  const record = records.get(id);
  if (isDown || !record) return answerWith(response, isDown ? 503 : 404, {});
  return answerWith(response, 200, record);
});
const { createPaid, disputesOf, listEvents, sendPartner, service } = shop;
const day = 24 * 60 * 60;

async function openDispute(changes: Fields = {}) {
  const { orderId, payment } = await createPaid();
  const record = disputeRecord(payment, changes);
  records.set(String(record.id), record);
  await sendPartner(disputeEvent('created', record));
  return { orderId, record, id: String(record.id) };
}

/** Final, so that the tests behind it do not poll it. */
async function end(record: Fields) {
  await sendPartner(disputeEvent('won', { ...record, status: 'won' }, 999));
}

async function pollsAfter(seconds: number): Promise<string[]> {
  service.advanceSeconds(seconds);
  polled.length = 0;
  await sweep(service.services);
  return [...polled];
}

test('a result that no webhook reported is found after a day, and announced once', async () => {
  const { orderId, record, id } = await openDispute();
  assert.deepEqual(await pollsAfter(day - 60), []);
  records.set(id, { ...record, status: 'lost', amount_deducted: 11800 });
  assert.deepEqual(await pollsAfter(120), [id]);
  const [dispute] = await disputesOf(orderId);
  assert.deepEqual([dispute.status, dispute.amount_deducted], ['lost', 118]);
  // It is final, so it is not polled again.
  assert.deepEqual(await pollsAfter(2 * day), []);
  const types = (await listEvents(orderId)).map(({ event_type }) => event_type);
  assert.deepEqual(types.slice(-2), ['dispute_created', 'dispute_lost']);
});

test('a poll that says nothing new stores nothing, and the next one follows a day later', async () => {
  const { orderId, record, id } = await openDispute();
  const deliveries = (await shop.listDeliveries()).length;
  const events = (await listEvents(orderId)).length;
  assert.deepEqual(await pollsAfter(day + 60), [id]);
  assert.deepEqual(await pollsAfter(day - 120), []);
  assert.deepEqual(await pollsAfter(180), [id]);
  assert.equal((await shop.listDeliveries()).length, deliveries);
  assert.equal((await listEvents(orderId)).length, events);
  await end(record);
});

test('what an event asked for stays open while a poll still finds the dispute open', async () => {
  const { orderId, record, id } = await openDispute();
  await sendPartner(disputeEvent('action_required', record, 60));
  assert.ok((await pollsAfter(day + 60)).includes(id));
  assert.equal((await disputesOf(orderId))[0].action_required, true);
  records.set(id, { ...record, status: 'under_review' });
  assert.ok((await pollsAfter(day + 60)).includes(id));
  const [dispute] = await disputesOf(orderId);
  assert.deepEqual([dispute.status, dispute.action_required], ['under_review', false]);
  await end(record);
});

test('a poll without an answer is repeated after an hour', async () => {
  const { orderId, record, id } = await openDispute();
  isDown = true;
  assert.ok((await pollsAfter(day + 60)).includes(id));
  assert.ok(!(await pollsAfter(3_000)).includes(id));
  isDown = false;
  records.set(id, { ...record, status: 'won' });
  assert.ok((await pollsAfter(700)).includes(id));
  assert.equal((await disputesOf(orderId))[0].status, 'won');
});

test('an answer about another dispute changes nothing', async () => {
  const { orderId, record, id } = await openDispute();
  records.set(id, { ...record, id: 'disp_other', status: 'lost' });
  assert.ok((await pollsAfter(day + 60)).includes(id));
  assert.equal((await disputesOf(orderId))[0].status, 'open');
});

test('the invariants hold after all of this', () => assertInvariants(shop));
