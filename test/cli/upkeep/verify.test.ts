import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createProgress } from '../../../src/cli/upkeep/verify.ts';
import {
  findCursor,
  type VerifyProgress,
  verifyInvariants,
  writeCursor,
} from '../../../src/use-cases/upkeep/verify-invariants.ts';
import { launch } from '../../../tools/harness/launch.ts';
import { waitUntil } from '../../../tools/harness/wait-until.ts';
import { runCommandHere } from '../../support/command-here.ts';
import { partnerEvent, partnerPayment, sendPartner } from '../../support/deliveries.ts';
import { orderBody } from '../../support/order-bodies.ts';
import { startTestService, testMasterKeyHex } from '../../support/test-service.ts';

const service = await startTestService();
const account = await service.createAccount();
const { database } = service;
const { accountId } = account;
const env = { DATABASE_URL: service.url, MASTER_KEY: testMasterKeyHex };

/** Copies of one order, more than two pages of them. Their ids are in the order in which they are checked. */
const copies = 2_500;
const copyId = (n: number) => `o_0${String(n).padStart(15, '0')}`;
await createOrder('VERIFY-1');
await database.query({
  text: `insert into orders (account_id, order_id, invoice_id, status, attempts, currency, amount_before_tax,
           tax, total_amount, details, content_digest, created_at, lapses_at)
         select account_id, 'o_0' || lpad(n::text, 15, '0'), 'COPY-' || n, status, attempts, currency,
                amount_before_tax, tax, total_amount, details, content_digest, created_at, lapses_at
           from orders, generate_series(1, $1::integer) n`,
  values: [copies],
});
for (const invoiceId of ['VERIFY-2', 'VERIFY-3']) await payOrder(invoiceId);
const orders = copies + 3;

test('thousands of orders are checked page by page, and every page reports a cursor', async () => {
  const pages: VerifyProgress[] = [];
  const verified = await verifyInvariants(service.services, { onPage: (page) => pages.push(page) });
  assert.deepEqual(verified.breaches, []);
  assert.equal(verified.orders, orders);
  assert.equal(verified.transactions, 2);
  assert.equal(verified.next, null);
  const ofOrders = pages.filter(({ table }) => table === 'orders');
  assert.deepEqual(
    ofOrders.map(({ rows }) => rows),
    [1_000, 2_000, orders],
  );
  assert.equal(ofOrders[0]?.cursor, `orders/${accountId}/${copyId(1_000)}`);
});

test('progress is a line every few seconds, with counts, speed and the cursor to continue with', () => {
  const lines: string[] = [];
  let nowMs = 0;
  const { note, cursor } = createProgress(
    (line) => lines.push(line),
    () => nowMs,
  );
  assert.equal(cursor(), undefined);
  for (const [ms, rows] of [
    [1_000, 1_000],
    [4_000, 8_000],
    [5_000, 9_000],
    [8_000, 16_000],
  ] as const) {
    nowMs = ms;
    note({ table: 'orders', cursor: `orders/acc/o_${rows}`, rows, breaches: 2 });
  }
  assert.deepEqual(lines, [
    'orders: 8000 checked, 2000 a second, 2 breaches. Continue with: verify --after orders/acc/o_8000',
    'orders: 16000 checked, 2000 a second, 2 breaches. Continue with: verify --after orders/acc/o_16000',
  ]);
  assert.equal(cursor(), 'orders/acc/o_16000');
});

test('a cursor can be pasted, whatever the key contains', () => {
  const cursor = { table: 'refund_requests', key: [accountId, "it's /100% (£) *~!$x\n`"] };
  const text = writeCursor(cursor);
  assert.match(text, /^[\w%./-]+$/);
  assert.deepEqual(findCursor(text), cursor);
});

test('verify continues after a cursor: breaches behind it are found, those before it are not', async () => {
  await spoil(10, 2_400);
  const where = async (...words: string[]) => {
    const { code, outcome } = await runVerify(...words);
    return { code, where: outcome.breaches.map((breach) => breach.where) };
  };
  const after = (n: number) => ['--after', `orders/${accountId}/${copyId(n)}`];
  assert.deepEqual(await where(), { code: 1, where: [copyId(10), copyId(2_400)] });
  assert.deepEqual(await where(...after(9)), { code: 1, where: [copyId(10), copyId(2_400)] });
  assert.deepEqual(await where(...after(10)), { code: 1, where: [copyId(2_400)] });
  assert.deepEqual(await where(...after(2_400)), { code: 0, where: [] });
  await repair();
});

