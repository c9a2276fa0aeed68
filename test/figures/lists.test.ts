/** The list of orders: filters, pages, search and export, always within one account. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { commandLine } from '../../src/domain/audit.ts';
import type { User } from '../../src/domain/orders/order.ts';
import type { OrderFilter } from '../../src/domain/orders/order-filter.ts';
import { insertOrders } from '../../src/store/orders/insert-orders.ts';
import { eraseConsumer } from '../../src/use-cases/consumers/erase-consumer.ts';
import { exportOrders } from '../../src/use-cases/orders/export-orders.ts';
import { identifyConsumer } from '../../src/use-cases/orders/identify-consumer.ts';
import { listOrders } from '../../src/use-cases/orders/list-orders.ts';
import { searchOrders } from '../../src/use-cases/orders/search-orders.ts';
import { learnEmails } from '../../src/use-cases/upkeep/learn-emails.ts';
import { changeOrder, type MadeTransaction, makeOrder } from '../support/figure-orders.ts';
import { readCsv } from '../support/read-csv.ts';
import { storedOrder } from '../support/stored-orders.ts';
import { startTestService } from '../support/test-service.ts';

const service = await startTestService();
const { database, services } = service;
const [{ accountId }, other] = [await service.createAccount(), await service.createAccount()];
const startMs = Date.UTC(2026, 5, 1);
const now = new Date(startMs + 10 * 86_400_000);
const needs = { ...services, clock: () => now };

const paid: MadeTransaction = {
  type: 'payment',
  status: 'succeeded',
  provider: 'partner',
  mode: 'UPI',
  failure: null,
  amount: 11_800,
  currency: 'INR',
};
const failed: MadeTransaction = { ...paid, status: 'failed', failure: 'DECLINED_BY_BANK' };
const card: MadeTransaction = { ...paid, provider: 'bank-gateway', mode: 'Credit Card' };
const refund: MadeTransaction = { ...paid, type: 'refund', mode: null };

const asha: User = {
  email: 'Asha@Example.com',
  firstName: 'Asha',
  countryCode: '+91',
  mobileNumber: '9876543210',
};

type Made = {
  readonly transactions?: readonly MadeTransaction[];
  readonly status?: 'new' | 'pending' | 'completed';
  readonly flags?: readonly 'amount_mismatch'[];
  readonly currency?: string;
  readonly total?: number;
  readonly invoiceId?: string;
  readonly user?: User;
  readonly ageDays?: number;
};

const idOf: Record<string, string> = {};
const nameOf: Record<string, string> = {};

/** One hour apart, the first is the oldest. */
const made: Record<string, Made> = {
  lapsedNew: {},
  card: { status: 'completed', transactions: [failed, { ...card, pspId: 'pay_CARD' }] },
  refunded: {
    status: 'completed',
    transactions: [paid, { ...refund, amount: 800, pspId: 'rfnd_1' }],
  },
  flaggedOrder: { status: 'pending', transactions: [failed], flags: ['amount_mismatch'] },
  flaggedPayment: {
    status: 'completed',
    transactions: [{ ...paid, flags: ['duplicate_capture'] }, paid],
  },
  dollars: { status: 'completed', transactions: [{ ...paid, currency: 'USD' }], currency: 'USD' },
  large: { total: 5_000_000, invoiceId: 'SHOP/2026/100%', user: asha },
  open: { ageDays: 0.5, status: 'pending', transactions: [{ ...paid, status: 'pending' }] },
  newest: { ageDays: 0.1, invoiceId: 'SHOP/2026/101' },
};

for (const owner of [other.accountId, accountId]) {
  for (const [index, [name, one]] of Object.entries(made).entries()) {
    const ageMs = one.ageDays === undefined ? undefined : one.ageDays * 86_400_000;
    const createdAt = new Date(
      ageMs === undefined ? startMs + index * 3_600_000 : now.getTime() - ageMs,
    );
    const total = one.total ?? 11_800;
    const order = await makeOrder(database, {
      accountId: owner,
      createdAt,
      flags: one.flags ?? [],
      amounts: { currency: one.currency ?? 'INR', beforeTax: total, tax: 0, total },
      ...(one.invoiceId !== undefined && { invoiceId: one.invoiceId }),
      ...(one.user && {
        details: { user: one.user },
        userId: identifyConsumer(await services.accounts.get(owner), one.user),
      }),
    });
    const { status, transactions } = one;
    if (transactions && status) {
      await changeOrder(database, order, { status, transactions, at: createdAt });
    }
    if (owner === accountId) idOf[name] = order.orderId;
    nameOf[order.orderId] = owner === accountId ? name : `other ${name}`;
  }
}
await database.query({
  text: `insert into provider_orders (account_id, provider, provider_order_id, order_id)
         values ($1, 'partner', 'order_AT_PARTNER', $2)`,
  values: [accountId, idOf.card],
});

