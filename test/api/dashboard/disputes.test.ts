/** The disputes of an account over HTTP: their order, filters, pages, sums, and the evidence about one. Contract 17.6. */
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { codeOf, join, type Person } from '../../support/dashboard.ts';
import {
  partnerEvent,
  partnerId,
  partnerPayment,
  partnerRefund,
} from '../../support/deliveries.ts';
import { fullOrderBody } from '../../support/order-bodies.ts';
import type { Reply } from '../../support/test-service.ts';
import {
  disputeEvent,
  disputeRecord,
  openDisputeShop,
  openedAt,
} from '../disputes/dispute-shop.ts';
import { gatewayPaymentOf } from '../webhooks/shop.ts';

const shop = await openDisputeShop();
const { service, account, createPaid, sendPartner, sendGateway } = shop;
const stranger = await service.createAccount();
let operator: Person;
let viewer: Person;
let foreigner: Person;
/** Ids of disputes in the order of the list. */
let listed: string[];

const day = 24 * 3_600;
const inDays = (days: number) => openedAt + days * day;

/** A dispute of an order of its own, opened by an event, then moved by others. */
async function dispute(changes: Record<string, unknown>, ...events: string[]) {
  const { payment } = await createPaid();
  const record = disputeRecord(payment, changes);
  for (const [index, event] of ['created', ...events].entries()) {
    const status = statusAfter[event];
    // Final ones are sorted by when they changed.
    service.advanceSeconds(1);
    await sendPartner(disputeEvent(event, { ...record, ...(status && { status }) }, index * 60));
  }
  return record.id as string;
}

const statusAfter: Readonly<Record<string, string | undefined>> = {
  under_review: 'under_review',
  won: 'won',
  lost: 'lost',
  closed: 'closed',
};

before(async () => {
  operator = await join(service, account.accountId, 'operator');
  viewer = await join(service, account.accountId, 'viewer');
  foreigner = await join(service, stranger.accountId, 'owner');
  const won = await dispute({ respond_by: inDays(1) }, 'won');
  const later = await dispute({ respond_by: inDays(9), phase: 'fraud' });
  const bank = await dispute({ respond_by: inDays(5), currency: 'INR' }, 'under_review');
  const none = await dispute({ respond_by: null, amount: 1_000 });
  const same = await dispute({ respond_by: inDays(9) });
  const lost = await dispute({ amount: 5_900, amount_deducted: 5_900 }, 'lost');
  const closed = await dispute({}, 'closed');
  const soon = await dispute({ respond_by: inDays(2) });
  const order = await shop.createOrder();
  await sendGateway(gatewayPaymentOf(order));
  const transaction = { id: '9', type: 'CHARGEBACK', amount: 118, currency: 'INR' };
  await sendGateway(gatewayPaymentOf(order, { transaction }));
  // Of the same deadline, the newest order comes first.
  listed = [soon, bank, same, later, none, `${order.order_id}|9`, closed, lost, won];
});

test('the nearest deadline comes first, then those without one, then the final ones, newest first', async () => {
  const { status, body } = await operator.get('/disputes');
  assert.equal(status, 200);
  assert.deepEqual(idsOf(body), listed);
  assert.equal(body.next, null);
  const [first] = body.disputes;
  const { dispute_id, order_id, invoice_id, transaction_id, changed_at, created_at, ...rest } =
    first;
  assert.equal(dispute_id, listed[0]);
  assert.match(order_id, /^o_/);
  assert.match(invoice_id, /^INV-/);
  assert.ok(transaction_id.startsWith(order_id));
  assert.ok(changed_at > created_at);
  assert.deepEqual(rest, {
    status: 'open',
    phase: 'chargeback',
    reason_code: 'goods_not_received',
    reason: 'The goods did not arrive.',
    amount: '118.00',
    currency: 'INR',
    amount_deducted: '0.00',
    respond_by: new Date(inDays(2) * 1_000).toISOString(),
    action_required: false,
    waits_for_shop: true,
    claims: true,
    provider: 'partner',
    provider_name: 'Razorpay',
  });
});

test('pages of any length make the same list', async () => {
  for (const limit of [1, 2, 4, 5, 6, 9]) {
    const seen: string[] = [];
    for (let after = ''; ; ) {
      const { body } = await operator.get(`/disputes?limit=${limit}${after}`);
      assert.ok(body.disputes.length <= limit);
      seen.push(...idsOf(body));
      if (body.next === null) break;
      after = `&after=${encodeURIComponent(body.next)}`;
    }
    assert.deepEqual(seen, listed, `pages of ${limit}`);
  }
});

