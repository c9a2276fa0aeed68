import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { beforeEach, test } from 'node:test';
import { paymentLimits } from '../../src/domain/payments/limits.ts';
import type { Database, Transaction } from '../../src/postgres/database.ts';
import { type ClaimedPoll, claimDuePolls } from '../../src/store/payments/polls.ts';
import { createDuePolls, createPollClaims } from '../../src/use-cases/payments/poll-due.ts';
import { waitUntil } from '../../tools/harness/wait-until.ts';
import { issueMerchantToken } from '../support/merchant-token.ts';
import { orderBody } from '../support/order-bodies.ts';
import { answerUnknown, startStubGateway } from '../support/stub-gateway.ts';
import { startTestService, type TestAccount } from '../support/test-service.ts';

const service = await startTestService();
const { services, database } = service;
const provider = 'bank-gateway';
const held: ServerResponse[] = [];
const quick = await startStubGateway((_orderId, response) => answerUnknown(response));
const hanging = await startStubGateway((_orderId, response) => {
  held.push(response);
});
const quickShop = await service.createAccount(quick.settings);
const hangingShop = await service.createAccount(hanging.settings);

beforeEach(() => database.query({ text: 'update transactions set next_poll_at = null' }));

test('processes that claim at the same time poll every due transaction once', async () => {
  const transactionIds = await startPayments(quickShop, 100);
  service.advanceSeconds(61);
  for (const due of ['first', 'second']) {
    quick.polled.length = 0;
    const processes = Array.from({ length: 6 }, () => createDuePolls(services, provider));
    await waitUntil('all are polled', async () => {
      await Promise.all(processes.map(({ startDue }) => startDue()));
      return quick.polled.length >= transactionIds.length;
    });
    await Promise.all(processes.map(({ settled }) => settled()));
    assert.deepEqual(quick.polled.toSorted(), transactionIds, `when the ${due} poll is due`);
    service.advanceSeconds(61 + paymentLimits.pollSeconds);
  }
  const { rows } = await database.query<{ polls: number }>({
    text: 'select distinct polls from transactions where next_poll_at is not null',
  });
  assert.deepEqual(rows, [{ polls: 2 }]);
});

test('an account whose provider hangs delays no other account', async () => {
  // The polls of the hanging one are due first, and there are more of them than one claim takes.
  await startPayments(hangingShop, 3 * paymentLimits.pollClaimMax);
  service.advanceSeconds(1);
  const transactionIds = await startPayments(quickShop, 2 * paymentLimits.pollClaimMax);
  service.advanceSeconds(61);
  quick.polled.length = 0;
  const polls = createDuePolls(services, provider);
  await waitUntil('the other account is polled', async () => {
    await polls.startDue();
    return quick.polled.length >= transactionIds.length;
  });
  assert.deepEqual(quick.polled.toSorted(), transactionIds);
  assert.equal(
    hanging.polled.length,
    paymentLimits.pollClaimMax,
    'no more before the first answer',
  );
  assert.equal(held.length, hanging.polled.length, 'none of them is answered');
  for (const response of held.splice(0)) answerUnknown(response);
  await polls.settled();
});

test('an account whose provider does not answer is not polled again at once', async () => {
  const broken = await startStubGateway((_orderId, response) => response.destroy());
  const shop = await service.createAccount(broken.settings);
  await startPayments(shop, 2 * paymentLimits.pollClaimMax);
  service.advanceSeconds(61);
  const polls = createDuePolls(services, provider);
  assert.equal(await polls.startDue(), true);
  await polls.settled();
  const before = broken.polled.length;
  assert.equal(await polls.startDue(), false);
  await polls.settled();
  assert.equal(broken.polled.length, before);
  const { rows } = await database.query<{ count: number }>({
    text: `select count(*)::integer as count from transactions
            where account_id = $1 and next_poll_at <= $2`,
    values: [shop.accountId, services.clock()],
  });
  assert.deepEqual(rows, [{ count: paymentLimits.pollClaimMax }], 'the rest stays due');
});

