/** The inbox over HTTP: lists by state and provider, masked bodies, and replays in one's own account. Contract 13.6. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { commandLine } from '../../../src/domain/audit.ts';
import { newDeliveryId } from '../../../src/domain/ids.ts';
import { suspendAccount } from '../../../src/use-cases/accounts/suspend-account.ts';
import { auditOf } from '../../support/audit.ts';
import { codeOf, join, openBrowser } from '../../support/dashboard.ts';
import { gatewayBody, partnerEvent, partnerPayment } from '../../support/deliveries.ts';
import { dumpTables } from '../../support/test-database.ts';
import { captureOf, gatewayPaymentOf, openShop, shopOf } from '../webhooks/shop.ts';

const shop = await openShop();
const { service } = shop;
const { accountId } = shop.account;
const other = shopOf(service, await service.createAccount());
const operator = await join(service, accountId, 'operator');
const viewer = await join(service, accountId, 'viewer');
const foreigner = await join(service, other.account.accountId, 'owner');
const notFound = [404, 'NOT_FOUND'];

const order = await shop.createOrder();
const payment = partnerPayment({ notes: { svc_order_id: order.order_id } });
const processed = await deliver(() =>
  shop.sendPartner(partnerEvent('payment.captured', { payment })),
);
const stale = await deliver(() =>
  shop.sendPartner(
    partnerEvent('payment.authorized', { payment: { ...payment, status: 'authorized' } }),
  ),
);
const parked = await deliver(() =>
  shop.sendGateway(gatewayPaymentOf({ order_id: 'LATE-1' }, { transaction: { id: '7' } })),
);
const ignored = await deliver(() => shop.sendPartner(partnerEvent('settlement.processed', {})));

test('the list is newest first, with what each delivery is about', async () => {
  const { status, body } = await viewer.get('/inbox');
  assert.equal(status, 200);
  assert.deepEqual(idsOf(body), [ignored, parked, stale, processed]);
  assert.equal(body.next, null);
  const { received_at, finished_at, ...last } = body.deliveries[3];
  assert.ok(Date.parse(received_at) <= Date.parse(finished_at));
  assert.deepEqual(last, {
    delivery_id: processed,
    provider: 'partner',
    state: 'processed',
    why: null,
    flags: [],
    ...{
      provider_name: 'Razorpay',
      order_id: order.order_id,
      tries: last.tries,
      next_try_at: null,
    },
    event: 'payment.captured',
    amount: '118.00',
    currency: 'INR',
  });
  const waiting = body.deliveries[1];
  assert.equal(waiting.why, 'what it names is not known yet');
  assert.ok(Date.parse(waiting.next_try_at) > Date.parse(waiting.received_at));
});

const filtered: [query: string, expected: string[]][] = [
  ['state=processed', [processed]],
  ['state=stale', [stale]],
  ['state=parked', [parked]],
  ['state=dead', []],
  ['provider=bank-gateway', [parked]],
  ['provider=partner', [ignored, stale, processed]],
  ['provider=partner&state=ignored', [ignored]],
  ['provider=partner&state=parked', []],
  ['provider=nobody', []],
];
for (const [query, expected] of filtered) {
  test(`the filter ${query}`, async () => {
    const { body } = await viewer.get(`/inbox?${query}`);
    assert.deepEqual([idsOf(body), body.next], [expected, null]);
  });
}

test('pages follow each other without gaps, with a filter too', async () => {
  for (const filter of ['', '&provider=partner']) {
    const all = idsOf((await viewer.get(`/inbox?${filter}`)).body);
    const found: string[] = [];
    for (let after = ''; found.length <= all.length; ) {
      const { body } = await viewer.get(`/inbox?limit=1${filter}${after}`);
      found.push(...idsOf(body));
      if (body.next === null) break;
      after = `&after=${body.next}`;
    }
    assert.deepEqual(found, all);
  }
});

for (const query of ['state=gone', 'limit=0', 'after=x', 'order=o_1', 'state=dead&state=dead']) {
  test(`${query} is refused`, async () => {
    const reply = await viewer.get(`/inbox?${query}`);
    assert.deepEqual(codeOf(reply), [400, 'INVALID_REQUEST_PARAMETER']);
  });
}

test('one delivery has its body, masked for every role, beside what was understood', async () => {
  const { body } = await operator.get(`/inbox/${processed}`);
  const shown = JSON.stringify(body);
  assert.doesNotMatch(shown, /asha@example|9876543210/);
  assert.deepEqual((await viewer.get(`/inbox/${processed}`)).body, body);
  const sent = JSON.parse(body.body);
  const { id, amount } = sent.payload.payment.entity;
  assert.deepEqual([sent.event, amount], ['payment.captured', 11_800]);
  assert.doesNotMatch(JSON.stringify(body.headers), /signature/i);
  assert.deepEqual(
    [body.state, body.order_id, body.event],
    [...['processed', order.order_id, 'payment.captured']],
  );
  assert.equal(body.body_pruned, false);
  const { psp_transaction_id, status, amount: text, currency } = body.understood.payment;
  assert.deepEqual([psp_transaction_id, status, text], [id, 'succeeded', '118.00']);
  assert.deepEqual([currency, body.provider_name], ['INR', 'Razorpay']);
  const beside = (await viewer.get(`/orders/${order.order_id}/deliveries/${processed}`)).body;
  assert.deepEqual(beside, body, 'the page of the order shows the same');
  assert.equal(body.understood.refund, null);
  const nothing = (await viewer.get(`/inbox/${ignored}`)).body.understood;
  assert.equal(nothing.kind, 'ignored');
});

test('a replay applies what can be applied now, and the log says who asked for it', async () => {
  const invoice_id = 'LATE-2';
  const delivery = await deliver(() =>
    shop.sendPartner(captureOf({ order_id: '' }, { notes: { invoice_id } })),
  );
  const first = await operator.post(`/inbox/${delivery}/replay`);
  assert.deepEqual(
    [first.status, first.body.outcome, first.body.state_before, first.body.state],
    [200, 'replayed', 'parked', 'parked'],
  );
  // A new order applies what is parked for it, but not what a person closed.
  await service.database.query({
    text: `update deliveries set state = 'dead', next_try_at = null, finished_at = received_at
            where delivery_id = $1`,
    values: [delivery],
  });
  await operator.post('/review/resolve', { id: delivery, note: 'another shop' });
  const { order_id } = await shop.createOrder({ invoice_id });
  const applied = await operator.post(`/inbox/${delivery}/replay`);
  assert.deepEqual(
    [applied.body.state_before, applied.body.state, applied.body.order_id],
    ['resolved', 'processed', order_id],
  );
  const entry = (await auditOf(service, accountId)).at(-1);
  assert.deepEqual(
    [entry?.actor, entry?.user_id, entry?.address, entry?.action, entry?.object],
    [operator.email, operator.userId, operator.address, 'delivery.replayed', delivery],
  );
});

test('a second replay changes nothing but the log', async () => {
  const changing = ['audit', 'sessions'];
  const before = await dumpWithout(changing);
  const replies = await Promise.all([
    operator.post(`/inbox/${processed}/replay`),
    operator.post(`/inbox/${processed}/replay`),
  ]);
  for (const { status, body } of replies) {
    assert.deepEqual([status, body.state_before, body.state], [200, 'processed', 'processed']);
  }
  assert.deepEqual(await dumpWithout(changing), before);
});

test('a delivery that cannot be applied is tried again later, and the answer says so', async () => {
  const rename = (from: string, to: string) =>
    service.database.query({
      text: 'update deliveries set provider = $3 where delivery_id = $1 and provider = $2',
      values: [parked, from, to],
    });
  await rename('bank-gateway', 'nobody');
  const { status, body } = await operator.post(`/inbox/${parked}/replay`);
  await rename('nobody', 'bank-gateway');
  const { outcome, state_before, state, why } = body;
  assert.deepEqual(
    [status, outcome, state_before, state, why],
    [200, 'failed', null, 'received', 'it could not be applied and is tried again'],
  );
  const entryOf = async () => (await auditOf(service, shop.account.accountId)).at(-1);
  const failed = await entryOf();
  assert.deepEqual(
    [failed?.actor, failed?.address, failed?.action, failed?.object, failed?.details],
    [operator.email, operator.address, 'delivery.replayed', parked, { outcome: 'failed' }],
  );
  const again = await operator.post(`/inbox/${parked}/replay`);
  assert.deepEqual((await entryOf())?.details, {});
  assert.deepEqual([again.body.outcome, again.body.state_before], ['replayed', 'received']);
});

test('a delivery whose body was pruned is shown without it, and its replay is refused with the reason', async () => {
  const delivery = await deliver(() => shop.sendPartner(partnerEvent('settlement.processed', {})));
  await service.database.query({
    text: 'update deliveries set body = null, headers = null where delivery_id = $1',
    values: [delivery],
  });
  const { body } = await viewer.get(`/inbox/${delivery}`);
  assert.deepEqual([body.body, body.body_pruned, body.understood], [null, true, null]);
  const reply = await operator.post(`/inbox/${delivery}/replay`);
  assert.deepEqual(codeOf(reply), [409, 'ORDER_CONFLICT']);
  assert.match(reply.body.error.svc_merchant_message, /its body was pruned by age/);
});

test('a delivery of another account is answered like one that does not exist', async () => {
  const { body } = await other.sendGateway(gatewayBody({ order: { id: 'THEIRS' } }));
  const foreign: string = body.delivery_id;
  const none = newDeliveryId(accountId, service.services.clock());
  const before = await dumpWithout(['sessions']);
  for (const [method, end] of [
    ['GET', ''],
    ['POST', '/replay'],
  ] as const) {
    const expected = await operator.send(method, `/inbox/${none}${end}`);
    assert.deepEqual(codeOf(expected), notFound);
    for (const id of [foreign, 'nonsense']) {
      const reply = await operator.send(method, `/inbox/${id}${end}`);
      assert.deepEqual([reply.status, reply.body], [404, expected.body], id);
    }
  }
  assert.deepEqual(codeOf(await operator.get(`/inbox?after=${foreign}`)), [
    400,
    'INVALID_REQUEST_PARAMETER',
  ]);
  assert.deepEqual(await dumpWithout(['sessions']), before);
  assert.deepEqual(idsOf((await foreigner.get('/inbox')).body), [foreign]);
});

test('a viewer and nobody replay nothing, and nothing of a suspended account is replayed', async () => {
  const replay = `/inbox/${parked}/replay`;
  assert.deepEqual(codeOf(await viewer.post(replay)), [403, 'PERMISSION_DENIED']);
  const stranger = openBrowser(service);
  for (const path of ['/inbox', `/inbox/${parked}`]) {
    assert.equal((await stranger.get(path)).status, 401, path);
  }
  assert.equal((await stranger.post(replay)).status, 401);
  const [own] = idsOf((await foreigner.get('/inbox')).body);
  await suspendAccount(service.services, other.account.accountId, commandLine);
  assert.equal((await foreigner.get(`/inbox/${own}`)).status, 200);
  const refused = await foreigner.post(`/inbox/${own}/replay`);
  assert.deepEqual(codeOf(refused), [403, 'ACCOUNT_SUSPENDED']);
});

/** Deliveries of the same second are listed in any order. */
async function deliver(send: () => ReturnType<typeof shop.sendPartner>): Promise<string> {
  service.advanceSeconds(1);
  const { status, body } = await send();
  assert.equal(status, 200, JSON.stringify(body));
  return body.delivery_id;
}

function idsOf({ deliveries }: { deliveries: { delivery_id: string }[] }): string[] {
  return deliveries.map(({ delivery_id }) => delivery_id);
}

async function dumpWithout(tables: readonly string[]) {
  const dump = Object.entries(await dumpTables(service.database));
  return dump.filter(([name]) => !tables.includes(name));
}
