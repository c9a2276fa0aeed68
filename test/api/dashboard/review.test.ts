/** What needs a person, over HTTP: what is listed, who resolves it, and that nobody reaches another account. Contract 13.6. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { commandLine } from '../../../src/domain/audit.ts';
import { suspendAccount } from '../../../src/use-cases/accounts/suspend-account.ts';
import { auditOf } from '../../support/audit.ts';
import { codeOf, join, openBrowser } from '../../support/dashboard.ts';
import { partnerEvent, partnerPayment } from '../../support/deliveries.ts';
import { insertDeliveries } from '../../support/many-deliveries.ts';
import { dumpTables } from '../../support/test-database.ts';
import { captureOf, openShop, shopOf } from '../webhooks/shop.ts';

const shop = await openShop();
const { service } = shop;
const { accountId } = shop.account;
const other = shopOf(service, await service.createAccount());
const operator = await join(service, accountId, 'operator');
const viewer = await join(service, accountId, 'viewer');
const foreigner = await join(service, other.account.accountId, 'owner');
const note = 'agreed with the shop';
const notFound = [404, 'NOT_FOUND'];

type Item = {
  readonly id: string;
  readonly order_id: string | null;
  readonly delivery_id: string | null;
};

test('a list has what each item is about, since when, its reason as a code and a sentence, and advice', async () => {
  const { order_id } = await shop.createOrder();
  const startedAt = service.services.clock().getTime();
  const low = await shop.sendPartner(captureOf({ order_id }, { amount: 100 }));
  const payment = partnerPayment({ notes: { svc_order_id: order_id } });
  const dispute = partnerEvent('payment.dispute.escalated', { payment, dispute: { id: 'disp_1' } });
  const disputed = await shop.sendPartner(dispute);

  const { status, body } = await viewer.get('/review');
  assert.equal(status, 200);
  assert.equal(body.next, null);
  const [delivery, flag] = body.items;
  const { id, transaction_id, since, ...flagged } = flag;
  assert.equal(id, `${accountId}/${transaction_id}:amount_mismatch`);
  assert.match(transaction_id, new RegExp(`^${order_id}-`));
  assert.ok(Date.parse(since) >= startedAt - 1_000, since);
  assert.deepEqual(flagged, {
    kind: 'flag',
    order_id,
    delivery_id: null,
    why: null,
    dispute: null,
    reasons: [
      {
        reason: 'amount_mismatch',
        sentence: 'The amount that was paid is not the amount of the order.',
        advice:
          'Compare the amount with the order, then refund the payment or settle the difference with the consumer.',
      },
    ],
  });
  const { delivery_id } = disputed.body;
  assert.deepEqual(
    [
      delivery.id,
      delivery.kind,
      delivery.delivery_id,
      delivery.order_id,
      delivery.reasons[0]?.reason,
    ],
    [delivery_id, 'delivery', delivery_id, order_id, 'dispute'],
  );
  assert.equal(body.items.length, 2, 'a delivery whose flag is on its order is not listed twice');
  assert.notEqual(low.body.delivery_id, delivery_id);
  const open = { count: 0, more: false };
  assert.deepEqual((await foreigner.get('/review')).body, { items: [], open, next: null });
});

test('an operator resolves a flag with a note: it is gone, its delivery with it, and the log says who did it', async () => {
  const { order_id } = await shop.createOrder();
  const { body: sent } = await shop.sendPartner(captureOf({ order_id }, { amount: 100 }));
  const { id } = await itemOf(order_id);
  const { status, body } = await operator.post('/review/resolve', { id, note: `  ${note} ` });
  assert.equal(status, 200, JSON.stringify(body));
  assert.deepEqual(
    { ...body, resolved_at: '' },
    {
      id,
      outcome: 'resolved',
      resolved_at: '',
      note,
      resolved_deliveries: [sent.delivery_id],
    },
  );
  assert.equal(await findItem(order_id), undefined);
  const entry = (await auditOf(service, accountId)).at(-1);
  assert.deepEqual(
    [entry?.actor, entry?.user_id, entry?.address, entry?.action, entry?.object],
    [operator.email, operator.userId, operator.address, 'flag.resolved', id],
  );
  const logged = (await operator.get('/audit')).body.entries[0];
  assert.deepEqual([logged.action, logged.note], ['flag.resolved', note]);
});

test('the overview counts what the list has: dead deliveries are in both', async () => {
  const { body: sent } = await shop.sendPartner(captureOf({ order_id: '' }, { notes: {} }));
  const before = (await viewer.get('/review')).body.items.length;
  await service.database.query({
    text: `update deliveries set state = 'dead', next_try_at = null, finished_at = received_at
            where delivery_id = $1`,
    values: [sent.delivery_id],
  });
  const { items, open, next } = (await viewer.get('/review')).body;
  assert.deepEqual([items.length, next], [before + 1, null]);
  assert.deepEqual(items.at(-1).reasons[0].reason, 'dead');
  const period = 'from=2026-01-01T00:00:00Z&to=2026-01-02T00:00:00Z';
  const { attention } = (await viewer.get(`/overview?${period}`)).body;
  assert.deepEqual(open, { count: items.length, more: false });
  assert.deepEqual(attention.review, open);
  await operator.post('/review/resolve', { id: sent.delivery_id, note });
  assert.equal((await viewer.get('/review')).body.open.count, before);
});

test('resolving twice changes nothing, and the answer says so', async () => {
  const { order_id } = await shop.createOrder();
  await shop.sendPartner(captureOf({ order_id }, { amount: 100 }));
  const { id } = await itemOf(order_id);
  const replies = await Promise.all(
    Array.from({ length: 5 }, () => operator.post('/review/resolve', { id, note })),
  );
  const outcomes = replies.map(({ status, body }) => `${status} ${body.outcome}`);
  assert.deepEqual(outcomes.toSorted(), [
    '200 resolved',
    ...Array.from({ length: 4 }, () => '200 resolved_before'),
  ]);
  const before = await dumpTables(service.database);
  const again = await operator.post('/review/resolve', { id, note: 'another note' });
  assert.match(again.body.message, /was resolved before\.$/);
  assert.deepEqual(await dumpTables(service.database), before);
});

test('an item of another account is answered like one that does not exist', async () => {
  const { order_id } = await other.createOrder();
  await other.sendPartner(captureOf({ order_id }, { amount: 100 }));
  const unknownOrder = await other.sendPartner(captureOf({ order_id: 'o_0000000000000000' }));
  const [{ id: flag }] = (await foreigner.get('/review')).body.items;
  const none = await operator.post('/review/resolve', { id: 'nonsense', note });
  assert.deepEqual(codeOf(none), notFound);
  for (const id of [
    flag,
    unknownOrder.body.delivery_id,
    `dlv_${accountId.slice(4)}0000000000000000`,
  ]) {
    const reply = await operator.post('/review/resolve', { id, note });
    assert.deepEqual([reply.status, reply.body], [404, none.body], id);
  }
  assert.equal((await foreigner.get('/review')).body.items.length, 1);
});

test('what is not open is refused with a sentence', async () => {
  const { body } = await shop.sendPartner(captureOf({ order_id: 'o_0000000000000000' }));
  const reply = await operator.post('/review/resolve', { id: body.delivery_id, note });
  assert.deepEqual(codeOf(reply), [409, 'ORDER_CONFLICT']);
  assert.match(reply.body.error.svc_merchant_message, /is parked: only one that is needs_review/);
});

test('a viewer, nobody, a missing note and wrong input change nothing', async () => {
  const { order_id } = await shop.createOrder();
  await shop.sendPartner(captureOf({ order_id }, { amount: 100 }));
  const { id } = await itemOf(order_id);
  const stranger = openBrowser(service);
  assert.equal((await stranger.get('/review')).status, 401);
  assert.equal((await stranger.post('/review/resolve', { id, note })).status, 401);
  const forbidden = await viewer.post('/review/resolve', { id, note });
  assert.deepEqual(codeOf(forbidden), [403, 'PERMISSION_DENIED']);
  for (const body of [{ id }, { note }, { id, note: '' }, { id, note: '   ' }, { id: 7, note }]) {
    const reply = await operator.post('/review/resolve', body);
    assert.deepEqual(codeOf(reply), [400, 'INVALID_REQUEST_PARAMETER'], JSON.stringify(body));
  }
  const tooLong = await operator.post('/review/resolve', { id, note: 'x'.repeat(1_025) });
  assert.equal(tooLong.status, 400);
  for (const query of ['limit=0', 'after=nonsense', 'state=dead']) {
    assert.deepEqual(codeOf(await viewer.get(`/review?${query}`)), [
      400,
      'INVALID_REQUEST_PARAMETER',
    ]);
  }
  assert.ok(await findItem(order_id));
});

test('pages follow each other without gaps, and rows whose flags are resolved do not make them empty', async () => {
  const busy = shopOf(service, await service.createAccount());
  const person = await join(service, busy.account.accountId, 'operator');
  const now = service.services.clock();
  await insertDeliveries(service.database, busy.account.accountId, 'dead', 30, now);
  for (let count = 0; count < 12; count += 1) {
    const { order_id } = await busy.createOrder();
    await busy.sendPartner(captureOf({ order_id }, { amount: 100 }));
  }
  const flags: Item[] = (await person.get('/review?limit=100')).body.items;
  for (const { id, order_id } of flags.slice(0, 10)) {
    if (order_id === null) continue;
    assert.equal((await person.post('/review/resolve', { id, note })).status, 200);
  }
  const pages: Item[][] = [];
  for (let query = '?limit=10'; pages.length < 10; ) {
    const { body } = await person.get(`/review${query}`);
    pages.push(body.items);
    if (body.next === null) break;
    query = `?limit=10&after=${encodeURIComponent(body.next)}`;
  }
  assert.ok(pages.every((page) => page.length > 0));
  const ids = pages.flat().map(({ id }) => id);
  assert.deepEqual([ids.length, new Set(ids).size], [32, 32]);
  assert.deepEqual(
    ids.slice(0, 2),
    flags.slice(10, 12).map(({ id }) => id),
  );
});

test('in a suspended account the list can be read, and nothing is resolved', async () => {
  const own = shopOf(service, await service.createAccount());
  const person = await join(service, own.account.accountId, 'owner');
  const { order_id } = await own.createOrder();
  await own.sendPartner(captureOf({ order_id }, { amount: 100 }));
  await suspendAccount(service.services, own.account.accountId, commandLine);
  const [{ id }] = (await person.get('/review')).body.items;
  const reply = await person.post('/review/resolve', { id, note });
  assert.deepEqual(codeOf(reply), [403, 'ACCOUNT_SUSPENDED']);
});

async function findItem(orderId: string): Promise<Item | undefined> {
  const items: Item[] = (await viewer.get('/review?limit=200')).body.items;
  return items.find(({ order_id }) => order_id === orderId);
}

async function itemOf(orderId: string): Promise<Item> {
  const item = await findItem(orderId);
  assert.ok(item);
  return item;
}