const list = async (filter: OrderFilter, limit = 50) => {
  const { orders } = await listOrders(needs, accountId, { filter, limit });
  return orders.map(({ orderId }) => nameOf[orderId]);
};

test('without a filter, all orders of the account are listed, newest first', async () => {
  assert.deepEqual(await list({}), Object.keys(made).reverse());
});

const filtered: ReadonlyArray<readonly [what: string, filter: OrderFilter, names: string[]]> = [
  ['completed', { status: 'completed' }, ['dollars', 'flaggedPayment', 'refunded', 'card']],
  ['lapsed', { status: 'lapsed' }, ['large', 'flaggedOrder', 'lapsedNew']],
  ['new', { status: 'new' }, ['newest']],
  ['pending', { status: 'pending' }, ['open']],
  ['a mode', { payment: { mode: 'Credit Card' } }, ['card']],
  ['a provider', { payment: { provider: 'bank-gateway' } }, ['card']],
  ['payments that failed', { payment: { status: 'failed' } }, ['flaggedOrder', 'card']],
  ['a mode that failed', { payment: { status: 'failed', mode: 'Credit Card' } }, []],
  ['a failure', { payment: { failure: 'DECLINED_BY_BANK' } }, ['flaggedOrder', 'card']],
  ['another failure', { payment: { failure: 'INSUFFICIENT_FUNDS' } }, []],
  ['refunds', { isRefunded: true }, ['refunded']],
  ['a currency', { currency: 'USD' }, ['dollars']],
  ['amounts', { currency: 'INR', amountMin: 11_801 }, ['large']],
  ['smaller amounts in another currency', { currency: 'USD', amountMax: 11_800 }, ['dollars']],
  ['a flag of the order', { flag: 'amount_mismatch' }, ['flaggedOrder']],
  ['a flag of a payment', { flag: 'duplicate_capture' }, ['flaggedPayment']],
  ['a flag and a status', { flag: 'duplicate_capture', status: 'lapsed' }, []],
  [
    'a time',
    { from: new Date(startMs + 3_600_000), to: new Date(startMs + 3 * 3_600_000) },
    ['refunded', 'card'],
  ],
  [
    'everything at once',
    {
      status: 'completed',
      flag: 'duplicate_capture',
      currency: 'INR',
      amountMin: 1,
      payment: { status: 'succeeded', mode: 'UPI', provider: 'partner' },
      from: new Date(startMs),
      to: now,
    },
    ['flaggedPayment'],
  ],
];

for (const [what, filter, names] of filtered) {
  test(`filter by ${what}`, async () => {
    assert.deepEqual(await list(filter), names);
  });
}

test('pages of every size contain each order once, with and without a filter', async () => {
  for (const filter of [{}, { status: 'completed' }, { flag: 'amount_mismatch' }] as const) {
    const whole = await list(filter);
    for (const limit of [1, 2, 3, 50]) {
      const names: (string | undefined)[] = [];
      let after: string | undefined;
      do {
        const page = await listOrders(needs, accountId, { filter, limit, after });
        names.push(...page.orders.map(({ orderId }) => nameOf[orderId]));
        after = page.next;
      } while (after !== undefined);
      assert.deepEqual(names, whole);
    }
  }
});

test('orders of one second are newest first on every page and in the export', async () => {
  const busy = await service.createAccount();
  const orders = Array.from({ length: 600 }, (_, ms) =>
    storedOrder({
      accountId: busy.accountId,
      invoiceId: `BUSY-${ms}`,
      createdAt: new Date(startMs + ms),
    }),
  );
  await insertOrders(database, orders);
  const newestFirst = orders.toReversed();
  // Flags have an index of their own.
  const flagged = newestFirst.filter((_, index) => index % 2 === 0);
  await database.query({
    text: `update orders set flags = '{amount_mismatch}'
            where account_id = $1 and order_id = any($2::text[])`,
    values: [busy.accountId, flagged.map(({ orderId }) => orderId)],
  });
  for (const [filter, wanted] of [
    [{}, newestFirst],
    [{ flag: 'amount_mismatch' }, flagged],
  ] as const) {
    const ids: string[] = [];
    let after: string | undefined;
    do {
      const page = await listOrders(needs, busy.accountId, { filter, limit: 37, after });
      ids.push(...page.orders.map(({ orderId }) => orderId));
      after = page.next;
    } while (after !== undefined);
    assert.deepEqual(
      ids,
      wanted.map(({ orderId }) => orderId),
    );
  }
  let text = '';
  const whole = { filter: {}, isMasked: false };
  const parts = await exportOrders(needs, commandLine, busy.accountId, whole);
  for await (const part of parts) text += part;
  const invoices = readCsv(text)
    .slice(1)
    .map(([, invoice]) => invoice);
  assert.deepEqual(
    invoices,
    newestFirst.map(({ invoiceId }) => invoiceId),
  );
});