test('an interrupt ends the check after its page, and the rest is checked from the printed cursor', async () => {
  await spoil(10, 2_400);
  const verifying = launch([process.execPath, 'src/cli/main.ts', 'verify', '--json'], env);
  // The apparent breach is checked again under the lock of its order, so verify waits on the first page.
  await database.transaction(async (tx) => {
    const values = [accountId, copyId(10)];
    await tx.query({
      text: 'select 1 from orders where account_id = $1 and order_id = $2 for update',
      values,
    });
    const isWaiting = async () => {
      // A transaction that is idle for too long would be ended.
      await tx.query({ text: 'select 1' });
      const { rows } = await database.query({
        text: `select 1 from pg_stat_activity
                where datname = current_database() and wait_event_type = 'Lock'`,
      });
      return rows.length > 0;
    };
    await waitUntil('verify waits for the lock', isWaiting, 100);
    process.kill(verifying.pid, 'SIGINT');
  });
  assert.equal(await verifying.exited, 1);
  const cursor = `orders/${accountId}/${copyId(1_000)}`;
  assert.match(verifying.output(), new RegExp(`Continue with: verify --after ${cursor}\\n`));
  const printed = verifying.output().split('\n');
  const outcome = JSON.parse(printed.find((line) => line.startsWith('{')) ?? '');
  assert.deepEqual([outcome.orders, outcome.next], [1_000, cursor]);
  assert.equal(outcome.breaches.length, 1);
  const rest = await runVerify('--after', cursor);
  assert.deepEqual(
    [rest.outcome.orders, rest.outcome.breaches.map((breach) => breach.where)],
    [orders - 1_000, [copyId(2_400)]],
  );
  await repair();
});

test('all breaches are counted, and the first are kept and reported as they are found', async () => {
  await spoil(...[1, 2, 3, 1_100, 2_100]);
  const reported: string[] = [];
  const { breaches, found } = await verifyInvariants(service.services, {
    breachesKept: 4,
    onBreach: ({ where }) => reported.push(where),
  });
  const kept = [1, 2, 3, 1_100].map(copyId);
  assert.deepEqual(Object.values(found), [5]);
  assert.deepEqual([breaches.map(({ where }) => where), reported], [kept, kept]);
  const { stderr } = await runVerify();
  assert.match(stderr, new RegExp(`broken: ${copyId(2_100)}: is saved as`));
  await repair();
});

test('--account checks one account', async () => {
  const other = await service.createAccount();
  await createOrder('OTHER-1', other.token);
  await spoil(10, 2_400);
  const { code, outcome } = await runVerify('--account', other.accountId);
  assert.deepEqual([code, outcome.orders, outcome.breaches], [0, 1, []]);
  await repair();
});

const foreignRows = [
  [
    'transactions',
    `insert into transactions (account_id, transaction_id, order_id, type, provider, status, fields, flags, notices)
     values ($1, 'o_zzzz-1', 'o_zzzz', 'payment', 'partner', 'new', '{}', '{}', '[]')`,
    `delete from transactions where order_id = 'o_zzzz' and account_id = $1`,
  ],
  [
    'history',
    `insert into history values ($1, 'o_0000', 1, 'time', now(), '[]')`,
    `delete from history where order_id = 'o_0000' and account_id = $1`,
  ],
  [
    'refund_requests',
    `insert into refund_requests values ($1, 'RR-1', 'o_yyyy-1')`,
    `delete from refund_requests where account_id = $1`,
  ],
  [
    'idempotency_keys',
    `insert into idempotency_keys values ($1, '\\x01', 'refund', '\\x02', 'o_zzzz', 'o_zzzz-1', null, now())`,
    `delete from idempotency_keys where account_id = $1`,
  ],
  [
    'provider_orders',
    `insert into provider_orders values ($1, 'partner', 'order_none', 'o_zzzz')`,
    `delete from provider_orders where provider_order_id = 'order_none' and account_id = $1`,
  ],
  [
    'payment_links',
    `insert into payment_links values ($1, 'link', 'o_zzzz', now())`,
    `delete from payment_links where link_id = 'link' and account_id = $1`,
  ],
  [
    'review_resolutions',
    `insert into review_resolutions values ('none' || $1, 'x', 'dispute', now(), 'x', 'x')`,
    `delete from review_resolutions where account_id = 'none' || $1`,
  ],
  [
    'audit',
    `insert into audit values ('none' || $1, 'aud_x', now(), 'x', 'x', 'x', null, '{}')`,
    `delete from audit where account_id = 'none' || $1`,
  ],
  [
    'orders',
    `update orders set account_id = 'none' || account_id where account_id = $1 and invoice_id = 'COPY-7'`,
    `update orders set account_id = $1 where account_id = 'none' || $1`,
  ],
] as const;

