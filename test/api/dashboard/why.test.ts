/** Why an order is as it is, over HTTP: the same as the explanation and the state say, and masked. Contract 13.5. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { commandLine } from '../../../src/domain/audit.ts';
import { flagIdOf } from '../../../src/domain/inbox/review.ts';
import { ruleSentences } from '../../../src/domain/payments/rules.ts';
import { explainOrder } from '../../../src/use-cases/orders/explain-order.ts';
import { resolveReview } from '../../../src/use-cases/review/resolve-review.ts';
import { codeOf, join, openBrowser } from '../../support/dashboard.ts';
import { partnerEvent, partnerPayment } from '../../support/deliveries.ts';
import { openShop } from '../webhooks/shop.ts';

type Fields = Record<string, unknown>;

const shop = await openShop();
const { service, account } = shop;
const { accountId } = account;
const stranger = await service.createAccount();
const operator = await join(service, accountId, 'operator');
const viewer = await join(service, accountId, 'viewer');
const foreigner = await join(service, stranger.accountId, 'owner');

const { order_id: orderId } = await shop.createOrder({ invoice_id: 'WHY-1' });
const payment = partnerPayment({
  method: 'upi',
  vpa: 'asha@okbank',
  upi: { vpa: 'asha@okbank' },
  notes: { svc_order_id: orderId },
});
const failed = await send('payment.failed', {
  ...payment,
  status: 'failed',
  error_reason: 'payment_declined',
});
const captured = await send('payment.captured', payment);

test('the API says what the explanation says, field by field', async () => {
  const { status, body } = await operator.get(`/orders/${orderId}/why`);
  assert.equal(status, 200);
  const explained = await explainOrder(service.services, { accountId, orderId }, { masked: false });
  assert.ok(explained);
  assert.deepEqual(
    body.timeline.entries.map((entry: Fields) => [entry.kind, entry.at]),
    explained.timeline.entries.map(({ kind, at }) => [kind, at.toISOString()]),
  );
  const [transaction] = explained.transactions;
  const [shown] = body.transactions;
  assert.equal(shown.transaction_id, transaction?.transactionId);
  assert.deepEqual(
    shown.fields.map((field: Fields) => [field.field, field.rule, field.set_by, field.set_by_more]),
    transaction?.fields.map(({ field, rule, setBy, setByMore }) => [
      field,
      rule,
      setBy.map((source) =>
        source.kind === 'delivery' ? { kind: source.kind, delivery_id: source.deliveryId } : source,
      ),
      setByMore,
    ]),
  );
  const fieldOf = (name: string) =>
    shown.fields.find((field: { field: string }) => field.field === name);
  const ofStatus = fieldOf('status');
  assert.deepEqual(ofStatus.lost, [
    {
      source: { kind: 'delivery', delivery_id: failed },
      value: 'failed',
      rule: 'highest-status',
    },
  ]);
  assert.deepEqual(
    [ofStatus.previous.value, ofStatus.previous.cause.delivery_id],
    ['failed', captured],
  );
  assert.equal(body.rules['highest-status'], ruleSentences['highest-status']);
  assert.equal(fieldOf('amount').value, '118.00', 'an amount is a decimal text');
});

test('the values are those of the enquiry and of the page of the order', async () => {
  const { transactions } = (await operator.get(`/orders/${orderId}/why`)).body;
  const [shown] = (await operator.get(`/orders/${orderId}`)).body.payments;
  const [enquired] = (await shop.enquire({ order_id: orderId })).body.transaction;
  const shownOf = (name: string) =>
    transactions[0].fields.find((field: { field: string }) => field.field === name).value;
  assert.equal(shownOf('status'), enquired.payment_status);
  assert.equal(shownOf('status'), shown.payment_status);
  assert.equal(shownOf('psp_transaction_id'), enquired.psp_transaction_id);
  assert.equal(shownOf('amount'), shown.amount);
  assert.equal(Number(shownOf('amount')), enquired.transaction_amount);
  assert.equal(shownOf('payment_mode'), enquired.payment_mode);
  assert.deepEqual(shownOf('sub_payment_mode'), shown.mode_details);
});

test('each delivery has its body, masked for everybody, beside what was understood of it', async () => {
  const path = `/orders/${orderId}/deliveries/${captured}`;
  for (const person of [operator, viewer]) {
    const { status, body } = await person.get(path);
    assert.equal(status, 200);
    assert.equal(JSON.parse(body.body).event, 'payment.captured');
    assert.equal(body.understood.payment.status, 'succeeded');
    assert.equal(body.understood.payment.amount, '118.00');
    assert.equal(body.state, 'processed');
    assert.doesNotMatch(JSON.stringify(body), /asha@|9876543210|x-razorpay-signature/);
  }
  const { order_id: other } = await shop.createOrder();
  for (const [person, order, delivery] of [
    [operator, other, captured],
    [operator, orderId, 'dlv_00000000000000000000000000000000'],
    [foreigner, orderId, captured],
  ] as const) {
    const reply = await person.get(`/orders/${order}/deliveries/${delivery}`);
    assert.deepEqual(codeOf(reply), [404, 'NOT_FOUND']);
  }
});

test('the text for a ticket is the explanation, masked for everybody', async () => {
  const text = await textOf(operator, '');
  assert.match(text, /^Order o_\S+, invoice WHY-1/);
  assert.ok(text.includes(`Delivery ${captured} received: payment.captured`));
  assert.match(text, /a\*\*\*a@okbank/);
  assert.doesNotMatch(text, /asha@|9876543210/);
});

test('a viewer sees no personal data and no notes', async () => {
  const { order_id: id } = await shop.createOrder({ invoice_id: 'WHY-2' });
  const wrong = partnerPayment({ amount: 11_900, notes: { svc_order_id: id } });
  await send('payment.captured', wrong);
  const [first] = (await operator.get(`/orders/${id}`)).body.payments;
  assert.deepEqual(
    first.flags.map((entry: Fields) => [entry.flag, entry.resolved_by]),
    [['amount_mismatch', null]],
  );
  const subject = first.transaction_id;
  const flag = flagIdOf({ accountId, subject, flag: 'amount_mismatch' });
  const note = 'Asha called: asha@example.com';
  await resolveReview(service.services, { id: flag, note, actor: commandLine });
  const [resolved] = (await viewer.get(`/orders/${id}`)).body.payments[0].flags;
  assert.equal(resolved.resolved_by, 'cli');
  assert.match(JSON.stringify((await operator.get(`/orders/${id}/why`)).body), /Asha called/);
  for (const order of [id, orderId]) {
    const { body } = await viewer.get(`/orders/${order}/why`);
    assert.doesNotMatch(JSON.stringify(body), /asha@|Asha called|9876543210/);
  }
});

test('pages are asked for by time and by transaction, and anything else is refused', async () => {
  const [{ transaction_id: only }] = (await viewer.get(`/orders/${orderId}/why`)).body.transactions;
  const early = await viewer.get(`/orders/${orderId}/why?up_to=2020-01-01T00:00:00Z`);
  assert.deepEqual(early.body.timeline.entries, []);
  const behind = await viewer.get(`/orders/${orderId}/why?after=${only}`);
  assert.deepEqual(behind.body.transactions, []);
  for (const query of ['up_to=never', 'after=1', 'sort=up']) {
    const reply = await viewer.get(`/orders/${orderId}/why?${query}`);
    assert.deepEqual(codeOf(reply), [400, 'INVALID_REQUEST_PARAMETER'], query);
  }
});

test('an order of another account is answered like one that does not exist', async () => {
  for (const path of ['why', 'why.txt']) {
    for (const id of [orderId, 'o_0000000000000000']) {
      const reply = await foreigner.get(`/orders/${id}/${path}`);
      assert.deepEqual(codeOf(reply), [404, 'NOT_FOUND'], path);
    }
    assert.equal((await openBrowser(service).get(`/orders/${orderId}/${path}`)).status, 401);
  }
});

async function send(event: string, record: Fields): Promise<string> {
  const reply = await shop.sendPartner(partnerEvent(event, { payment: record }));
  assert.equal(reply.status, 200, JSON.stringify(reply.body));
  return reply.body.delivery_id;
}

/** Replies are read as JSON elsewhere. */
async function textOf(browser: typeof operator, query: string): Promise<string> {
  const path = `/dashboard/api/orders/${orderId}/why.txt${query}`;
  const reply = await fetch(service.baseUrl + path, {
    headers: { cookie: `session=${browser.cookie()}` },
  });
  assert.equal(reply.headers.get('content-type'), 'text/plain; charset=utf-8');
  return reply.text();
}
