/** Disputes at both providers, opened and moved by functions, control calls and the page. */
import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { type TestContext, test } from 'node:test';
import { isDisputeStep } from '../../simulator/dispute-steps.ts';
import {
  caller,
  gatewayPath,
  gatewaySecret,
  type Json,
  onlyPayment,
  partnerSecret,
  type Received,
  shopAt,
  startShop,
} from './support.ts';

const steps = ['action_required', 'under_review', 'won', 'lost', 'closed'].filter(isDisputeStep);

test('partner: a dispute is opened, moves and ends; each step is an event that is signed', async (t) => {
  const { simulator, receiver, partner, id } = await payPartner(t);
  const disputeId = (await simulator.disputes.open(id, { amount: 400, phase: 'fraud' })) ?? '';
  assert.match(disputeId, /^disp_[0-9A-Za-z]{14}$/);
  for (const step of steps) assert.equal(await simulator.disputes.move(disputeId, step), true);
  await simulator.settled();
  const events = receiver.received.slice(3);
  assert.deepEqual(
    events.map((request) => {
      const { event } = JSON.parse(request.body);
      const { status, amount_deducted } = entityOf(request, 'dispute');
      return [event, status, amount_deducted];
    }),
    [
      ['payment.dispute.created', 'open', 0],
      ['payment.dispute.action_required', 'open', 0],
      ['payment.dispute.under_review', 'under_review', 0],
      ['payment.dispute.won', 'won', 0],
      ['payment.dispute.lost', 'lost', 400],
      ['payment.dispute.closed', 'closed', 0],
    ],
  );
  for (const { headers, body } of events) {
    const signature = createHmac('sha256', partnerSecret).update(body).digest('hex');
    assert.equal(headers['x-razorpay-signature'], signature);
  }
  const {
    id: _id,
    created_at,
    respond_by,
    reason_description: _reason,
    ...fields
  } = entityOf(events[0], 'dispute');
  assert.deepEqual(fields, {
    entity: 'dispute',
    payment_id: id,
    amount: 400,
    currency: 'INR',
    amount_deducted: 0,
    gateway_dispute_id: null,
    reason_code: 'goods_or_services_not_received_or_partially_received',
    status: 'open',
    phase: 'fraud',
    evidence: { amount: 400, summary: null, submitted_at: null },
  });
  assert.equal(Number(respond_by) - Number(created_at), 7 * 24 * 3600);
  const read = await partner('GET', `/v1/disputes/${disputeId}`);
  assert.deepEqual(read, { status: 200, body: entityOf(events.at(-1), 'dispute') });
});

test('partner: only the payment beside a dispute that was won looks as if it were not captured', async (t) => {
  const { simulator, receiver, partner, id } = await payPartner(t);
  const disputeId = (await simulator.disputes.open(id)) ?? '';
  for (const step of steps) await simulator.disputes.move(disputeId, step);
  await simulator.settled();
  const odd = receiver.received.slice(3).filter((request) => {
    const { status, captured } = entityOf(request, 'payment');
    return status === 'authorized' && captured === false;
  });
  assert.deepEqual(
    odd.map(({ body }) => JSON.parse(body).event),
    ['payment.dispute.won'],
  );
  assert.equal((await partner('GET', `/v1/payments/${id}`)).body.status, 'captured');
});

test('partner: some disputes have no description of the reason', async (t) => {
  const { simulator, receiver, id } = await payPartner(t);
  for (let count = 0; count < 12; count += 1) await simulator.disputes.open(id, { amount: 1 });
  await simulator.settled();
  const disputes = receiver.received.slice(3).map((request) => entityOf(request, 'dispute'));
  assert.equal(new Set(disputes.map((dispute) => dispute.id)).size, 12);
  const kinds = new Set(disputes.map((dispute) => typeof dispute.reason_description));
  assert.deepEqual([...kinds].toSorted(), ['string', 'undefined']);
});

