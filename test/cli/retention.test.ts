import assert from 'node:assert/strict';
import { test } from 'node:test';
import { prune } from '../../src/use-cases/prune.ts';
import type { ServiceSettings } from '../../src/use-cases/services.ts';
import { sweep } from '../../src/use-cases/sweep.ts';
import { verifyInvariants } from '../../src/use-cases/verify-invariants.ts';
import { assertInvariants, captureOf, openShop, type Shop } from '../api/webhooks/shop.ts';
import { runCommand } from '../support/command-line.ts';
import { partnerEvent, partnerPayment, partnerRefund } from '../support/deliveries.ts';
import { testMasterKeyHex } from '../support/test-service.ts';

const daySeconds = 24 * 60 * 60;

test('the body of a finished delivery is forgotten after 90 days by the sweep, and its key never', async () => {
  const shop = await openShop();
  const order = await shop.createOrder();
  const capture = captureOf(order);
  const reply = await shop.sendPartner(capture, { eventId: 'evtOld' });
  await shop.sendPartner(partnerEvent('settlement.processed', {}));
  const before = await shop.enquire({ order_id: order.order_id });

  shop.service.advanceSeconds(89 * daySeconds);
  await sweep(shop.service.services);
  assert.equal(await countBodies(shop), 2);

  shop.service.advanceSeconds(2 * daySeconds);
  await sweep(shop.service.services);
  assert.equal(await countBodies(shop), 0);
  const after = await shop.enquire({ order_id: order.order_id });
  assert.deepEqual(after.body, before.body);
  const repeat = await shop.sendPartner(capture, { eventId: 'evtOld' });
  assert.deepEqual(repeat.body, { ...reply.body, status: 'duplicate' });
});

test('what is unfinished, dead or needs review keeps its body however old it is', async () => {
  const shop = await openShop();
  const order = await shop.createOrder();
  const payment = (id: string, notes: object) =>
    partnerEvent('payment.captured', { payment: partnerPayment({ id, notes }) });
  await shop.sendPartner(captureOf(order));
  await shop.sendPartner(payment('pay_second', { svc_order_id: order.order_id }));
  await shop.sendPartner(payment('pay_parked', { svc_order_id: 'o_unknown' }));
  await shop.sendPartner(payment('pay_dead', { svc_order_id: 'o_unknown2' }));
  await setState(shop, 'pay_dead', 'dead');
  shop.service.advanceSeconds(5_000 * daySeconds);
  await prune(shop.service.services);
  const { rows } = await shop.service.database.query({
    text: 'select state, body is null as pruned from deliveries order by state',
  });
  assert.deepEqual(rows, [
    { state: 'dead', pruned: false },
    { state: 'needs_review', pruned: false },
    { state: 'parked', pruned: false },
    { state: 'processed', pruned: true },
  ]);
});

test('more than a batch is forgotten in one go, and 0 days is never', async () => {
  const shop = await openShop();
  const template = await shop.sendPartner(partnerEvent('settlement.processed', {}));
  await shop.service.database.query({
    text: `insert into deliveries
           select d.account_id, d.delivery_id || n, d.provider, d.delivery_key || n, d.state, d.why,
                  d.flags, d.headers, d.body, d.expected_merchant, d.order_id, d.tries,
                  d.next_try_at, d.received_at, d.finished_at
             from deliveries d, generate_series(1, 1200) n where d.delivery_id = $1`,
    values: [template.body.delivery_id],
  });
  shop.service.advanceSeconds(91 * daySeconds);
  await prune({ ...shop.service.services, settings: settingsOf(shop, { inboxBodyDays: 0 }) });
  assert.equal(await countBodies(shop), 1_201);
  await prune(shop.service.services);
  assert.equal(await countBodies(shop), 0);
});

test('looking for what is too old asks an index, not the table', async () => {
  const shop = await openShop();
  const { rows } = await shop.service.database.transaction(async (tx) => {
    await tx.query({ text: 'set local enable_seqscan = off' });
    return tx.query<Record<string, string>>({
      text: `explain select account_id, delivery_id from deliveries
              where body is not null and state in ('processed', 'stale', 'ignored')
                and received_at < now() order by received_at limit 500`,
    });
  });
  const plan = rows.map((row) => row['QUERY PLAN']).join('\n');
  assert.match(plan, /Index Scan using deliveries_to_prune/);
  assert.doesNotMatch(plan, /Sort/);
});

