/** Overview, lists, search and export of orders over HTTP: who sees what, and that nothing is silently ignored. Contract 13.4. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { auditOf } from '../../support/audit.ts';
import { codeOf, join, openBrowser } from '../../support/dashboard.ts';
import { partnerEvent, partnerPayment, sendPartner } from '../../support/deliveries.ts';
import { orderBody } from '../../support/order-bodies.ts';
import { startTestService } from '../../support/test-service.ts';

const service = await startTestService();
const shop = await service.createAccount();
const stranger = await service.createAccount();
const operator = await join(service, shop.accountId, 'operator');
const viewer = await join(service, shop.accountId, 'viewer');
const foreigner = await join(service, stranger.accountId, 'owner');

const open = await create({ invoice_id: 'TEA-1' });
// Orders of the same moment are listed in any order.
service.advanceSeconds(1);
const paid = await create({
  invoice_id: 'TEA-2',
  total_amount: 236,
  tax: 36,
  amount_before_tax: 200,
});
const payment = partnerPayment({ amount: 23_600, notes: { invoice_id: 'TEA-2' } });
await sendPartner(service, shop, partnerEvent('payment.captured', { payment }));

test('a list is newest first, with exact amounts and a summary of the payment', async () => {
  const { status, body } = await operator.get('/orders');
  assert.equal(status, 200);
  assert.deepEqual(idsOf(body), [paid, open]);
  const [first] = body.orders;
  assert.equal(first.total_amount, '236.00');
  assert.equal(first.paid_amount, '236.00');
  assert.equal(first.payment.payment_status, 'succeeded');
  assert.deepEqual(first.user, {
    name: 'Asha Rao',
    email: 'asha@example.com',
    phone: '+91 9876543210',
  });
  assert.equal(body.next, null);
});

test('a viewer sees the same orders, and consumers masked', async () => {
  const { body } = await viewer.get('/orders');
  assert.deepEqual(idsOf(body), [paid, open]);
  assert.doesNotMatch(JSON.stringify(body), /asha@example|Asha|9876543210/);
  const found = await viewer.get('/search?text=asha@example.com');
  assert.deepEqual(idsOf(found.body).toSorted(), [open, paid].toSorted());
  assert.doesNotMatch(JSON.stringify(found.body), /asha@example|Asha|9876543210/);
});

const filtered: [query: string, expected: () => string[]][] = [
  ['status=completed', () => [paid]],
  ['status=new', () => [open]],
  ['payment_status=succeeded', () => [paid]],
  ['payment_status=failed', () => []],
  ['currency=INR&amount_min=200', () => [paid]],
  ['currency=INR&amount_max=118.00', () => [open]],
  ['currency=USD', () => []],
  ['from=2020-01-01T00:00:00Z&to=2021-01-01T00:00:00Z', () => []],
  ['refunded=yes', () => []],
  ['provider=partner', () => [paid]],
  ['provider=bank-gateway', () => []],
  ['flag=amount_mismatch', () => []],
];
for (const [query, expected] of filtered) {
  test(`the filter ${query}`, async () => {
    assert.deepEqual(idsOf((await operator.get(`/orders?${query}`)).body), expected());
  });
}

test('filters offer what exists, and the currencies of recent orders first', async () => {
  const { body } = await viewer.get('/filters');
  assert.deepEqual(
    body.providers.map(({ name }: { name: string }) => name),
    ['partner', 'bank-gateway'],
  );
  assert.deepEqual(body.currencies.slice(0, 3), ['INR', 'AED', 'AFN']);
  assert.equal(new Set(body.currencies).size, body.currencies.length);
  for (const flag of body.flags) {
    assert.equal((await viewer.get(`/orders?flag=${flag}`)).status, 200, flag);
  }
  assert.ok(!body.flags.includes('dispute'), 'no order has the flag of a delivery');
  assert.equal((await openBrowser(service).get('/filters')).status, 401);
});

test('pages follow each other without gaps', async () => {
  const first = await operator.get('/orders?limit=1');
  assert.deepEqual(idsOf(first.body), [paid]);
  const second = await operator.get(`/orders?limit=1&after=${first.body.next}`);
  assert.deepEqual(idsOf(second.body), [open]);
});

test('orders of one second are newest first in the list and in the file, across pages', async () => {
  const busy = await service.createAccount();
  const owner = await join(service, busy.accountId, 'owner');
  service.advanceSeconds(1 - service.services.clock().getMilliseconds() / 1_000);
  const created: string[] = [];
  for (let index = 0; index < 6; index += 1) {
    const body = orderBody({ invoice_id: `BUSY-${index}` });
    const reply = await service.call('/api/v3/create-order', { token: busy.token, body });
    created.unshift(reply.body.order_id);
    // Two orders of one millisecond would be in any order.
    service.advanceSeconds(0.002);
  }
  assert.deepEqual(idsOf((await owner.get('/orders')).body), created);
  const ids: string[] = [];
  let next: string | null = '';
  while (next !== null) {
    const { body } = await owner.get(`/orders?limit=2${next === '' ? '' : `&after=${next}`}`);
    ids.push(...idsOf(body));
    next = body.next;
  }
  assert.deepEqual(ids, created);
  const lines = (await csvOf(owner)).trim().split('\r\n').slice(1);
  assert.deepEqual(
    lines.map((line) => line.split('"')[1]),
    created,
  );
});

const wrong = [
  ...[
    'status=paid',
    'flag=none',
    'from=yesterday',
    'amount_min=5',
    'currency=INR&amount_min=1.234',
  ],
  'currency=ABC',
  'limit=0',
  'limit=1000',
  'after=x',
  'sort=amount',
  'status=new&status=new',
];
for (const query of wrong) {
  test(`${query} is refused`, async () => {
    assert.deepEqual(codeOf(await operator.get(`/orders?${query}`)), [
      400,
      'INVALID_REQUEST_PARAMETER',
    ]);
  });
}

test('the file has the same orders, one line each, and only masked consumers for a viewer', async () => {
  const lines = (await csvOf(operator)).trim().split('\r\n');
  assert.equal(lines.length, 3);
  assert.match(lines[1] ?? '', /TEA-2.*236\.00.*asha@example\.com/);
  assert.doesNotMatch(await csvOf(viewer), /asha@example|9876543210/);
});

test('an export is in the audit log, with its filter and who made it', async () => {
  const reply = await operator.get('/orders.csv?status=new&from=2026-01-01T00:00:00Z&mode=UPI');
  assert.equal(reply.status, 200);
  const entries = (await auditOf(service, shop.accountId)).filter(
    ({ action }) => action === 'orders.exported',
  );
  const { email, userId, address } = operator;
  const filter = { status: 'new', from: '2026-01-01T00:00:00.000Z', mode: 'UPI' };
  assert.deepEqual(entries.at(-1), {
    actor: email,
    user_id: userId,
    address,
    action: 'orders.exported',
    object: shop.accountId,
    details: { ...filter, masked: false },
  });
  assert.equal((await operator.get('/orders.csv?status=paid')).status, 400);
  assert.equal((await auditOf(service, shop.accountId)).at(-1)?.details.status, 'new');
});

test('an order is in the period that begins at its time, and not in the one that ends there', async () => {
  const [{ order_id: id, created_at: createdAt }] = (await viewer.get('/orders')).body.orders;
  const listed = async (name: string, ms: number) => {
    const time = new Date(Date.parse(createdAt) + ms).toISOString();
    return idsOf((await viewer.get(`/orders?${name}=${time}`)).body).includes(id);
  };
  assert.deepEqual([await listed('from', 0), await listed('from', 1)], [true, false]);
  assert.deepEqual([await listed('to', 0), await listed('to', 1)], [false, true]);
});

test('the overview counts what the lists have', async () => {
  const now = Date.now();
  const period = new URLSearchParams({
    from: new Date(now - 86_400_000).toISOString(),
    to: new Date(now + 3_600_000).toISOString(),
  });
  const { status, body } = await viewer.get(`/overview?${period}`);
  assert.equal(status, 200);
  assert.deepEqual(body.totals.created, [
    { currency: 'INR', orders: 2, payments: 0, amount: '354.00' },
  ]);
  assert.deepEqual(body.totals.paid, [
    { currency: 'INR', orders: 1, payments: 1, amount: '236.00' },
  ]);
  assert.equal(body.totals.success_permille, 1000);
  assert.deepEqual(codeOf(await viewer.get('/overview')), [400, 'INVALID_REQUEST_PARAMETER']);
});

test('another account sees nothing of it, and nobody without a session', async () => {
  assert.deepEqual((await foreigner.get('/orders')).body.orders, []);
  assert.deepEqual((await foreigner.get('/search?text=TEA-1')).body.orders, []);
  assert.equal((await csvOf(foreigner)).trim().split('\r\n').length, 1);
  for (const path of ['/orders', '/search?text=TEA-1', '/orders.csv', '/overview']) {
    assert.equal((await openBrowser(service).get(path)).status, 401, path);
  }
});

async function create(changes: Record<string, unknown>): Promise<string> {
  const reply = await service.call('/api/v3/create-order', {
    token: shop.token,
    body: orderBody(changes),
  });
  assert.equal(reply.status, 200, JSON.stringify(reply.body));
  return reply.body.order_id;
}

function idsOf({ orders }: { orders: { order_id: string }[] }): string[] {
  return orders.map(({ order_id }) => order_id);
}

/** Replies are read as JSON elsewhere. */
async function csvOf(browser: typeof operator): Promise<string> {
  const reply = await fetch(`${service.baseUrl}/dashboard/api/orders.csv`, {
    headers: { cookie: `session=${browser.cookie()}` },
  });
  assert.equal(reply.headers.get('content-type'), 'text/csv; charset=utf-8');
  return reply.text();
}
