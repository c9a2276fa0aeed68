/** Figures are exact whatever happens between two counts: changes, repeats, concurrent counts, crashes. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { commandLine } from '../../src/domain/audit.ts';
import type { Order, OrderStatus } from '../../src/domain/orders/order.ts';
import { slotOf } from '../../src/domain/reports/slot.ts';
import {
  countFigures,
  rebuildFigures,
  walkFigures,
} from '../../src/use-cases/reports/count-figures.ts';
import { verifyInvariants } from '../../src/use-cases/upkeep/verify-invariants.ts';
import {
  changeOrder,
  expectFigures,
  type MadeTransaction,
  makeOrder,
  readFigures,
} from '../support/figure-orders.ts';
import { startTestService } from '../support/test-service.ts';

const service = await startTestService();
const { database } = service;
const startMs = Date.UTC(2026, 5, 1, 10);
const never = () => false;
/** Time does not go back from one test to the next. */
let nowMs = startMs;

const needs = { database, clock: () => new Date(nowMs) };
const count = (isOver = never) => countFigures(needs, isOver);

const payment: MadeTransaction = {
  type: 'payment',
  status: 'succeeded',
  provider: 'partner',
  mode: 'UPI',
  failure: null,
  amount: 11_800,
  currency: 'INR',
};

const transaction: fc.Arbitrary<MadeTransaction> = fc.record({
  type: fc.constantFrom('payment', 'payment', 'refund'),
  status: fc.constantFrom('pending', 'failed', 'succeeded', 'reversed'),
  provider: fc.constantFrom('partner', 'bank-gateway'),
  mode: fc.constantFrom('UPI', 'Credit Card', null),
  failure: fc.constantFrom('DECLINED_BY_BANK', 'INSUFFICIENT_FUNDS', null),
  amount: fc.integer({ min: 1, max: 1_000_000 }),
  currency: fc.constantFrom('INR', 'INR', 'USD'),
});

const change = fc.record({
  /** Which order changes; a new one if there is none of this number yet. */
  order: fc.nat({ max: 5 }),
  minutesLater: fc.nat({ max: 25 }),
  status: fc.constantFrom<OrderStatus>('new', 'pending', 'completed', 'lapsed'),
  transactions: fc.array(transaction, { maxLength: 3 }),
  countsAfter: fc.constantFrom('none', 'one', 'two at once', 'cut off'),
});

test('for random histories, counts and repeats, the figures are those of the orders', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 8 }), async (changes) => {
      const { accountId } = await service.createAccount();
      const orders: (Parameters<typeof expectFigures>[0][number] | undefined)[] = [];
      for (const { order: number, minutesLater, status, transactions, countsAfter } of changes) {
        nowMs += minutesLater * 60_000;
        const at = new Date(nowMs);
        const known = orders[number]?.order;
        const order = known ?? (await makeOrder(database, { accountId, createdAt: at }));
        await changeOrder(database, order, { status, transactions, at });
        orders[number] = { order, status, transactions };
        if (countsAfter === 'cut off') await count(() => true);
        if (countsAfter === 'one') await count();
        if (countsAfter === 'two at once') await Promise.all([count(), count()]);
      }
      await count();
      await count();
      const expected = expectFigures(orders.filter((entry) => entry !== undefined));
      assert.deepEqual(await readFigures(database, accountId), expected);
      const { changed } = await rebuildFigures(needs, commandLine, accountId);
      assert.equal(changed, 0, 'a rebuild changes nothing');
    }),
    { numRuns: 25, endOnFailure: true },
  );
});

test('what changes after a first count that was cut off is counted', async () => {
  const own = await startTestService();
  const { accountId } = await own.createAccount();
  let now = new Date(startMs);
  const services = { database: own.database, clock: () => now };
  const order = await makeOrder(own.database, { accountId, createdAt: now });
  await countFigures(services, () => true);
  now = new Date(startMs + 3_600_000);
  await countFigures(services, never);
  await countFigures(services, never);
  const expected = expectFigures([{ order, status: 'new', transactions: [] }]);
  assert.deepEqual(await readFigures(own.database, accountId), expected);
});