test('partner: asking twice sends two events with ids of their own', async (t) => {
  const { simulator, receiver, id } = await payPartner(t);
  const disputeId = (await simulator.disputes.open(id)) ?? '';
  for (let count = 0; count < 2; count += 1) {
    await simulator.disputes.move(disputeId, 'action_required');
  }
  await simulator.settled();
  const ids = receiver.received.map(({ headers }) => headers['x-razorpay-event-id']);
  assert.equal(new Set(ids).size, ids.length);
});

test('partner: a dispute is read by its own shop only, and an unknown one by nobody', async (t) => {
  const { simulator, partner, id } = await payPartner(t);
  const other = shopAt('http://127.0.0.1:9').partner;
  simulator.register({ partner: { ...other, keyId: 'other' } });
  const disputeId = await simulator.disputes.open(id);
  const asOther = caller(simulator.url, 'other:key-secret');
  for (const answer of [
    await asOther('GET', `/v1/disputes/${disputeId}`),
    await partner('GET', '/v1/disputes/disp_none'),
  ]) {
    assert.equal(answer.status, 400);
    assert.match(JSON.stringify(answer.body), /The id provided does not exist/);
  }
});

test('partner: a payment in a lost dispute can be refunded: the partner does not prevent it', async (t) => {
  const { simulator, id, refundAtPartner } = await payPartner(t);
  await simulator.disputes.move((await simulator.disputes.open(id)) ?? '', 'lost');
  assert.equal((await refundAtPartner(id, {})).body.amount, 1050);
});

test('a payment that is not captured cannot be disputed, nor for more than it is', async (t) => {
  const { simulator, openOrder, id } = await payPartner(t);
  assert.equal(await simulator.disputes.open(id, { amount: 1051 }), undefined);
  assert.equal(await simulator.disputes.open('pay_none'), undefined);
  await simulator.pay(await openOrder('o_2-260101000000'), 'decline');
  const declined = simulator.ledger().payments.find(({ status }) => status === 'failed');
  assert.equal(await simulator.disputes.open(declined?.id ?? ''), undefined);
  assert.equal(await simulator.disputes.move('disp_none', 'won'), false);
  assert.deepEqual(simulator.ledger().disputes, []);
});

test('gateway: chargebacks are notified like other transactions, up to what was captured', async (t) => {
  const { simulator, receiver, gateway, openSession } = await startShop(t);
  await simulator.pay(await openSession());
  const { id } = onlyPayment(simulator);
  const first = await simulator.disputes.open(id, { amount: 400 });
  assert.equal(first, `${id.slice(0, -2)}|chargeback-1`);
  assert.equal(await simulator.disputes.open(id, { amount: 651 }), undefined);
  const rest = (await simulator.disputes.open(id)) ?? '';
  assert.equal(await simulator.disputes.open(id), undefined);
  assert.equal(await simulator.disputes.move(rest, 'won'), false);
  await simulator.settled();
  const [notified] = receiver.received.filter(({ body }) => body.includes('chargeback-2'));
  assert.equal(notified?.headers['x-notification-secret'], gatewaySecret);
  const { body } = await gateway('GET', `${gatewayPath}/order/o_1-260101000000`);
  assert.deepEqual((body as Json).chargeback, { amount: 10.5, currency: 'INR' });
  assert.deepEqual(
    simulator.ledger().disputes.map(({ paymentId, amount, status }) => [paymentId, amount, status]),
    [
      [id, 400, 'lost'],
      [id, 650, 'lost'],
    ],
  );
});

test('dispute-won: the shop is asked, the bank looks at it, and the shop wins', async (t) => {
  const { simulator, receiver, openOrder, openSession } = await startShop(t, {
    scenario: { name: 'dispute-won' },
  });
  await simulator.pay(await openOrder());
  await simulator.pay(await openSession());
  await simulator.settled();
  const words = receiver.received
    .filter(({ path, body }) => path === '/partner' && body.includes('payment.dispute'))
    .map(({ body }) => JSON.parse(body).event.replace('payment.dispute.', ''));
  assert.deepEqual(words, ['created', 'action_required', 'under_review', 'won']);
  // The gateway has no word for a claim that failed.
  assert.equal(simulator.ledger().disputes.length, 1);
});