const filtered: [query: string, places: number[]][] = [
  ['status=open', [0, 2, 3, 4]],
  ['status=under_review', [1]],
  ['status=lost', [5, 7]],
  ['status=won', [8]],
  ['status=closed', [6]],
  ['phase=fraud', [3]],
  ['provider=bank-gateway', [5]],
  ['provider=partner&status=lost', [7]],
  ['currency=INR', [0, 1, 2, 3, 4, 5, 6, 7, 8]],
  ['currency=USD', []],
];
for (const [query, places] of filtered) {
  test(`filter ${query}`, async () => {
    const wanted = listed.filter((_id, place) => places.includes(place));
    assert.deepEqual(idsOf((await operator.get(`/disputes?${query}`)).body), wanted);
    // Page by page too: a filter must not end a list.
    const { body } = await operator.get(`/disputes?${query}&limit=1`);
    assert.deepEqual(idsOf(body), wanted.slice(0, 1));
  });
}

test('what is not understood is refused', async () => {
  for (const query of ['status=open,lost', 'currency=rupees', 'after=7', 'limit=0', 'reason=x']) {
    assert.deepEqual(
      codeOf(await operator.get(`/disputes?${query}`)),
      [400, 'INVALID_REQUEST_PARAMETER'],
      query,
    );
  }
});

test('sums say what waits for the shop until when, what is with the bank, and what was won and lost', async () => {
  const { body } = await operator.get('/disputes');
  const inr = (amount: string) => [{ currency: 'INR', amount }];
  assert.deepEqual(body.totals, {
    waiting: {
      count: 4,
      claims: inr('364.00'),
      respond_by: new Date(inDays(2) * 1_000).toISOString(),
    },
    under_review: {
      count: 1,
      claims: inr('118.00'),
      respond_by: new Date(inDays(5) * 1_000).toISOString(),
    },
    won: { count: 1, claims: inr('118.00'), respond_by: null },
    lost: { count: 2, claims: inr('177.00'), respond_by: null },
    more_unfinished: false,
    more_ended: false,
  });
  const period = 'from=2026-11-01T00:00:00Z&to=2026-11-02T00:00:00Z';
  const { attention } = (await operator.get(`/overview?${period}`)).body;
  assert.deepEqual(attention.disputes, { ...body.totals.waiting, more: false });
  const { items } = (await operator.get('/review')).body;
  const claims = items.flatMap((item: Reply['body']) => item.dispute ?? []);
  assert.equal(claims.length, 4);
  assert.deepEqual(
    claims.find((claim: Reply['body']) => claim.dispute_id === listed[0]),
    {
      dispute_id: listed[0],
      amount: '118.00',
      currency: 'INR',
      respond_by: new Date(inDays(2) * 1_000).toISOString(),
    },
  );
});

test('the list of orders marks and filters those with a dispute that is not final or was lost', async () => {
  const orderOf = async (place: number) =>
    (await operator.get(`/disputes/${encodeURIComponent(listed[place] ?? '')}`)).body.order
      .order_id;
  const free = [await orderOf(6), await orderOf(8)];
  const { body } = await operator.get('/orders');
  for (const { order_id, disputed } of body.orders) {
    assert.equal(disputed, !free.includes(order_id), order_id);
  }
  const wanted = body.orders.filter((order: Reply['body']) => order.disputed);
  assert.equal(wanted.length, 7);
  for (const query of ['disputed=yes', 'disputed=yes&limit=3', 'disputed=yes&status=completed']) {
    const { body: found } = await operator.get(`/orders?${query}`);
    const expected = query.includes('limit') ? wanted.slice(0, 3) : wanted;
    assert.deepEqual(orderIdsOf(found), orderIdsOf({ orders: expected }), query);
  }
  assert.deepEqual(orderIdsOf((await operator.get('/orders?disputed=yes&status=new')).body), []);
  assert.equal((await operator.get('/orders?disputed=yes&flag=over_refunded')).status, 200);
  const { body: found } = await operator.get(`/search?text=${listed[0]}`);
  assert.deepEqual(orderIdsOf(found), [await orderOf(0)]);
  assert.deepEqual(found.orders[0].reasons, ['dispute_id']);
});

test('the page of an order has its disputes, and what they claim cannot be refunded', async () => {
  const { orderId, payment, transactionId } = await createPaid();
  const record = disputeRecord(payment, { amount: 1_800 });
  await sendPartner(disputeEvent('created', record));
  const { body } = await operator.get(`/orders/${orderId}`);
  assert.deepEqual([body.order.disputed_amount, body.order.available_amount], ['18.00', '100.00']);
  const [shown] = body.payments;
  assert.deepEqual([shown.disputed_amount, shown.available_amount], ['18.00', '100.00']);
  assert.deepEqual(
    body.disputes.map((one: Reply['body']) => [one.dispute_id, one.transaction_id, one.amount]),
    [[record.id, transactionId, '18.00']],
  );
});