test('a claim reads few rows of busy accounts and continues where the last one stopped', async () => {
  const busyIds = await startPayments(hangingShop, 40);
  const otherIds = await startPayments(quickShop, 3);
  // Twenty of the busy account fall due at one moment, then the others, and the other account last.
  await setDue(busyIds.slice(0, 20), 0);
  await setDue(busyIds.slice(20), 1_000);
  await setDue(otherIds, 2_000);
  service.advanceSeconds(61);
  const claim = createPollClaims(database, provider, { rowsMax: 8 });
  const times = {
    now: services.clock(),
    polledBefore: services.clock(),
    intervalSeconds: [3_600],
    pollsMax: 90,
  };
  const without = () => claim(times, [hangingShop.accountId]);
  const found: string[] = [];
  let calls = 0;
  for (let hasMore = true; hasMore; calls += 1) {
    const page = await without();
    found.push(...page.claimed.map(({ transactionId }) => transactionId));
    hasMore = page.hasMore;
    // The busy account has room for a moment. That must not send the walk back to its start.
    if (calls < 2)
      assert.equal((await claim(times, [])).claimed.length, paymentLimits.pollClaimMax);
  }
  assert.deepEqual(found.toSorted(), otherIds);
  // Two for each moment at which too many fall due, and one for the rest.
  assert.ok(calls > 1 && calls <= 5, `${calls} claims`);
  assert.deepEqual(await without(), { claimed: [], hasMore: false }, 'it rests');
  const otherToo = [hangingShop.accountId, quickShop.accountId];
  assert.deepEqual(await claim(times, otherToo), { claimed: [], hasMore: false });
});

test('a claim continues behind rows that others have locked, and does not wait for them', async () => {
  const { accountId } = await service.createAccount(quick.settings);
  const other = await service.createAccount(quick.settings);
  const lockedIds = await startPayments(
    { ...quickShop, accountId },
    paymentLimits.pollClaimMax + 1,
  );
  const freeIds = await startPayments(other, 3);
  await setDue(lockedIds, 0);
  await setDue(freeIds, 1_000);
  service.advanceSeconds(61);
  const times = {
    now: services.clock(),
    polledBefore: services.clock(),
    intervalSeconds: [3_600],
    pollsMax: 90,
  };
  const claim = () =>
    claimDuePolls(database, provider, times, { limit: paymentLimits.pollClaimMax, except: [] });
  const lockAll = (tx: Transaction) =>
    tx.query({
      text: 'select 1 from transactions where account_id = $1 for update',
      values: [accountId],
    });
  const idsOf = (claimed: readonly ClaimedPoll[]) =>
    claimed.map(({ transactionId }) => transactionId).toSorted();
  await database.transaction(async (tx) => {
    await lockAll(tx);
    assert.deepEqual(idsOf((await claim()).claimed), freeIds);
    assert.deepEqual(
      await claim(),
      { claimed: [], hasMore: false },
      'it is not asked again at once',
    );
  });
  const first = await claim();
  assert.equal(first.hasMore, true);
  const rest = await claim();
  assert.equal(rest.hasMore, false);
  assert.deepEqual(idsOf([...first.claimed, ...rest.claimed]), lockedIds);
  assert.deepEqual(await claim(), { claimed: [], hasMore: false });
});

test('a poll that another process has claimed since it was listed is left alone', async () => {
  const transactionIds = await startPayments(quickShop, 3);
  service.advanceSeconds(61);
  const now = services.clock();
  // The claimed polls are due again at once, so that only the number of polls tells that they were claimed.
  const times = { now, polledBefore: now, intervalSeconds: [0], pollsMax: 90 };
  const claim = (own: Database) =>
    claimDuePolls(own, provider, times, { limit: paymentLimits.pollClaimMax, except: [] });
  let others: readonly ClaimedPoll[] = [];
  const overtaken: Database = {
    ...database,
    query: async (statement) => {
      const listed = await database.query(statement);
      others = (await claim(database)).claimed;
      return listed as never;
    },
  };
  assert.deepEqual((await claim(overtaken)).claimed, []);
  assert.deepEqual(others.map(({ transactionId }) => transactionId).toSorted(), transactionIds);
});

async function setDue(transactionIds: readonly string[], afterMs: number): Promise<void> {
  await database.query({
    text: 'update transactions set next_poll_at = $2 where transaction_id = any($1::text[])',
    values: [transactionIds, new Date(services.clock().getTime() + afterMs)],
  });
}

/** Returns the ids of the transactions, sorted. */
async function startPayments({ accountId }: TestAccount, count: number): Promise<string[]> {
  const { token } = await issueMerchantToken(services, accountId);
  const call = async (path: string, body: object) => {
    const reply = await service.call(`/api/v3/${path}`, { token, body });
    assert.equal(reply.status, 200, JSON.stringify(reply.body));
    return reply.body;
  };
  const started = Array.from({ length: count }, async () => {
    const { order_id } = await call('create-order', orderBody());
    const payment = { order_id, payment_mode_code: 'credit_card' };
    return (await call('initiate-payment', payment)).transaction_id as string;
  });
  return (await Promise.all(started)).toSorted();
}
