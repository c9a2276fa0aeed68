/** The overview of an account: current to the second, and every figure is the length of the list behind it. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { OrderFilter } from '../../src/domain/orders/order-filter.ts';
import type { FigureKind } from '../../src/domain/reports/figure.ts';
import type { Share } from '../../src/domain/reports/overview.ts';
import { listOrders } from '../../src/use-cases/orders/list-orders.ts';
import { countFigures, walkFigures } from '../../src/use-cases/reports/count-figures.ts';
import { getOverview } from '../../src/use-cases/reports/get-overview.ts';
import { partnerEvent, partnerPayment, sendPartner } from '../support/deliveries.ts';
import { changeOrder, type MadeTransaction, makeOrder } from '../support/figure-orders.ts';
import { orderBody } from '../support/order-bodies.ts';
import { startTestService } from '../support/test-service.ts';

const service = await startTestService();
const { database, services } = service;
const now = services.clock();
const dayMs = 86_400_000;
const week = {
  from: new Date(now.getTime() - 7 * dayMs),
  to: new Date(now.getTime() + dayMs),
  bucket: 'day',
  offsetMinutes: 330,
} as const;

const payment: MadeTransaction = {
  type: 'payment',
  status: 'succeeded',
  provider: 'partner',
  mode: 'UPI',
  failure: null,
  amount: 11_800,
  currency: 'INR',
};

test('a payment shows in the overview at once, before any sweep', async () => {
  const account = await service.createAccount();
  const { accountId, token } = account;
  const read = async () => (await getOverview(services, accountId, week)).totals;
  const body = orderBody({ invoice_id: 'OVERVIEW-1' });
  const { order_id } = (await service.call('/api/v3/create-order', { token, body })).body;
  const inr = { currency: 'INR', orders: 1, amount: 11_800n };
  assert.deepEqual((await read()).created, [{ ...inr, payments: 0 }]);
  assert.deepEqual((await read()).paid, []);

  const entity = partnerPayment({ notes: { svc_order_id: order_id } });
  await sendPartner(service, account, partnerEvent('payment.captured', { payment: entity }));
  const totals = await read();
  assert.deepEqual(totals.paid, [{ ...inr, payments: 1 }]);
  assert.deepEqual(totals.completed, [{ ...inr, payments: 0 }]);
  assert.equal(totals.successPermille, 1_000);
});

test('a late payment of an order of days ago shows at once too', async () => {
  const { accountId } = await service.createAccount();
  const createdAt = new Date(now.getTime() - 3 * dayMs);
  const order = await makeOrder(database, { accountId, createdAt });
  await walkFigures(services, () => false);
  await countFigures(services, () => false);
  const read = async () => (await getOverview(services, accountId, week)).totals;
  assert.deepEqual((await read()).paid, []);
  const at = services.clock();
  await changeOrder(database, order, { status: 'completed', transactions: [payment], at });
  assert.equal((await read()).paid[0]?.orders, 1);
  assert.equal((await read()).created[0]?.orders, 1);
});

test('while the sweep is hours behind, the last hour is counted at once and the figures are not complete', async () => {
  const { accountId } = await service.createAccount();
  const createdAt = new Date(now.getTime() - 3 * dayMs);
  const [early, late] = [
    await makeOrder(database, { accountId, createdAt }),
    await makeOrder(database, { accountId, createdAt: new Date(createdAt.getTime() - dayMs) }),
  ];
  await walkFigures(services, () => false);
  await countFigures(services, () => false);
  const read = async () => getOverview(services, accountId, week);
  assert.equal((await read()).isComplete, true);
  const setReached = (at: Date) =>
    database.query({
      text: `update sweep_cursors set reached_at = $1 where name = 'figures'`,
      values: [at],
    });
  const minutesAgo = (minutes: number) => new Date(services.clock().getTime() - minutes * 60_000);
  for (const [order, at] of [
    [early, minutesAgo(150)],
    [late, minutesAgo(30)],
  ] as const) {
    await changeOrder(database, order, { status: 'completed', transactions: [payment], at });
  }
  await setReached(minutesAgo(180));
  const behind = await read();
  assert.deepEqual([behind.isComplete, behind.totals.paid[0]?.orders], [false, 1]);
  await setReached(minutesAgo(40));
  assert.equal((await read()).isComplete, true, 'within the hour nothing is missing');
  await setReached(minutesAgo(180));
  await countFigures(services, () => false);
  const after = await read();
  assert.deepEqual([after.isComplete, after.totals.paid[0]?.orders], [true, 2]);
});

test('every figure is the number of orders in the list behind it, by day and in total', async () => {
  const { accountId } = await service.createAccount();
  const failed: MadeTransaction = { ...payment, status: 'failed', failure: 'DECLINED_BY_BANK' };
  const card: MadeTransaction = { ...payment, provider: 'bank-gateway', mode: 'Credit Card' };
  const refund: MadeTransaction = { ...payment, type: 'refund', mode: null, amount: 500 };
  const lives: readonly (readonly MadeTransaction[])[] = [
    ...[[], [payment], [failed], [failed, failed, card], [payment, card], [payment, refund]],
    ...[[{ ...failed, failure: null }], [{ ...payment, mode: null }], [failed, payment, refund]],
  ];
  for (let index = 0; index < 40; index += 1) {
    const createdAt = new Date(now.getTime() - index * 4 * 3_600_000);
    const currency = index % 5 === 0 ? 'USD' : 'INR';
    const order = await makeOrder(database, {
      accountId,
      createdAt,
      amounts: { currency, beforeTax: 100, tax: 0, total: 100 },
    });
    const transactions = lives[index % lives.length] ?? [];
    const status = transactions.some((one) => one.status === 'succeeded') ? 'completed' : 'pending';
    await changeOrder(database, order, { status, transactions, at: createdAt });
    if (index === 20) await countFigures(services, () => false);
  }
  await walkFigures(services, () => false);
  const overview = await getOverview(services, accountId, week);
  let checked = 0;
  const check = async (
    kind: FigureKind,
    figures: readonly (Omit<Share, 'name'> & { readonly name?: string })[],
    period: { readonly from: Date; readonly to: Date },
  ) => {
    for (const { name = '', currency, orders } of figures) {
      const { from, to } = period;
      const filter = { ...conditionOf(kind, name), currency, from, to };
      const page = await listOrders(services, accountId, { filter, limit: 100 });
      assert.equal(page.orders.length, orders, `${kind} ${name} ${currency}`);
      checked += 1;
    }
  };
  for (const part of [{ ...overview.totals, from: week.from, to: week.to }, ...overview.buckets]) {
    const period = part.from === week.from ? overview : part;
    for (const kind of ['created', 'completed', 'paid', 'failed', 'refunded'] as const) {
      await check(kind, part[kind], period);
    }
  }
  await check('mode', overview.modes, overview);
  await check('provider', overview.providers, overview);
  await check('failure', overview.failures, overview);
  assert.ok(checked > 40);
  const orders = overview.totals.created.reduce((sum, one) => sum + one.orders, 0);
  assert.equal(orders, 40);
});

test('what needs attention is counted for the account alone', async () => {
  const [one, other] = [await service.createAccount(), await service.createAccount()];
  for (const { accountId } of [one, one, other]) {
    await makeOrder(database, { accountId, createdAt: now, flags: ['amount_mismatch'] });
  }
  const resolved = await makeOrder(database, {
    accountId: one.accountId,
    createdAt: now,
    flags: ['dispute', 'chargeback'],
  });
  await database.query({
    text: `insert into review_resolutions (account_id, subject, flag, resolved_at, actor, note)
           values ($1, $2, 'dispute', now(), 'test', 'done')`,
    values: [one.accountId, resolved.orderId],
  });
  const entity = partnerPayment({ notes: { svc_order_id: 'o_0000000000000000' } });
  await sendPartner(service, other, partnerEvent('payment.captured', { payment: entity }));
  const read = async ({ accountId }: { accountId: string }) =>
    (await getOverview(services, accountId, week)).attention;
  const none = { count: 0, isMore: false };
  const expected = {
    review: none,
    disputes: { ...none, claims: [], respondBy: null },
    parkedDeliveries: none,
    undeliveredEvents: none,
    disabledEndpoints: none,
  };
  assert.deepEqual(await read(one), { ...expected, review: { count: 3, isMore: false } });
  assert.deepEqual(await read(other), {
    ...expected,
    review: { count: 1, isMore: false },
    parkedDeliveries: { count: 1, isMore: false },
  });
});

/** The list of orders behind a figure. */
function conditionOf(kind: FigureKind, name: string): OrderFilter {
  switch (kind) {
    case 'created':
      return {};
    case 'completed':
      return { status: 'completed' };
    case 'paid':
      return { payment: { status: 'succeeded' } };
    case 'failed':
      return { payment: { status: 'failed' } };
    case 'refunded':
      return { isRefunded: true };
    case 'mode':
      return { payment: { status: 'succeeded', mode: name } };
    case 'provider':
      return { payment: { status: 'succeeded', provider: name } };
    case 'failure':
      return { payment: { status: 'failed', failure: name } };
    default:
      return kind satisfies never;
  }
}