test('a row of any table that refers to nothing of its account is found', async () => {
  const values = [accountId];
  for (const [, text] of foreignRows) await database.query({ text, values });
  const { outcome } = await runVerify();
  assert.deepEqual(
    outcome.breaches.map(({ what }) => what.split(' row refers')[0]).sort(),
    foreignRows.map(([table]) => table).sort(),
  );
  for (const [, , undo] of foreignRows) await database.query({ text: undo, values });
  assert.equal((await runVerify()).code, 0);
});

test('without the constraint that makes invoices unique, verify does not vouch for them', async () => {
  const name = 'orders_account_id_invoice_id_key';
  await database.query({ text: `alter table orders drop constraint ${name}` });
  const { code, stdout } = await runCommandHere(['verify'], env);
  assert.equal(code, 1);
  assert.match(stdout, new RegExp(`BROKEN {2}an invoice has one order\n.*lacks .*${name}`));
  await database.query({
    text: `alter table orders add constraint ${name} unique (account_id, invoice_id)`,
  });
});

test('orders with very many rows or large bodies are checked on smaller pages', async () => {
  await database.query({
    text: `insert into history select $1, $2, n, 'time', now(), '[]' from generate_series(1, 5100) n`,
    values: [accountId, copyId(20)],
  });
  const body = JSON.stringify({ event: 'settlement.processed', text: 'x'.repeat(250_000) });
  await database.query({
    text: `insert into deliveries (account_id, delivery_id, provider, delivery_key, state, flags, headers, body,
             order_id, tries, received_at, finished_at)
           select $1, 'dlv_large' || n, 'partner', 'large' || n, 'processed', '{}', '{}',
                  convert_to($3::text, 'UTF8'), $2, 1, now(), now() from generate_series(1, 35) n`,
    values: [accountId, copyId(1_500), body],
  });
  const pages: number[] = [];
  const verified = await verifyInvariants(service.services, {
    onPage: ({ table, rows }) => table === 'orders' && pages.push(rows),
  });
  assert.deepEqual([verified.breaches, verified.orders], [[], orders + 1]);
  assert.ok(pages.length > 5, `${pages.length} pages`);
});

test('deliveries that arrive while it reads cause no breach', async () => {
  let isOver = false;
  const paying = (async () => {
    for (let n = 1; n <= 20; n += 1) await payOrder(`LIVE-${n}`);
    isOver = true;
  })();
  const after = findCursor(`orders/${accountId}/${copyId(copies)}`);
  while (!isOver) {
    const { breaches } = await verifyInvariants(service.services, { after });
    assert.deepEqual(breaches, []);
  }
  await paying;
});

test('a cursor or an account id that cannot be read is refused', async () => {
  for (const words of [
    ['--after', 'nowhere/x/y'],
    ['--after', 'orders/x'],
    ['--after', 'orders/%'],
    ['--account', 'x'],
  ]) {
    const { code, stderr } = await runCommandHere(['verify', ...words], env);
    assert.equal(code, 1);
    assert.match(stderr, /takes .*verify --help/s);
  }
});

type Outcome = {
  readonly orders: number;
  readonly breaches: ReadonlyArray<{ readonly where: string; readonly what: string }>;
};

async function runVerify(...words: string[]) {
  const { code, stdout, stderr } = await runCommandHere(['verify', '--json', ...words], env);
  return { code, stderr, outcome: JSON.parse(stdout) as Outcome };
}

/** Makes the stored status of these copies wrong. */
async function spoil(...copied: readonly number[]): Promise<void> {
  await database.query({
    text: `update orders set status = 'pending' where account_id = $1 and order_id = any($2::text[])`,
    values: [accountId, copied.map(copyId)],
  });
}

async function repair(): Promise<void> {
  await database.query({
    text: `update orders set status = 'new' where account_id = $1 and invoice_id like 'COPY-%'`,
    values: [accountId],
  });
}

async function createOrder(invoice_id: string, token = account.token): Promise<void> {
  const { status } = await service.call('/api/v3/create-order', {
    token,
    body: orderBody({ invoice_id }),
  });
  assert.equal(status, 200);
}

async function payOrder(invoice_id: string): Promise<void> {
  await createOrder(invoice_id);
  const payment = partnerPayment({ notes: { invoice_id } });
  await sendPartner(service, account, partnerEvent('payment.captured', { payment }));
}