test('evidence has the order, the consumer, the payment with its bank reference, what happened, and the events', async () => {
  const { id, order } = await disputedInFull();
  const { status, body } = await operator.get(`/disputes/${id}`);
  assert.equal(status, 200);
  assert.equal(body.dispute.dispute_id, id);
  assert.equal(body.order.order_id, order.order_id);
  assert.equal(body.order.user.email, 'asha@example.com');
  assert.equal(body.order.ip_address, '203.0.113.7');
  assert.equal(body.order.shipping_address[0], '12 Home Lane');
  assert.equal(body.order.items[0].title, 'Tea');
  assert.equal(body.payment.arn, '74537604221222132710984');
  assert.deepEqual(
    body.payment.refunds.map((one: Reply['body']) => [one.amount, one.refund_status]),
    [['18.00', 'succeeded']],
  );
  const sentences = body.timeline.map((step: Reply['body']) => step.text);
  assert.deepEqual(sentences, [
    'Order created for 118.00 INR.',
    'Payment of 118.00 INR succeeded.',
    'Order completed.',
    'Refund of 18.00 INR succeeded.',
    `Dispute ${id} is open.`,
  ]);
  assert.deepEqual(
    body.events.map((one: Reply['body']) => [one.event_type, one.taken_at]),
    ['payment_success', 'order_completed', 'refund_success', 'dispute_created'].map((type) => [
      type,
      null,
    ]),
  );
  assert.equal(body.cut, false);
});

test('the same as text, in which no value can look like a line of its own', async () => {
  const { id, order } = await disputedInFull({
    description: 'Tea\nDisputed payment\n  Status won',
  });
  const reply = await operator.get(`/disputes/${id}/evidence.txt`);
  assert.equal(reply.status, 200);
  assert.match(reply.headers.get('content-type') ?? '', /^text\/plain; charset=utf-8/);
  assert.match(reply.headers.get('content-disposition') ?? '', /attachment/);
  const text = String(reply.body);
  for (const line of [
    `Evidence on dispute ${id}`,
    '  Claimed       118.00 INR',
    '  Reason        The goods did not arrive., goods_not_received',
    '  Answer until  2026-11-23 02:13:20 UTC',
    `  Order ID      ${order.order_id}`,
    '  2 x Tea, TEA-1, 118 INR',
    '  E-mail      asha@example.com',
    '  Phone       +91 9876543210',
    '  IP address  203.0.113.7',
    '  Bank reference  74537604221222132710984',
    'Refunds of this payment',
    'What happened',
  ]) {
    assert.ok(text.split('\n').includes(line), `${line} in\n${text}`);
  }
  assert.match(text, /^ {2}Description {3}Tea\ufffdDisputed payment/m);
  assert.match(text, /^ {2}[\d :-]{19} UTC {2}payment_success evt_\S+, not delivered$/m);
});

test('a viewer sees the same with personal data masked', async () => {
  const { id } = await disputedInFull();
  for (const path of [`/disputes/${id}`, `/disputes/${id}/evidence.txt`]) {
    const { status, body } = await viewer.get(path);
    assert.equal(status, 200);
    const text = JSON.stringify(body);
    assert.doesNotMatch(text, /asha@example|Asha|9876543210|Home Lane|203\.0\.113\.7/, path);
    assert.match(text, /560001 Bengaluru/);
    assert.match(text, /74537604221222132710984/);
  }
});

test('a dispute of another account is answered like one that does not exist', async () => {
  const id = listed[0] ?? '';
  for (const end of ['', '/evidence.txt']) {
    const other = await foreigner.get(`/disputes/${id}${end}`);
    const missing = await foreigner.get(`/disputes/disp_none${end}`);
    assert.deepEqual(codeOf(other), [404, 'NOT_FOUND']);
    assert.deepEqual(other.body, missing.body);
  }
  const { body } = await foreigner.get('/disputes');
  assert.deepEqual([body.disputes, body.totals.waiting.count], [[], 0]);
});

async function disputedInFull(changes: Record<string, unknown> = {}) {
  const order = await shop.createOrder(fullOrderBody({ bank_account: undefined, ...changes }));
  const payment = partnerPayment({
    notes: { svc_order_id: order.order_id },
    acquirer_data: { arn: '74537604221222132710984' },
  });
  await sendPartner(partnerEvent('payment.captured', { payment }));
  const refund = partnerRefund(payment, { amount: 1_800 });
  await sendPartner(partnerEvent('refund.processed', { payment, refund }));
  const id = `disp_${partnerId('pay').slice(4)}`;
  await sendPartner(disputeEvent('created', disputeRecord(payment, { id })));
  return { id, order };
}

function idsOf({ disputes }: Reply['body']): string[] {
  return disputes.map((one: Reply['body']) => one.dispute_id);
}

function orderIdsOf({ orders }: Reply['body']): string[] {
  return orders.map((one: Reply['body']) => one.order_id);
}
