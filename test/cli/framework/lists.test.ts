/** The lists of orders, transactions and deliveries, and one order with everything that belongs to it. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { stripVTControlCharacters } from 'node:util';
import { widthOf } from '../../../src/cli/framework/screen.ts';
import { newOrderId } from '../../../src/domain/ids.ts';
import { insertOrders } from '../../../src/store/orders/insert-orders.ts';
import { migrate } from '../../../src/store/upkeep/migrate.ts';
import { jsonCommands, type Printed, runCommandHere } from '../../support/command-here.ts';
import {
  gatewayBody,
  partnerEvent,
  partnerPayment,
  sendGateway,
  sendPartner,
} from '../../support/deliveries.ts';
import { issueMerchantToken } from '../../support/merchant-token.ts';
import { orderBody } from '../../support/order-bodies.ts';
import { storedOrder } from '../../support/stored-orders.ts';
import { createTestDatabase } from '../../support/test-database.ts';
import {
  startTestService,
  type TestAccount,
  testMasterKeyHex,
} from '../../support/test-service.ts';

const service = await startTestService();
const env = { DATABASE_URL: service.url, MASTER_KEY: testMasterKeyHex };
const { runJson } = jsonCommands(env);
// In the past, because the command line has its own clock.
service.advanceSeconds(-7200);
const tea = await service.createAccount();
const coffee = await service.createAccount();

// Milliseconds apart, in one second.
service.stopClock();
service.advanceSeconds(1 - service.services.clock().getMilliseconds() / 1_000);
const ids: string[] = [];
for (let index = 0; index < 7; index += 1) {
  ids.unshift(await createOrder(index % 2 === 0 ? tea : coffee, `L-${index}`));
  service.advanceSeconds(0.001);
}
service.advanceSeconds(3600);
await pay(tea, 'L-0');
await pay(tea, 'L-2', 'payment.failed');
const captured = gatewayBody({ order: { id: 'L-1' }, transaction: { id: '1', type: 'PAYMENT' } });
await sendGateway(service, coffee, captured);
service.advanceSeconds(1);
await pay(tea, 'UNKNOWN');
service.advanceSeconds(1);
await sendPartner(service, tea, partnerEvent('settlement.processed', {}));

test('order list prints the newest orders of all accounts, page by page', async () => {
  const { orders, next } = await runJson('order list');
  assert.deepEqual(orders.map(idOf), ids);
  assert.equal(next, undefined);
  assert.deepEqual(await pages('order list --limit 3', 'orders'), [
    ids.slice(0, 3),
    ids.slice(3, 6),
    ids.slice(6),
  ]);
  // A full last page has no next one.
  assert.deepEqual((await pages('order list --limit 7', 'orders')).length, 1);
});

test('order list shows amounts, and consumers masked', async () => {
  const { orders } = await runJson(`order list --account ${tea.accountId}`);
  const { created_at, lapses_at, ...order } = orders.at(-1);
  assert.equal(Date.parse(lapses_at) - Date.parse(created_at), 24 * 3600 * 1000);
  assert.deepEqual(order, {
    order_id: ids.at(-1),
    account_id: tea.accountId,
    invoice_id: 'L-0',
    status: 'completed',
    total_amount: 118,
    currency: 'INR',
    attempts: 1,
    flags: [],
    user: { first_name: 'A***', email: 'a***a@example.com', mobile_number: '******3210' },
  });
});

test('order list by account, status and time', async () => {
  const own = await runJson(`order list --account ${coffee.accountId}`);
  assert.deepEqual(own.orders.map(invoiceOf), ['L-5', 'L-3', 'L-1']);
  const completed = await runJson('order list --status completed');
  assert.deepEqual(completed.orders.map(invoiceOf), ['L-1', 'L-0']);
  const page = await runJson('order list --status completed --limit 1');
  assert.deepEqual(page.orders.map(invoiceOf), ['L-1']);
  const rest = await runJson(`order list --status completed --limit 1 --after ${page.next}`);
  assert.deepEqual(rest.orders.map(invoiceOf), ['L-0']);
  const { created_at } = own.orders[1];
  const since = await runJson(`order list --since ${created_at}`);
  assert.deepEqual(since.orders.map(invoiceOf), ['L-6', 'L-5', 'L-4', 'L-3']);
  assert.deepEqual((await runJson('order list --since 30m')).orders, []);
  assert.equal((await runJson('order list --since 3h')).orders.length, 7);
  assert.deepEqual((await runJson('order list --status new --since 1d')).orders.length, 4);
});

test('transaction list prints payments, those of the newest orders first', async () => {
  const { transactions } = await runJson('transaction list');
  assert.deepEqual(
    transactions.map((one: Printed) => [
      one.order_id,
      one.type,
      one.status,
      one.amount,
      one.currency,
    ]),
    [
      [ids.at(-3), 'payment', 'failed', 118, 'INR'],
      [ids.at(-2), 'payment', 'succeeded', 118, 'INR'],
      [ids.at(-1), 'payment', 'succeeded', 118, 'INR'],
    ],
  );
  const ofAll = transactions.map((one: Printed) => one.transaction_id);
  assert.deepEqual((await pages('transaction list --limit 2', 'transactions')).flat(), ofAll);
  for (const [words, expected] of [
    [`--order ${ids.at(-2)}`, [ofAll[1]]],
    [`--order ${ids.at(-2)} --account ${tea.accountId}`, []],
    [`--account ${tea.accountId}`, [ofAll[0], ofAll[2]]],
    ['--status failed', [ofAll[0]]],
    ['--since 3h', ofAll],
    ['--since 30m', []],
  ] as const) {
    const { transactions: found } = await runJson(`transaction list ${words}`);
    assert.deepEqual(
      found.map((one: Printed) => one.transaction_id),
      expected,
      words,
    );
  }
});

test('inbox list prints the event and the amount of each delivery, newest first', async () => {
  const { deliveries } = await runJson('inbox list');
  assert.deepEqual(
    deliveries.slice(0, 2).map((one: Printed) => [one.event, one.state, one.amount, one.currency]),
    [
      ['settlement.processed', 'ignored', null, null],
      ['payment.captured', 'parked', 118, 'INR'],
    ],
  );
  // The other three arrived in the same second.
  const events = deliveries.slice(2).map((one: Printed) => [one.event, one.amount]);
  assert.deepEqual(events.toSorted(), [
    ['PAYMENT', 118],
    ['payment.captured', 118],
    ['payment.failed', 118],
  ]);
  const all = deliveries.map((one: Printed) => one.delivery_id);
  assert.deepEqual((await pages('inbox list --limit 2', 'deliveries')).flat(), all);
  for (const [words, expected] of [
    ['--state parked', all.slice(1, 2)],
    ['--state ignored', all.slice(0, 1)],
    [`--state parked --account ${coffee.accountId}`, []],
    ['--since 30m', []],
    [`--since ${deliveries[1].received_at}`, all.slice(0, 2)],
    [`--state parked --since ${deliveries[0].received_at}`, []],
  ] as const) {
    const { deliveries: found } = await runJson(`inbox list ${words}`);
    assert.deepEqual(
      found.map((one: Printed) => one.delivery_id),
      expected,
      words,
    );
  }
});

test('review list takes a time', async () => {
  await service.database.query({
    text: `update orders set flags = '{over_refunded}' where invoice_id = 'L-3'`,
  });
  assert.equal((await runJson('review list --since 3h')).review.length, 1);
  assert.equal((await runJson('review list --since 1h --limit 1')).review.length, 0);
});

test('order show prints an order by its id or invoice, with everything that belongs to it', async () => {
  const shown = await runJson('order show L-2');
  assert.deepEqual(await runJson(`order show ${ids.at(-3)} --account ${tea.accountId}`), shown);
  const { order, transactions, deliveries, history } = shown;
  assert.deepEqual(
    [order.status, order.amount_before_tax, order.tax, order.total_amount],
    ['pending', 100, 18, 118],
  );
  assert.equal(order.user.email, 'a***a@example.com');
  assert.deepEqual([transactions.length, transactions[0].status], [1, 'failed']);
  assert.deepEqual([deliveries.length, deliveries[0].event], [1, 'payment.failed']);
  const changed = history.flatMap(({ changes }: { changes: { field: string }[] }) => changes);
  assert.ok(changed.some(({ field }: { field: string }) => field === 'status'));
  assert.doesNotMatch(JSON.stringify(shown), /asha@|9876543210/);

  const { stdout } = await runCommandHere(['order', 'show', 'L-2'], env);
  assert.match(stdout, /^order_id +o_/);
  assert.match(stdout, /\ntotal_amount +118\.00 INR\n/);
  assert.match(stdout, /\nTransactions:\nTRANSACTION .*\no_\S+ +payment +failed +118\.00 INR/);
  assert.match(stdout, /\nDeliveries:\nDELIVERY .*\ndlv_\S+ +processed +payment\.failed/);
  assert.match(stdout, /\nHistory:\n.*\n.*status /);
  assert.doesNotMatch(stdout, /asha@|9876543210/);
});

test('an invoice that several accounts have needs the account', async () => {
  await createOrder(tea, 'SHARED');
  const id = await createOrder(coffee, 'SHARED');
  const { code, stderr } = await runCommandHere(['order', 'show', 'SHARED'], env);
  assert.deepEqual(
    [code, stderr],
    [1, 'Several accounts have an invoice SHARED: give --account ID.\n'],
  );
  const { order } = await runJson(`order show SHARED --account ${coffee.accountId}`);
  assert.equal(order.order_id, id);
});

test('a delivery whose body was pruned has a dash for its event and amount', async () => {
  const { rows } = await service.database.query<{ delivery_id: string }>({
    text: `update deliveries set body = null, headers = null where state = 'ignored' returning delivery_id`,
  });
  const { deliveries } = await runJson('inbox list --state ignored');
  assert.deepEqual([deliveries[0].event, deliveries[0].amount], [null, null]);
  const { stdout } = await runCommandHere(['inbox', 'list', '--state', 'ignored'], env);
  assert.match(stdout, new RegExp(`\\n${rows[0]?.delivery_id} +ignored +- +- +\\d+[mh] `));
});

test('a database that sorts text by a language lists the newest orders of all accounts first', async () => {
  const template = `template0 locale_provider icu icu_locale 'en-US'`;
  const { database, url } = await createTestDatabase(template);
  await migrate(database);
  const own = { DATABASE_URL: url, MASTER_KEY: testMasterKeyHex };
  const create = ['account', 'create', '--name', 'Shop', '--json'];
  const accountIds: string[] = [];
  for (let count = 0; count < 2; count += 1) {
    accountIds.push(JSON.parse((await runCommandHere(create, own)).stdout).account_id);
  }
  // The last letter of the time is a capital one in one order, and a small one in the next.
  const orders = [5, 15, 25, 35, 45, 55, 65, 4_000, 40_000].map((seconds, at) => {
    const createdAt = new Date(Date.UTC(2026, 0, 1) + 1_000 * seconds);
    const orderId = newOrderId(createdAt);
    return storedOrder({
      accountId: accountIds[at % 2] ?? '',
      orderId,
      createdAt,
      invoiceId: `L-${at}`,
    });
  });
  await database.transaction((tx) => insertOrders(tx, orders));
  const list = async (words: string) => {
    const { code, stdout, stderr } = await runCommandHere(words.split(' '), own);
    assert.deepEqual([code, stderr], [0, '']);
    return JSON.parse(stdout);
  };
  const idsOf = async (words: string) =>
    (await list(words)).orders.map(({ order_id }: { order_id: string }) => order_id);
  const ids = orders.map(({ orderId }) => orderId).toReversed();
  assert.deepEqual(await idsOf('order list --json'), ids);
  assert.deepEqual(await idsOf('order list --since 2026-01-01T00:00:40Z --json'), ids.slice(0, 5));
  assert.deepEqual(await idsOf(`order list --after ${ids[2]} --limit 3 --json`), ids.slice(3, 6));
  assert.deepEqual((await list('transaction list --json')).transactions, []);
  assert.deepEqual((await list('inbox list --json')).deliveries, []);
});

test('lists are tables that fit the terminal, in colour unless NO_COLOR is set', async () => {
  for (const list of ['order list', 'transaction list', 'inbox list', 'review list']) {
    const plain = await runCommandHere(list.split(' '), env);
    assert.equal(plain.code, 0, plain.stderr);
    const lines = plain.stdout.trimEnd().split('\n');
    assert.match(lines[0] ?? '', /^ *[A-Z]+ {2,}[A-Z]+ /);
    for (const columns of [80, 40]) {
      const { stdout } = await runCommandHere(list.split(' '), env, columns);
      const shown = stripVTControlCharacters(stdout).trimEnd().split('\n');
      assert.notEqual(stdout, stripVTControlCharacters(stdout));
      assert.equal(shown.length, lines.length);
      for (const line of shown) assert.ok(widthOf(line) <= columns, line);
      const uncoloured = await runCommandHere(list.split(' '), { ...env, NO_COLOR: '1' }, columns);
      assert.equal(uncoloured.stdout.trimEnd(), shown.join('\n'));
    }
  }
  const { stdout } = await runCommandHere(['order', 'list', '--limit', '2'], env);
  assert.match(stdout, /\n\nThere are more: add --after o_\w{16}\n$/);
  const none = await runCommandHere(['order', 'list', '--since', '1s'], env);
  assert.equal(none.stdout, 'No rows.\n');
});

async function createOrder({ accountId }: TestAccount, invoice_id: string): Promise<string> {
  // The clock of the test may have outlived an earlier token.
  const { token } = await issueMerchantToken(service.services, accountId);
  const call = { token, body: orderBody({ invoice_id }) };
  const { status, body } = await service.call('/api/v3/create-order', call);
  assert.equal(status, 200);
  return body.order_id;
}

async function pay(account: TestAccount, invoice_id: string, event = 'payment.captured') {
  const hasFailed = event === 'payment.failed';
  const payment = partnerPayment({
    notes: { invoice_id },
    ...(hasFailed && { status: 'failed', captured: false }),
  });
  await sendPartner(service, account, partnerEvent(event, { payment }));
}

/** The ids of every page. */
async function pages(command: string, list: string): Promise<string[][]> {
  const read: string[][] = [];
  for (let more: string[] = []; read.length < 10; ) {
    const page = await runJson([...command.split(' '), ...more]);
    read.push(
      page[list].map((row: Printed) => row.transaction_id ?? row.delivery_id ?? row.order_id),
    );
    if (page.next === undefined) break;
    more = ['--after', page.next];
  }
  return read;
}

function idOf(row: Printed): string {
  return row.order_id;
}

function invoiceOf(row: Printed): string {
  return row.invoice_id;
}
