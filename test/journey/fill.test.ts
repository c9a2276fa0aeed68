/** `npm run demo -- --fill`: what it fills a shop with went through the real application, so all of it is true. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { listOrders } from '../../src/use-cases/orders/list-orders.ts';
import { getOverview } from '../../src/use-cases/reports/get-overview.ts';
import { listReview } from '../../src/use-cases/review/list-review.ts';
import { verifyInvariants } from '../../src/use-cases/upkeep/verify-invariants.ts';
import { listTeam } from '../../src/use-cases/users/change-member.ts';
import { fillShop } from '../../tools/demo/fill/fill-shop.ts';
import { openPast } from '../../tools/demo/fill/open-past.ts';
import { planOrders } from '../../tools/demo/fill/plan-orders.ts';
import { findFreePort } from '../../tools/harness/free-port.ts';
import { createTestDatabase } from '../support/test-database.ts';
import { testMasterKeyHex } from '../support/test-service.ts';

/** One day for all runs: when orders come in depends on the hour and on the day of the week. */
const until = new Date('2026-10-14T23:30:00Z');
/** As few as have every kind of order, and as many as a delivery needs to be given up. */
const [orders, days] = [30, 5];
const from = new Date(until.getTime() - days * 24 * 3_600_000);
const { database } = await createTestDatabase();
const past = await openPast({
  database,
  masterKeyHex: testMasterKeyHex,
  seed: 1,
  startsAt: from,
  endsAt: until,
  port: await findFreePort(),
  simulatorPort: await findFreePort(),
});
after(() => past.simulator.close());
after(() => past.endPast(async () => undefined));
const { accountId, close } = await fillShop(past, { seed: 1, orders, days, until });
after(close);
const { services } = past;

test('a filled shop breaks no invariant', async () => {
  const { breaches, orders: verified } = await verifyInvariants(services);
  assert.deepEqual({ breaches, verified }, { breaches: [], verified: orders });
});

test('its orders, payments, refunds, deliveries and events have ended in every way', async () => {
  assert.deepEqual(await listKinds('orders', 'status'), ['completed', 'lapsed', 'new', 'pending']);
  assert.deepEqual(await listKinds('transactions', 'provider'), ['bank-gateway', 'partner']);
  assert.deepEqual(await listKinds('transactions', `type || ' ' || status`), [
    'payment failed',
    'payment pending',
    'payment reversed',
    'payment succeeded',
    'refund failed',
    'refund succeeded',
  ]);
  assert.deepEqual(await listKinds('disputes', `provider || ' ' || status`), [
    'bank-gateway lost',
    'partner closed',
    'partner lost',
    'partner open',
    'partner under_review',
    'partner won',
  ]);
  assert.deepEqual(await listKinds('disputes', 'action_required::text'), ['false', 'true']);
  assert.deepEqual(await listKinds('transactions', 'unnest(flags)'), [
    'amount_mismatch',
    'dispute_conflict',
    'duplicate_capture',
    'partially_captured',
    'payment_reversed',
    'refund_and_dispute',
  ]);
  assert.deepEqual(await listKinds('deliveries', 'unnest(flags)'), [
    'amount_mismatch',
    'dispute_conflict',
    'duplicate_capture',
    'partially_captured',
    'payment_reversed',
    'refund_and_dispute',
  ]);
  assert.deepEqual(await listKinds('deliveries', 'state'), [
    'dead',
    'needs_review',
    'parked',
    'processed',
    'resolved',
    'stale',
  ]);
  assert.deepEqual(await listKinds('events', 'state'), ['delivered', 'pending', 'undelivered']);
  const { entries = [] } = (await listReview(services, { accountId, limit: 100 })) ?? {};
  assert.ok(entries.length >= 5, `${entries.length} entries need a person`);
});

test('its orders are spread over the days, and the figures add up to the list of orders', async () => {
  const page = await listOrders(services, accountId, { filter: {}, limit: 100 });
  assert.deepEqual([page.orders.length, page.next], [orders, undefined]);
  const times = page.orders.map(({ createdAt }) => createdAt.getTime());
  assert.ok(Math.max(...times) <= until.getTime() && Math.min(...times) >= from.getTime());
  assert.ok(new Set(times.map((time) => Math.floor(time / 86_400_000))).size >= days - 1);
  const request = { from, to: until, bucket: 'day', offsetMinutes: 330 } as const;
  const { totals, isComplete } = await getOverview(services, accountId, request);
  assert.ok(isComplete);
  const completed = page.orders.filter(({ status }) => status === 'completed');
  assert.deepEqual(sumsOf(totals.created), sumsOf(page.orders.map(amountOf)));
  assert.deepEqual(sumsOf(totals.completed), sumsOf(completed.map(amountOf)));
});

test('its team has every role, somebody is invited, and people and the command line are in the audit log', async () => {
  const { members, invitations } = await listTeam(services, accountId);
  assert.deepEqual(members.map(({ role }) => role).toSorted(), [
    'operator',
    'operator',
    'owner',
    'viewer',
  ]);
  assert.equal(invitations.length, 1);
  assert.deepEqual(await listKinds('audit', 'actor'), [
    'accounts@nilgiri.example',
    'arun@nilgiri.example',
    'cli',
    'dev.intern@nilgiri.example',
    'latha@nilgiri.example',
    'meera@nilgiri.example',
  ]);
});

test('the same seed plans the same orders, at believable hours', () => {
  const options = { seed: 7, orders: 600, days: 30, until };
  const planned = planOrders(options).map(({ random: _random, ...plan }) => plan);
  assert.deepEqual(
    planned,
    planOrders(options).map(({ random: _random, ...plan }) => plan),
  );
  const hoursInIndia = planned.map(({ at }) =>
    new Date(at.getTime() + 5.5 * 3_600_000).getUTCHours(),
  );
  const evening = hoursInIndia.filter((hour) => hour >= 18 && hour < 23).length;
  const night = hoursInIndia.filter((hour) => hour < 6).length;
  assert.ok(evening > 5 * night, `${evening} in the evening, ${night} at night`);
});

function amountOf({ currency, total }: { currency: string; total: number }): Sum {
  return { currency, orders: 1, amount: BigInt(total) };
}

async function listKinds(table: string, kind: string): Promise<string[]> {
  const { rows } = await database.query<{ kind: string }>({
    text: `select distinct ${kind} as kind from ${table} where account_id = $1`,
    values: [accountId],
  });
  return rows.map((row) => row.kind).toSorted();
}

type Sum = { readonly currency: string; readonly orders: number; readonly amount: bigint };

function sumsOf(sums: readonly Sum[]): Record<string, string> {
  const byCurrency = Map.groupBy(sums, ({ currency }) => currency);
  const entries = [...byCurrency].map(([currency, own]) => {
    const count = own.reduce((sum, { orders: one }) => sum + one, 0);
    const amount = own.reduce((sum, one) => sum + one.amount, 0n);
    return [currency, `${count} orders, ${amount}`] as const;
  });
  return Object.fromEntries(entries.toSorted());
}