test('a row has the amounts, the flags and the payment that count', async () => {
  const { orders } = await listOrders(needs, accountId, { filter: {}, limit: 50 });
  const row = (name: string) => orders.find(({ orderId }) => orderId === idOf[name]);
  const refunded = row('refunded');
  assert.deepEqual([refunded?.paid, refunded?.refunded], [11_800, 800]);
  assert.deepEqual(row('flaggedPayment')?.flags, ['duplicate_capture']);
  assert.deepEqual(row('card')?.payment, {
    transactionId: `${idOf.card}-260101000001`,
    status: 'succeeded',
    provider: 'bank-gateway',
    mode: 'Credit Card',
    failure: null,
  });
  assert.equal(row('large')?.payment, null);
  assert.deepEqual(row('large')?.user, asha);
});

test('an amount needs a currency, and a cursor must be one of a page', async () => {
  await assert.rejects(list({ amountMin: 1 }), { merchantMessage: /currency/ });
  const page = { filter: {}, limit: 1, after: 'abc' };
  await assert.rejects(listOrders(needs, accountId, page), { merchantMessage: /after/ });
});

const search = async (text: string, of = accountId) => {
  const { orders } = await searchOrders(needs, of, { text, limit: 50 });
  return orders.map(({ orderId, reasons }) => [nameOf[orderId], ...reasons]);
};

test('search finds an order by each of its ids, and says which', async () => {
  assert.deepEqual(await search(` ${idOf.card} `), [['card', 'order_id']]);
  assert.deepEqual(await search(`${idOf.card}-260101000001`), [['card', 'transaction_id']]);
  assert.deepEqual(await search(`${idOf.card}-260101000099`), []);
  assert.deepEqual(await search('pay_CARD'), [['card', 'provider_id']]);
  assert.deepEqual(await search('rfnd_1'), [['refunded', 'provider_id']]);
  assert.deepEqual(await search('order_AT_PARTNER'), [['card', 'provider_id']]);
});

test('search finds an invoice and all that begin with a text, and takes it literally', async () => {
  assert.deepEqual(await search('SHOP/2026/101'), [['newest', 'invoice', 'invoice_start']]);
  assert.deepEqual(await search('SHOP/2026/10'), [
    ['large', 'invoice_start'],
    ['newest', 'invoice_start'],
  ]);
  assert.deepEqual(await search('SHOP/2026/100%'), [['large', 'invoice', 'invoice_start']]);
  for (const text of ['SHOP/%', 'shop/2026', 'SHOP_2026', '', ' ', 'x'.repeat(5_000), 'a\0b']) {
    assert.deepEqual(await search(text), []);
  }
});

test('search finds a consumer by e-mail address and by phone number, however it is written', async () => {
  for (const text of ['asha@example.com', 'ASHA@EXAMPLE.COM']) {
    assert.deepEqual(await search(text), [['large', 'email']]);
  }
  for (const text of ['9876543210', '+91 98765 43210', '0091-98765-43210', '09876543210']) {
    assert.deepEqual(await search(text), [['large', 'phone']]);
  }
  for (const text of ['bala@example.com', '+1 98765 43210', '9876543211']) {
    assert.deepEqual(await search(text), []);
  }
});

test('search finds an old order by e-mail address once a sweep has learned it, and not after it was erased', async () => {
  const own = await service.createAccount();
  const [one, another] = ['Old@Example.com', 'new@example.com'];
  const orders = [];
  for (const [index, email] of [one, another].entries()) {
    const user = { ...asha, email };
    const createdAt = new Date(startMs + index * 3_600_000);
    const userId = identifyConsumer(await services.accounts.get(own.accountId), user);
    const details = { user };
    orders.push(
      await makeOrder(database, { accountId: own.accountId, createdAt, userId, details }),
    );
  }
  const plain = await makeOrder(database, { accountId: own.accountId, createdAt: now });
  // Newer ones hide them from a look at the newest.
  await copyOrder(own.accountId, plain.orderId, 2_100);
  const find = async (text: string) =>
    (await searchOrders(needs, own.accountId, { text, limit: 50 })).orders.map(
      ({ orderId }) => orderId,
    );
  assert.deepEqual(await find(another), []);
  await learnEmails(needs, () => false);
  assert.deepEqual(await find(another), [orders[1]?.orderId], 'not the one with another address');
  const ownAccount = await services.accounts.get(own.accountId);
  await eraseConsumer(services, ownAccount, { email: one, phones: [] }, commandLine);
  const { rows } = await database.query({
    text: 'select email from consumer_emails where account_id = $1',
    values: [own.accountId],
  });
  assert.deepEqual(rows, []);
  assert.deepEqual(await find(another), []);
});

