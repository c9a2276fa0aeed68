/** The page of an order over HTTP: what it shows to whom, and refunds from it. Contract 13.5. */
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { auditOf } from '../../support/audit.ts';
import { codeOf, join, openBrowser, type Person } from '../../support/dashboard.ts';
import { startJourney } from '../../support/journey.ts';
import { fullOrderBody } from '../../support/order-bodies.ts';
import type { Reply } from '../../support/test-service.ts';

const { service, simulator, shop, openShop, createOrder, createPaid, pay, enquire, assertSound } =
  await startJourney();
const stranger = await openShop();
let operator: Person;
let viewer: Person;
let foreigner: Person;
before(async () => {
  operator = await join(service, shop.accountId, 'operator');
  viewer = await join(service, shop.accountId, 'viewer');
  foreigner = await join(service, stranger.accountId, 'owner');
});

test('the page has amounts, consumer, items, and payments with their failures and ids', async () => {
  const orderId = await createOrder(fullOrderBody({ invoice_id: 'PAGE-1' }));
  const failed = await pay(orderId, 'net_banking', 'decline');
  await simulator.settled();
  service.advanceSeconds(1);
  const paid = await pay(orderId, 'upi');
  await simulator.settled();
  const { status, body } = await operator.get(`/orders/${orderId}`);
  assert.equal(status, 200);
  const { order, payments } = body;
  assert.deepEqual(
    [order.invoice_id, order.status, order.attempts, order.flags],
    ['PAGE-1', 'completed', 2, []],
  );
  assert.deepEqual(
    [order.amount_before_tax, order.tax, order.total_amount, order.paid_amount],
    ['100.00', '18.00', '118.00', '118.00'],
  );
  assert.deepEqual([order.refunded_amount, order.available_amount], ['0.00', '118.00']);
  assert.deepEqual(
    [order.user.name, order.user.email, order.user.phone],
    ['Asha Rao', 'asha@example.com', '+91 9876543210'],
  );
  assert.deepEqual(order.shipping_address, [
    '12 Home Lane',
    'MG Road',
    'Opposite the clock tower',
    'Indiranagar',
    '560001 Bengaluru',
    'Karnataka',
  ]);
  assert.deepEqual(
    order.items.map((item: Record<string, unknown>) => [item.title, item.quantity, item.rate]),
    [['Tea', '2', '50']],
  );
  assert.deepEqual(order.custom_attributes[0], { key: 'campaign', value: 'diwali' });
  assert.equal(order.bank_account, '5566');
  assert.doesNotMatch(JSON.stringify(body), /00112233445566/, 'only the end of the bank account');
  // The one that can be refunded comes first.
  assert.deepEqual(
    payments.map((each: Record<string, unknown>) => [each.transaction_id, each.payment_status]),
    [
      [paid, 'succeeded'],
      [failed, 'failed'],
    ],
  );
  const [first, second] = payments;
  assert.deepEqual(
    [first.available_amount, first.origin, first.mode_details.upi_id],
    ['118.00', 'api', 'consumer@okbank'],
  );
  assert.match(first.psp_transaction_id, /^pay_/);
  assert.deepEqual([second.available_amount, second.failure.code], [null, 'INSUFFICIENT_FUNDS']);
  assert.ok(second.failure.message.length > 0);
});

test('a viewer sees the same order with personal data masked, and cannot refund', async () => {
  const { orderId, transactionId } = await createPaid(fullOrderBody({ invoice_id: 'MASKED-1' }));
  const { status, body } = await viewer.get(`/orders/${orderId}`);
  assert.equal(status, 200);
  assert.equal(body.order.user.email, 'a***a@example.com');
  assert.deepEqual(body.order.shipping_address, ['560001 Bengaluru', 'Karnataka']);
  assert.doesNotMatch(JSON.stringify(body), /asha@|Asha|9876543210|MG Road|203\.0\.113/);
  const refused = await refundAs(viewer, orderId, transactionId, '1.00', 'viewer');
  assert.deepEqual(codeOf(refused), [403, 'PERMISSION_DENIED']);
});