test('a change that is committed long after its time is counted by the next sweep', async () => {
  const { accountId } = await service.createAccount();
  const order = await makeOrder(database, { accountId, createdAt: new Date(nowMs) });
  // It happens before the next count, which cannot see it.
  const at = new Date(nowMs + 1_000);
  nowMs += 240_000;
  await count();
  await changeOrder(database, order, { status: 'completed', transactions: [payment], at });
  nowMs += 60_000;
  await count();
  const expected = expectFigures([{ order, status: 'completed', transactions: [payment] }]);
  assert.deepEqual(await readFigures(database, accountId), expected);
});

test('an order that changes days later changes the figures of the half hour of its creation', async () => {
  const { accountId } = await service.createAccount();
  const createdAt = new Date(nowMs);
  const order = await makeOrder(database, { accountId, createdAt });
  await count();
  for (let day = 0; day < 3; day += 1) {
    nowMs += 24 * 3_600_000;
    // A pass covers six hours.
    for (let pass = 0; pass < 5; pass += 1) await count();
  }
  const refund: MadeTransaction = { ...payment, type: 'refund', mode: null };
  const transactions = [payment, refund];
  await changeOrder(database, order, { status: 'completed', transactions, at: new Date(nowMs) });
  await count();
  const figures = await readFigures(database, accountId);
  assert.deepEqual(figures, expectFigures([{ order, status: 'completed', transactions }]));
  assert.deepEqual([...figures.keys()], [slotOf(createdAt).toISOString()]);
});

test('the first sweeps count what was stored before there were figures, and then nothing is missed', async () => {
  const own = await startTestService();
  const { accountId } = await own.createAccount();
  const orders: Order[] = [];
  for (const hours of [1, 2, 30, 600]) {
    const createdAt = new Date(startMs - hours * 3_600_000);
    orders.push(await makeOrder(own.database, { accountId, createdAt }));
  }
  // Every walk is cut off after its first half hour.
  for (let sweep = 0; sweep < orders.length; sweep += 1) {
    await walkFigures({ database: own.database }, () => true);
  }
  const expected = expectFigures(
    orders.map((order) => ({ order, status: 'new', transactions: [] })),
  );
  assert.deepEqual(await readFigures(own.database, accountId), expected);
});

test('of several counts at once, an older one does not replace a newer one', async () => {
  const { accountId } = await service.createAccount();
  const order = await makeOrder(database, { accountId, createdAt: new Date(nowMs) });
  const counts = Array.from({ length: 8 }, () => count());
  const at = new Date(nowMs);
  await changeOrder(database, order, { status: 'completed', transactions: [payment], at });
  await Promise.all([...counts, count()]);
  const expected = expectFigures([{ order, status: 'completed', transactions: [payment] }]);
  assert.deepEqual(await readFigures(database, accountId), expected);
});

test('verify finds a sum that is wrong, one that is missing and one without orders, and rebuild corrects them', async () => {
  const own = await startTestService();
  const { accountId } = await own.createAccount();
  const at = new Date(startMs);
  const order = await makeOrder(own.database, { accountId, createdAt: at });
  const later = () => new Date(startMs + 3_600_000);
  const ownNeeds = { database: own.database, clock: later };
  const breaches = async () => (await verifyInvariants(ownNeeds)).breaches;
  assert.deepEqual(await breaches(), [], 'nothing is due before the first count');
  await countFigures(ownNeeds, never);
  assert.deepEqual(await breaches(), [], 'nothing is due before the first walk');
  await walkFigures(ownNeeds, never);
  assert.deepEqual(await breaches(), []);

  await own.database.query({ text: `update figures set amount = amount + 1` });
  const where = `${accountId} ${at.toISOString()}`;
  const invariant = 'the figures of a half hour are what its orders and transactions give';
  const wrong = 'created INR: 1 orders, 0 payments, 11801 instead of 1 orders, 0 payments, 11800';
  assert.deepEqual(await breaches(), [{ where, what: wrong, invariant }]);

  await own.database.query({ text: `update figures set starts_at = starts_at - interval '1 day'` });
  const places = (await breaches()).map((breach) => breach.where);
  assert.deepEqual(places, [`${accountId} 2026-05-31T10:00:00.000Z`, where]);

  assert.deepEqual(await rebuildFigures(ownNeeds, commandLine), { counted: 2, changed: 2 });
  assert.deepEqual(await breaches(), []);
  const expected = expectFigures([{ order, status: 'new', transactions: [] }]);
  assert.deepEqual(await readFigures(own.database, accountId), expected);
});