test('history is kept for ever unless told otherwise; then it goes by age and verify says what it could not compare', async () => {
  const shop = await openShop();
  const { services } = shop.service;
  const old = await shop.createOrder();
  const lively = await shop.createOrder();
  const payment = partnerPayment({ id: 'pay_lively', notes: { svc_order_id: lively.order_id } });
  await shop.sendPartner(captureOf(old, { id: 'pay_old' }));
  await shop.sendPartner(partnerEvent('payment.captured', { payment }));

  shop.service.advanceSeconds(60 * daySeconds);
  const refund = partnerRefund(payment);
  await shop.sendPartner(partnerEvent('refund.processed', { payment, refund }));
  await prune(services);
  assert.equal((await shop.listHistory(old)).length > 0, true);
  const before = await shop.listHistory(lively);

  const settings = settingsOf(shop, { historyDays: 30 });
  await prune({ ...services, settings });
  assert.deepEqual(await shop.listHistory(old), []);
  const left = await shop.listHistory(lively);
  assert.ok(left.length > 0 && left.length < before.length);
  const verified = await verifyInvariants(services);
  assert.deepEqual(verified.breaches, []);
  assert.deepEqual(verified.pruned, { inboxes: 0, histories: 2 });

  // Positions go on from what was forgotten, so what comes later is not taken for all there is.
  const other = partnerRefund(payment, { id: 'rfnd_other', status: 'failed' });
  await shop.sendPartner(partnerEvent('refund.failed', { payment, refund: other }));
  await prune({ ...services, settings });
  await assertInvariants(shop);
});

test('the walk through the history goes on where it stopped, and begins anew after the end', async () => {
  const shop = await openShop();
  const { services, database } = shop.service;
  await database.query({
    text: `insert into history (account_id, order_id, position, cause, happened_at, entries)
           select $1, 'o_' || n / 2, 1 + n % 2, 'test', $2, '[{"transactionId":null,"changes":[]}]'
             from generate_series(0, 24999) n`,
    values: [shop.account.accountId, services.clock()],
  });
  shop.service.advanceSeconds(2 * daySeconds);
  const settings = settingsOf(shop, { historyDays: 1 });
  const count = async () => {
    const { rows } = await database.query<{ count: string }>({
      text: `select count(*) from history where entries::text <> '[]'`,
    });
    return Number(rows[0]?.count);
  };
  await prune({ ...services, settings });
  assert.equal(await count(), 15_000);
  await prune({ ...services, settings });
  assert.equal(await count(), 5_000);
  await prune({ ...services, settings });
  assert.equal(await count(), 0);
  const { rows } = await database.query({ text: 'select distinct position from history' });
  assert.deepEqual(rows, [{ position: 2 }]);
});

test('a pruned delivery is shown as such, is not replayed, and verify still holds', async () => {
  const shop = await openShop();
  const env = { DATABASE_URL: shop.service.url, MASTER_KEY: testMasterKeyHex };
  const order = await shop.createOrder();
  const { body: pruned } = await shop.sendPartner(captureOf(order));
  shop.service.advanceSeconds(91 * daySeconds);
  await prune(shop.service.services);
  const other = await shop.createOrder();
  const { body: fresh } = await shop.sendPartner(captureOf(other, { id: 'pay_fresh' }));

  const shown = await runCommand(['inbox', 'show', pruned.delivery_id, '--json'], env);
  assert.equal(shown.code, 0, shown.stderr);
  const { body, headers, body_pruned } = JSON.parse(shown.stdout);
  const words = '(pruned by age, see INBOX_BODY_DAYS)';
  assert.deepEqual(
    { body, headers, body_pruned },
    { body: words, headers: words, body_pruned: true },
  );

  const replay = await runCommand(['inbox', 'replay', pruned.delivery_id], env);
  assert.equal(replay.code, 1);
  assert.match(replay.stderr, /^Delivery dlv_\w+ cannot be replayed: its body was pruned by age/);
  const all = await runCommand(['inbox', 'replay', '--state', 'processed', '--json'], env);
  const { replayed, not_replayed_body_pruned } = JSON.parse(all.stdout);
  assert.deepEqual(not_replayed_body_pruned, [pruned.delivery_id]);
  assert.deepEqual(
    replayed.map((entry: Record<string, unknown>) => [entry.delivery_id, entry.state]),
    [[fresh.delivery_id, 'processed']],
  );

  const verified = await runCommand(['verify'], env);
  assert.equal(verified.code, 0, verified.stdout);
  assert.match(verified.stdout, /^1 not folded: bodies were pruned by age$/m);
});

function settingsOf({ service }: Shop, changes: Partial<ServiceSettings>): ServiceSettings {
  return { ...service.services.settings, ...changes };
}

async function countBodies({ service }: Shop): Promise<number> {
  const { rows } = await service.database.query<{ count: string }>({
    text: 'select count(*) from deliveries where body is not null and headers is not null',
  });
  return Number(rows[0]?.count);
}

async function setState({ service }: Shop, paymentId: string, state: string): Promise<void> {
  const { rowCount } = await service.database.query({
    text: `update deliveries set state = $2, next_try_at = null
            where convert_from(body, 'utf8') like '%' || $1 || '%'`,
    values: [paymentId, state],
  });
  assert.equal(rowCount, 1);
}