test('swapped: the result of a dispute arrives before its beginning, and both before the payment', async (t) => {
  const { simulator, receiver, openOrder } = await startShop(t, {
    scenario: { name: 'swapped', behaviour: { disputes: [{ share: 1, steps: ['won'] }] } },
    timeScale: 0.05,
  });
  await simulator.pay(await openOrder());
  await simulator.settled();
  assert.deepEqual(
    receiver.received.map(({ body }) => JSON.parse(body).event),
    [
      'payment.dispute.won',
      'payment.dispute.created',
      'order.paid',
      'payment.captured',
      'payment.authorized',
    ],
  );
});

test('control calls open and move a dispute, and say what is wrong', async (t) => {
  const { simulator, id } = await payPartner(t);
  const post = async (path: string, body: Json) => {
    const response = await fetch(`${simulator.url}/simulator/disputes${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    return { status: response.status, body: (await response.json()) as Json };
  };
  const opened = await post('', { payment_id: id, amount: '4.00', phase: 'retrieval' });
  assert.equal(opened.status, 201);
  assert.deepEqual(opened.body, simulator.ledger().disputes[0]);
  assert.equal(opened.body.amount, 400);
  const moved = await post(`/${opened.body.id}`, { step: 'lost' });
  assert.deepEqual([moved.status, moved.body.status], [200, 'lost']);
  for (const [path, body, why] of [
    ['', {}, /payment_id must be/],
    ['', { payment_id: id, amount: 'x' }, /amount must be/],
    ['', { payment_id: id, amount: 0 }, /amount must be/],
    ['', { payment_id: id, amount: '10.51' }, /less is left/],
    ['', { payment_id: id, phase: 'x' }, /phase must be/],
    [`/${opened.body.id}`, { step: 'x' }, /step must be/],
    ['/disp_none', { step: 'won' }, /no dispute with/],
  ] as const) {
    const refused = await post(path, body);
    assert.equal(refused.status, 400);
    assert.match(String(refused.body.error), why);
  }
});

test('the page offers a dispute for what is captured, and steps for a dispute that is not final', async (t) => {
  const { simulator, openOrder, id } = await payPartner(t);
  await simulator.pay(await openOrder('o_2-260101000000'), 'decline');
  const read = async () => (await fetch(simulator.url)).text();
  const submit = async (path: string, fields: Record<string, string>) => {
    const body = new URLSearchParams(fields);
    const url = `${simulator.url}${path}`;
    const { status, headers } = await fetch(url, { method: 'POST', body, redirect: 'manual' });
    assert.deepEqual([status, headers.get('location')], [303, '/']);
  };
  const before = await read();
  assert.deepEqual(idsIn(before, /name="payment_id" value="([^"]+)"/g), [id]);
  await submit('/simulator/disputes', { payment_id: id, amount: '' });
  const [dispute] = simulator.ledger().disputes;
  const path = `/simulator/disputes/${dispute?.id}`;
  assert.deepEqual(idsIn(await read(), /action="(\/simulator\/disputes\/[^"]+)"/g), [path]);
  await submit(path, { step: 'won' });
  const after = await read();
  assert.match(after, /class="good">won</);
  assert.doesNotMatch(after, new RegExp(`action="${path}"`));
});

async function payPartner(t: TestContext) {
  const shop = await startShop(t);
  await shop.simulator.pay(await shop.openOrder());
  return { ...shop, id: onlyPayment(shop.simulator).id };
}

function entityOf(request: Received | undefined, name: string): Json {
  return JSON.parse(request?.body ?? '').payload[name].entity;
}

function idsIn(page: string, pattern: RegExp): (string | undefined)[] {
  return [...page.matchAll(pattern)].map(([, id]) => id);
}