test('verify finds a count that follows a wrong amount of a refund', async () => {
  const own = await startTestService();
  const { accountId } = await own.createAccount();
  const at = new Date(startMs);
  const order = await makeOrder(own.database, { accountId, createdAt: at });
  const refund = { ...payment, type: 'refund', mode: null, amount: 1_800 } as const;
  const transactions = [payment, refund];
  await changeOrder(own.database, order, { status: 'completed', transactions, at });
  await own.database.query({
    text: `update transactions set moved_amount = 1 where type = 'refund'`,
  });
  const ownNeeds = { database: own.database, clock: () => new Date(startMs + 3_600_000) };
  await rebuildFigures(ownNeeds, commandLine);
  const { breaches } = await verifyInvariants(ownNeeds);
  assert.ok(
    breaches.some(
      ({ what }) =>
        what === 'refunded INR: 1 orders, 1 payments, 1 instead of 1 orders, 1 payments, 1800',
    ),
  );
});

test('verify finds a day that is not the sum of its half hours, and rebuild corrects it', async () => {
  const own = await startTestService();
  const { accountId } = await own.createAccount();
  for (const hours of [1, 5, 30]) {
    const at = new Date(startMs - hours * 3_600_000);
    const order = await makeOrder(own.database, { accountId, createdAt: at });
    const transactions = [payment];
    await changeOrder(own.database, order, { status: 'completed', transactions, at });
  }
  const ownNeeds = { database: own.database, clock: () => new Date(startMs) };
  const breaches = async () =>
    (await verifyInvariants(ownNeeds)).breaches.filter(({ what }) => what.includes('half hours'));
  await rebuildFigures(ownNeeds, commandLine);
  assert.deepEqual(await breaches(), []);
  const ofDay = `starts_at = '2026-06-01T00:00Z'`;
  const change = (text: string) => own.database.query({ text });
  await change(`update figures set orders = orders + 1 where kind = 'mode_day' and ${ofDay}`);
  await change(`delete from figures where kind = 'provider_day' and ${ofDay}`);
  await change(
    `insert into figures values ('${accountId}', 'failure_day', '2026-01-01T00:00Z', 'X', 'INR', 1, 1, 1)`,
  );
  const isNot = 'is not the sum of its half hours';
  assert.deepEqual(
    (await breaches()).map(({ where, what }) => `${where} ${what}`),
    [
      `${accountId} 2026-01-01T00:00:00.000Z failure_day X INR ${isNot}`,
      `${accountId} 2026-06-01T00:00:00.000Z mode_day UPI INR ${isNot}`,
      `${accountId} 2026-06-01T00:00:00.000Z provider_day partner INR ${isNot}`,
    ],
  );
  await rebuildFigures(ownNeeds, commandLine);
  assert.deepEqual(await breaches(), []);
});

test('what is too new to be counted is no breach', async () => {
  const own = await startTestService();
  const { accountId } = await own.createAccount();
  const clock = () => new Date(startMs + 60_000);
  await rebuildFigures({ database: own.database, clock }, commandLine);
  await makeOrder(own.database, { accountId, createdAt: clock() });
  const { breaches } = await verifyInvariants({ database: own.database, clock });
  assert.deepEqual(breaches, []);
});