test('a refund is made once for one key, whatever is repeated, and is in the audit log', async () => {
  const { orderId, transactionId } = await createPaid();
  const other = await join(service, shop.accountId, 'operator');
  const replies = await Promise.all(
    [operator, operator, other].map((person) =>
      refundAs(person, orderId, transactionId, '18.00', 'once', 'Tea was cold'),
    ),
  );
  await simulator.settled();
  const again = await refundAs(operator, orderId, transactionId, '18', 'once');
  const made = new Set([...replies, again].map(({ body }) => body.transaction_id));
  assert.equal(made.size, 1, JSON.stringify(replies.map(({ body }) => body)));
  assert.equal(again.headers.get('idempotent-replayed'), 'true');
  const { payments, order } = (await operator.get(`/orders/${orderId}`)).body;
  assert.deepEqual([order.refunded_amount, order.available_amount], ['18.00', '100.00']);
  const [{ refunds, refunds_total, refunded_so_far, available_amount }] = payments;
  assert.deepEqual([refunds_total, refunded_so_far, available_amount], [1, '18.00', '100.00']);
  assert.deepEqual([refunds[0].amount, refunds[0].refund_status], ['18.00', 'succeeded']);
  const [refundId] = made;
  const entries = (await auditOf(service, shop.accountId)).filter(
    ({ object }) => object === refundId,
  );
  assert.equal(entries.length, 1);
  const [entry] = entries;
  assert.equal(entry?.action, 'refund.requested');
  assert.ok([operator, other].some(({ email }) => email === entry?.actor));
  assert.ok([operator, other].some(({ address }) => address === entry?.address));
  assert.deepEqual(entry?.details, { payment: transactionId, amount: '18.00', currency: 'INR' });
  const log = (await operator.get('/audit')).body.entries;
  assert.equal(
    log.find((each: { object: string }) => each.object === refundId).note,
    'Tea was cold',
  );
});

test('the same key with another amount is refused: the payment was refunded meanwhile', async () => {
  const { orderId, transactionId } = await createPaid();
  assert.equal((await refundAs(operator, orderId, transactionId, '18.00', 'same')).status, 200);
  const second = await refundAs(operator, orderId, transactionId, '20.00', 'same');
  assert.deepEqual(codeOf(second), [409, 'IDEMPOTENCY_KEY_REUSED']);
  const theirs = await service.call('/api/v3/refund', {
    token: shop.token,
    body: { transaction_id: transactionId, refund_amount: 20 },
    headers: { 'idempotency-key': `${transactionId} same` },
  });
  assert.equal(theirs.status, 200, 'a key of the shop is another key');
});

test('of many who confirm the same dialog at a time, one refunds', async () => {
  const { orderId, transactionId } = await createPaid();
  const other = await join(service, shop.accountId, 'operator');
  const replies = await Promise.all(
    Array.from({ length: 10 }, (_, index) =>
      refundAs(index % 2 ? operator : other, orderId, transactionId, '50.00', `many-${index}`),
    ),
  );
  await simulator.settled();
  const made = replies.filter(({ status }) => status === 200);
  assert.equal(made.length, 1, JSON.stringify(replies.map(({ body }) => body)));
  for (const reply of replies.filter(({ status }) => status !== 200)) {
    assert.deepEqual(codeOf(reply), [409, 'ORDER_CONFLICT']);
    assert.match(
      reply.body.error.svc_merchant_message,
      /^The refunds of this order have changed meanwhile: 50\.00 INR are .*look at the refunds/,
    );
  }
  const index = replies.findIndex(({ status }) => status === 200);
  const again = await refundAs(operator, orderId, transactionId, '50.00', `many-${index}`);
  assert.deepEqual([again.status, again.body], [200, made[0]?.body], 'a repeat is no conflict');
  assert.equal(await refundedOf(orderId), '50.00');
  await assertSound();
});

