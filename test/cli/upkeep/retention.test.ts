import assert from 'node:assert/strict';
import { test } from 'node:test';
import { retrySeconds } from '../../../src/domain/inbox/retry-schedule.ts';
import type { ServiceSettings } from '../../../src/services/services.ts';
import { retryDelivery } from '../../../src/use-cases/inbox/retry-deliveries.ts';
import { sweep } from '../../../src/use-cases/upkeep/sweep.ts';
import { verifyInvariants } from '../../../src/use-cases/upkeep/verify-invariants.ts';
import { assertInvariants, captureOf, openShop, type Shop } from '../../api/webhooks/shop.ts';
import { runCommandHere } from '../../support/command-here.ts';
import { partnerEvent, partnerPayment, partnerRefund } from '../../support/deliveries.ts';
import { prune } from '../../support/prune.ts';
import { testMasterKeyHex } from '../../support/test-service.ts';

const daySeconds = 24 * 60 * 60;

test('the sweep prunes the body of a finished delivery after 90 days, and never its key', async () => {
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

test('parked deliveries and those that need review keep their bodies however old they are', async () => {
  const shop = await openShop();
  const order = await shop.createOrder();
  const payment = (id: string, notes: object) =>
    partnerEvent('payment.captured', { payment: partnerPayment({ id, notes }) });
  await shop.sendPartner(captureOf(order));
  await shop.sendPartner(payment('pay_second', { svc_order_id: order.order_id }));
  await shop.sendPartner(payment('pay_parked', { svc_order_id: 'o_unknown' }));
  shop.service.advanceSeconds(5_000 * daySeconds);
  await prune(shop.service.services);
  const { rows } = await shop.service.database.query({
    text: 'select state, body is null as pruned from deliveries order by state',
  });
  assert.deepEqual(rows, [
    { state: 'needs_review', pruned: false },
    { state: 'parked', pruned: false },
    { state: 'processed', pruned: true },
  ]);
});

test('a delivery that has been dead for 30 days expires: body, headers and references are removed', async () => {
  const shop = await openShop();
  const { services, database } = shop.service;
  const payment = partnerPayment({ notes: { invoice_id: 'EXPIRED-1' } });
  const event = partnerEvent('payment.captured', { payment });
  const reply = await shop.sendPartner(event, { eventId: 'evtExpired' });
  const parked = await shop.sendPartner(
    partnerEvent('payment.captured', {
      payment: partnerPayment({ notes: { invoice_id: 'PARKED-1' } }),
    }),
  );
  const { accountId } = shop.account;
  for (const seconds of retrySeconds) {
    shop.service.advanceSeconds(seconds);
    await retryDelivery(services, accountId, reply.body.delivery_id, 'due');
  }
  assert.equal((await shop.findDelivery(reply))?.state, 'dead');

  shop.service.advanceSeconds(30 * daySeconds - 60);
  await prune({ ...services, settings: settingsOf(shop, { inboxBodyDays: 0 }) });
  assert.equal((await shop.findDelivery(reply))?.state, 'dead');
  shop.service.advanceSeconds(120);
  await prune({ ...services, settings: settingsOf(shop, { inboxBodyDays: 0 }) });
  const { rows } = await database.query({
    text: `select state, event_id, body is null and headers is null as is_pruned,
                  (select count(*)::int from delivery_references r where r.delivery_id = d.delivery_id) as waits_for
             from deliveries d where delivery_id = $1`,
    values: [reply.body.delivery_id],
  });
  assert.deepEqual(rows, [
    { state: 'expired', event_id: 'evtExpired', is_pruned: true, waits_for: 0 },
  ]);
  assert.equal((await shop.findDelivery(parked))?.state, 'parked');

  // Neither its order nor a repeat of the provider changes it again.
  await shop.createOrder({ invoice_id: 'EXPIRED-1' });
  await sweep(services);
  assert.equal((await shop.sendPartner(event)).body.status, 'duplicate');
  assert.equal((await shop.findDelivery(reply))?.state, 'expired');

  const env = { DATABASE_URL: shop.service.url, MASTER_KEY: testMasterKeyHex };
  const replay = await runCommandHere(['inbox', 'replay', reply.body.delivery_id], env);
  assert.deepEqual([replay.code, replay.stdout], [1, '']);
  assert.match(replay.stderr, /cannot be replayed: it was dead for 30 days, so it expired/);
  const shown = await runCommandHere(['inbox', 'show', reply.body.delivery_id, '--json'], env);
  assert.equal(JSON.parse(shown.stdout).body, '(pruned when the delivery expired)');
  const all = await runCommandHere(['inbox', 'replay', '--state', 'expired', '--json'], env);
  assert.deepEqual(JSON.parse(all.stdout), {
    replayed: [],
    not_replayed_body_pruned: [reply.body.delivery_id],
  });
  await assertInvariants(shop);
});

test('a dead delivery whose order appears in time is applied and does not expire', async () => {
  const shop = await openShop();
  const { services } = shop.service;
  const payment = partnerPayment({ notes: { invoice_id: 'WOKEN-1' } });
  const reply = await shop.sendPartner(partnerEvent('payment.captured', { payment }));
  await setState(shop, String(payment.id), 'dead');
  shop.service.advanceSeconds(20 * daySeconds);
  const { accountId } = shop.account;
  await retryDelivery(services, accountId, reply.body.delivery_id, 'requested');
  assert.equal((await shop.findDelivery(reply))?.state, 'dead');
  const { order_id } = await shop.createOrder({ invoice_id: 'WOKEN-1' });
  shop.service.advanceSeconds(20 * daySeconds);
  await prune(services);
  const row = await shop.findDelivery(reply);
  assert.deepEqual([row?.state, row?.order_id], ['processed', order_id]);
});

test('more dead deliveries than a batch expire in one sweep, found by an index', async () => {
  const shop = await openShop();
  const template = await shop.sendPartner(partnerEvent('settlement.processed', {}));
  await shop.service.database.query({
    text: `insert into deliveries
           select d.account_id, d.delivery_id || n, d.provider, d.delivery_key || n, 'dead', d.why,
                  d.flags, d.headers, d.body, d.expected_merchant, d.order_id, d.tries,
                  d.next_try_at, d.received_at, null
             from deliveries d, generate_series(1, 1200) n where d.delivery_id = $1`,
    values: [template.body.delivery_id],
  });
  shop.service.advanceSeconds(31 * daySeconds);
  await prune(shop.service.services);
  const states = (await shop.listDeliveries()).map(({ state }) => state);
  assert.equal(states.filter((state) => state === 'expired').length, 1_200);
  const { rows } = await shop.service.database.transaction(async (tx) => {
    await tx.query({ text: 'set local enable_seqscan = off' });
    await tx.query({ text: 'set local enable_sort = off' });
    return tx.query<Record<string, string>>({
      text: `explain select account_id, delivery_id from deliveries
              where state = 'dead' and coalesce(finished_at, received_at) < now()
              order by coalesce(finished_at, received_at) limit 500`,
    });
  });
  const plan = rows.map((row) => row['QUERY PLAN']).join('\n');
  assert.match(plan, /Index Scan using deliveries_dead/);
  assert.doesNotMatch(plan, /Sort/);
});

test('more bodies than a batch are pruned in one sweep, and 0 days means never', async () => {
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

test('old rows are found by an index, without reading the table', async () => {
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

test('history is pruned only with HISTORY_DAYS, and verify then reports what it could not compare', async () => {
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

  // Positions continue after the pruned rows, so the remaining rows do not look complete.
  const other = partnerRefund(payment, { id: 'rfnd_other', status: 'failed' });
  await shop.sendPartner(partnerEvent('refund.failed', { payment, refund: other }));
  await prune({ ...services, settings });
  await assertInvariants(shop);
});

test('pruning continues through the history where it stopped, and starts over after the end', async () => {
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

test('a pruned delivery is shown as pruned, is not replayed, and verify still holds', async () => {
  const shop = await openShop();
  const env = { DATABASE_URL: shop.service.url, MASTER_KEY: testMasterKeyHex };
  const order = await shop.createOrder();
  const { body: pruned } = await shop.sendPartner(captureOf(order));
  shop.service.advanceSeconds(91 * daySeconds);
  await prune(shop.service.services);
  const other = await shop.createOrder();
  const { body: fresh } = await shop.sendPartner(captureOf(other, { id: 'pay_fresh' }));

  const shown = await runCommandHere(['inbox', 'show', pruned.delivery_id, '--json'], env);
  assert.equal(shown.code, 0, shown.stderr);
  const { body, headers, body_pruned } = JSON.parse(shown.stdout);
  const words = '(pruned by age, see INBOX_BODY_DAYS)';
  assert.deepEqual(
    { body, headers, body_pruned },
    { body: words, headers: words, body_pruned: true },
  );

  const replay = await runCommandHere(['inbox', 'replay', pruned.delivery_id], env);
  assert.equal(replay.code, 1);
  assert.match(replay.stderr, /^Delivery dlv_\w+ cannot be replayed: its body was pruned by age/);
  const all = await runCommandHere(['inbox', 'replay', '--state', 'processed', '--json'], env);
  const { replayed, not_replayed_body_pruned } = JSON.parse(all.stdout);
  assert.deepEqual(not_replayed_body_pruned, [pruned.delivery_id]);
  assert.deepEqual(
    replayed.map((entry: Record<string, unknown>) => [entry.delivery_id, entry.state]),
    [[fresh.delivery_id, 'processed']],
  );

  const verified = await runCommandHere(['verify'], env);
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