test('a search sends few statements, however many consumers share an address', async () => {
  const own = await service.createAccount();
  const email = 'desk@example.com';
  const account = await services.accounts.get(own.accountId);
  const orderIds = [];
  for (let index = 0; index < 60; index += 1) {
    const user = { ...asha, email, mobileNumber: String(9_000_000_000 + index) };
    const createdAt = new Date(startMs + index * 60_000);
    const userId = identifyConsumer(account, user);
    const order = { accountId: own.accountId, createdAt, userId, details: { user } };
    orderIds.push((await makeOrder(database, order)).orderId);
  }
  await learnEmails(needs, () => false);
  let statements = 0;
  const query: typeof database.query = (statement) => {
    statements += 1;
    return database.query(statement);
  };
  const counting = { ...needs, database: { ...database, query } };
  const found = await searchOrders(counting, own.accountId, { text: email, limit: 60 });
  assert.deepEqual(
    found.orders.map(({ orderId }) => orderId),
    orderIds.toReversed(),
  );
  assert.ok(statements <= 15, `${statements} statements`);
});

test('a search in one account finds nothing of another', async () => {
  for (const text of [idOf.card ?? '', `${idOf.card}-260101000001`, 'order_AT_PARTNER']) {
    assert.deepEqual(await search(text, other.accountId), []);
  }
  assert.deepEqual(await search('asha@example.com', other.accountId), [['other large', 'email']]);
  assert.deepEqual(await search('9876543210', other.accountId), [['other large', 'phone']]);
});

test('a search with more results than the limit says so', async () => {
  const result = await searchOrders(needs, accountId, { text: 'FIGURE-', limit: 2 });
  assert.deepEqual([result.orders.length, result.isMore], [2, true]);
});

test('the export has the rows of the list, with exact amounts and harmless texts', async () => {
  const read = async (filter: OrderFilter, isMasked = false) => {
    let text = '';
    const parts = await exportOrders(needs, commandLine, accountId, { filter, isMasked });
    for await (const part of parts) text += part;
    return text.trimEnd().split('\r\n');
  };
  const [header, ...lines] = await read({});
  assert.match(
    header ?? '',
    /^"order_id","invoice_id","created_at","status","currency","total_amount",/,
  );
  assert.deepEqual(
    lines.map((line) => nameOf[line.split('"')[1] ?? '']),
    await list({}),
  );
  const [, large = ''] = await read({ currency: 'INR', amountMin: 11_801 });
  assert.equal(
    large.split(',').slice(1).join(','),
    '"SHOP/2026/100%","2026-06-01T06:00:00.000Z","lapsed","INR",50000.00,0.00,0.00,0,,,,,,"","Asha",,"Asha@Example.com","+91 9876543210"',
  );
  const [, masked = ''] = await read({ currency: 'INR', amountMin: 11_801 }, true);
  assert.match(masked, /,"A\*\*\*",,"A\*\*\*a@Example\.com","\+91 \*{6}3210"$/);
});

test('a rare match behind many orders is found page by page, and each page says how far it came', async () => {
  const many = await service.createAccount();
  const createdAt = new Date(startMs);
  const rare = await makeOrder(database, { accountId: many.accountId, createdAt });
  await changeOrder(database, rare, { status: 'completed', transactions: [paid], at: createdAt });
  const orders = 60_000;
  await copyOrder(many.accountId, rare.orderId, orders);
  let [pages, lookedAt] = [0, 0];
  const found: string[] = [];
  let after: string | undefined;
  do {
    const filter = { status: 'completed' } as const;
    const page = await listOrders(needs, many.accountId, { filter, limit: 50, after });
    pages += 1;
    lookedAt += page.lookedAt;
    found.push(...page.orders.map(({ orderId }) => orderId));
    after = page.next;
  } while (after !== undefined);
  assert.deepEqual(found, [rare.orderId]);
  assert.equal(lookedAt, orders + 1);
  assert.ok(pages > 1);
});

/** Later orders with the same content. In parts, because a statement of a request has little time. */
async function copyOrder(owner: string, orderId: string, count: number): Promise<void> {
  const size = 5_000;
  for (let from = 1; from <= count; from += size) {
    await database.query({
      text: `insert into orders (account_id, order_id, invoice_id, status, attempts, currency, amount_before_tax,
               tax, total_amount, details, content_digest, created_at, lapses_at)
             select account_id, 'o_Z' || lpad(n::text, 15, '0'), 'MANY-' || n, 'new', 0, currency,
                    amount_before_tax, tax, total_amount, details, content_digest, created_at, lapses_at
               from orders, generate_series($2::integer, $3::integer) n
              where account_id = $1 and order_id = $4`,
      values: [owner, from, Math.min(count, from + size - 1), orderId],
    });
  }
}