test('a refund of the shop’s own server meanwhile refuses the one of an open dialog', async () => {
  const { orderId, transactionId } = await createPaid();
  const theirs = await service.call('/api/v3/refund', {
    token: shop.token,
    body: { transaction_id: transactionId, refund_amount: 20 },
  });
  assert.equal(theirs.status, 200);
  const stale = await refundAs(operator, orderId, transactionId, '20.00', 'stale');
  assert.deepEqual(codeOf(stale), [409, 'ORDER_CONFLICT']);
  await simulator.settled();
  assert.equal(await refundedOf(orderId), '20.00');
  const { payments } = (await operator.get(`/orders/${orderId}`)).body;
  const { refunded_so_far: shown } = payments[0];
  // The refused one has not claimed its key.
  const fresh = await refundAs(operator, orderId, transactionId, '20.00', 'stale', '', shown);
  assert.equal(fresh.status, 200, JSON.stringify(fresh.body));
  await simulator.settled();
  assert.equal(await refundedOf(orderId), '40.00');
});

const wrong: [body: Record<string, unknown>, headers: Record<string, string>][] = [
  [{ refund_amount: '-1' }, { 'idempotency-key': 'w' }],
  [{ refund_amount: '0' }, { 'idempotency-key': 'w' }],
  [{ refund_amount: '1,00' }, { 'idempotency-key': 'w' }],
  [{ refund_amount: '1.234' }, { 'idempotency-key': 'w' }],
  [{ refund_amount: 1 }, { 'idempotency-key': 'w' }],
  [{}, { 'idempotency-key': 'w' }],
  [{ refund_amount: '1', refunded_so_far: undefined }, { 'idempotency-key': 'w' }],
  [{ refund_amount: '1', refunded_so_far: 'nothing' }, { 'idempotency-key': 'w' }],
  [{ refund_amount: '1' }, {}],
  [{ refund_amount: '1' }, { 'idempotency-key': 'x'.repeat(256) }],
];
test('wrong input is refused and changes nothing', async () => {
  const { orderId, transactionId } = await createPaid();
  for (const [body, headers] of wrong) {
    const sent = { transaction_id: transactionId, refunded_so_far: '0', ...body };
    const reply = await operator.send('POST', `/orders/${orderId}/refunds`, sent, headers);
    assert.deepEqual(codeOf(reply), [400, 'INVALID_REQUEST_PARAMETER'], JSON.stringify(body));
  }
  const { order } = (await enquire({ order_id: orderId })).body;
  assert.equal(order.refund_details.available_refundable_amount, 118);
});

test('an order of another account is answered like one that does not exist', async () => {
  const { orderId, transactionId } = await createPaid();
  const other = (await createPaid()).orderId;
  const unknown = 'o_0000000000000000';
  for (const id of [orderId, unknown]) {
    assert.deepEqual(codeOf(await foreigner.get(`/orders/${id}`)), [404, 'NOT_FOUND']);
  }
  const attempts: [person: Person, order: string, payment: string][] = [
    [foreigner, orderId, transactionId],
    [foreigner, unknown, `${unknown}-260101000000`],
    [operator, other, transactionId],
  ];
  for (const [person, order, payment] of attempts) {
    assert.equal((await refundAs(person, order, payment, '1.00', 'foreign')).status, 404);
  }
  assert.equal((await openBrowser(service).get(`/orders/${orderId}`)).status, 401);
});

function refundAs(
  person: Person,
  orderId: string,
  transaction_id: string,
  refund_amount: string,
  key: string,
  note = '',
  refunded_so_far = '0.00',
): Promise<Reply> {
  return person.send(
    'POST',
    `/orders/${orderId}/refunds`,
    { transaction_id, refund_amount, refunded_so_far, note },
    { 'idempotency-key': `${transaction_id} ${key}` },
  );
}

async function refundedOf(orderId: string): Promise<string> {
  return (await operator.get(`/orders/${orderId}`)).body.order.refunded_amount;
}
