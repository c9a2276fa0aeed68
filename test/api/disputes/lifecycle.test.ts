/** A dispute from its first message to its result, as the shop sees it. Contract 17.1, 17.2 and 17.4. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { assertInvariants, assertReceived, gatewayPaymentOf } from '../webhooks/shop.ts';
import { disputeEvent, disputeRecord, openDisputeShop, openedAt } from './dispute-shop.ts';

const shop = await openDisputeShop();
const { createPaid, disputesOf, enquireOrder, listEvents, sendGateway, sendPartner } = shop;

const iso = (seconds: number) => new Date(seconds * 1000).toISOString();

test('a dispute is shown with its payment, and changes neither the payment nor the order', async () => {
  const { orderId, payment, transactionId } = await createPaid();
  const before = await enquireOrder(orderId);
  const dispute = disputeRecord(payment);
  const reply = await sendPartner(disputeEvent('created', dispute, 0, { payment }));
  assertReceived(reply, { status: 'processed', order_id: orderId });
  const after = await enquireOrder(orderId);
  const shown = {
    dispute_id: dispute.id,
    svc_transaction_id: transactionId,
    status: 'open',
    phase: 'chargeback',
    reason_code: 'goods_not_received',
    reason: 'The goods did not arrive.',
    amount: 118,
    currency: 'INR',
    amount_deducted: 0,
    respond_by: iso(openedAt + 600_000),
    action_required: false,
    created_at: iso(openedAt),
  };
  assert.deepEqual(after.transaction[0].disputes, [shown]);
  const claimed = { ...before.order.refund_details, available_refundable_amount: 0 };
  const [transaction] = before.transaction;
  assert.deepEqual(after, {
    transaction: [{ ...transaction, disputes: [shown] }],
    order: { ...before.order, refund_details: claimed },
  });
  const event = (await listEvents(orderId)).at(-1);
  assert.equal(event.event_type, 'dispute_created');
  assert.equal(event.status, 'succeeded');
  assert.deepEqual(event.dispute, shown);
  assert.deepEqual(event.transaction.disputes, [shown]);
});

describe('the events of a dispute', () => {
  const courses: ReadonlyArray<{
    readonly course: ReadonlyArray<readonly [event: string, status: string]>;
    readonly announced: readonly string[];
  }> = [
    {
      course: [
        ['created', 'open'],
        ['action_required', 'open'],
        ['under_review', 'under_review'],
        ['won', 'won'],
      ],
      announced: ['dispute_created', 'dispute_updated', 'dispute_updated', 'dispute_won'],
    },
    {
      course: [
        ['created', 'open'],
        ['lost', 'lost'],
        ['under_review', 'under_review'],
      ],
      announced: ['dispute_created', 'dispute_lost'],
    },
    {
      course: [
        ['created', 'open'],
        ['closed', 'closed'],
      ],
      announced: ['dispute_created', 'dispute_closed'],
    },
    // If the first message is final, one event is sent.
    { course: [['lost', 'lost']], announced: ['dispute_lost'] },
    { course: [['action_required', 'open']], announced: ['dispute_created'] },
  ];
  for (const { course, announced } of courses) {
    test(`${course.map(([event]) => event).join(', ')}: ${announced.join(', ')}`, async () => {
      const { orderId, payment } = await createPaid();
      const record = disputeRecord(payment);
      for (const [index, [event, status]] of course.entries()) {
        const dispute = { ...record, status };
        const reply = await sendPartner(disputeEvent(event, dispute, index));
        assert.match(reply.body.status, /processed|stale/);
      }
      const types = (await listEvents(orderId)).map(({ event_type }) => event_type);
      assert.deepEqual(
        types.filter((type) => type.startsWith('dispute_')),
        announced,
      );
    });
  }
});

test('an answer is required from the event that asks for it until the next event', async () => {
  const { orderId, payment } = await createPaid();
  const record = disputeRecord(payment);
  const required = async () => (await disputesOf(orderId))[0].action_required;
  await sendPartner(disputeEvent('created', record, 0));
  assert.equal(await required(), false);
  // In the same second, and before the event that it follows.
  await sendPartner(disputeEvent('action_required', record, 0));
  assert.equal(await required(), true);
  await sendPartner(disputeEvent('under_review', { ...record, status: 'under_review' }, 5));
  assert.equal(await required(), false);
  await sendPartner(disputeEvent('action_required', record, 9));
  assert.equal(await required(), true);
  assert.equal((await disputesOf(orderId))[0].status, 'under_review');
  await sendPartner(disputeEvent('lost', { ...record, status: 'lost' }, 2));
  assert.equal(await required(), false);
});

test('several disputes of a payment are listed by the time they were opened', async () => {
  const { orderId, payment } = await createPaid();
  const first = disputeRecord(payment, { amount: 5000 });
  const second = disputeRecord(payment, { amount: 1000, created_at: openedAt + 60 });
  await sendPartner(disputeEvent('created', second, 60));
  await sendPartner(disputeEvent('created', first));
  const listed = await disputesOf(orderId);
  assert.deepEqual(
    listed.map(({ dispute_id, amount }: Record<string, unknown>) => [dispute_id, amount]),
    [
      [first.id, 50],
      [second.id, 10],
    ],
  );
});

test('won beside lost is flagged, and lost counts, in any order', async () => {
  for (const order of [
    ['won', 'lost'],
    ['lost', 'won'],
  ]) {
    const { orderId, payment, transactionId } = await createPaid();
    const record = disputeRecord(payment);
    for (const status of order) await sendPartner(disputeEvent(status, { ...record, status }));
    assert.equal((await disputesOf(orderId))[0].status, 'lost');
    assert.deepEqual(await shop.flagsOf(transactionId), ['dispute_conflict']);
  }
});

test('a status that is not known leaves the dispute as it is, and a person is asked', async () => {
  const { orderId, payment } = await createPaid();
  const record = disputeRecord(payment);
  await sendPartner(disputeEvent('created', record));
  const before = await disputesOf(orderId);
  const reply = await sendPartner(disputeEvent('escalated', { ...record, status: 'escalated' }, 5));
  assert.equal(reply.body.status, 'needs_review');
  assert.match(reply.body.message, /status that is not known: escalated/);
  assert.deepEqual(await disputesOf(orderId), before);
});

test('the state of the payment is never read from a dispute', async () => {
  const { orderId, payment } = await createPaid();
  const before = await enquireOrder(orderId);
  const unpaid = { ...payment, status: 'authorized', captured: false, amount_refunded: 11800 };
  const dispute = disputeRecord(payment, { status: 'won' });
  await sendPartner(disputeEvent('won', dispute, 0, { payment: unpaid }));
  const after = await enquireOrder(orderId);
  assert.deepEqual(after.order, before.order);
  assert.equal(after.transaction[0].payment_status, 'succeeded');
});

test('a dispute is parked until its order is known, and until its payment is', async () => {
  const order = await shop.createOrder();
  const { payment } = await createPaid();
  const late = { ...payment, id: `${payment.id}L`, notes: { svc_order_id: order.order_id } };
  const dispute = disputeRecord(late, { status: 'lost', amount_deducted: 11800 });
  for (const records of [{}, { payment: late }] as Record<string, typeof late>[]) {
    const parked = await sendPartner(disputeEvent('lost', dispute, 0, records));
    assert.equal(parked.body.status, 'parked');
  }
  const captured = { entity: 'event', event: 'payment.captured', payload: { payment: late } };
  await sendPartner(captured);
  const [shown] = await disputesOf(order.order_id);
  assert.deepEqual([shown.status, shown.amount_deducted], ['lost', 118]);
  const states = (await shop.listDeliveries()).filter(({ state }) => state === 'parked');
  assert.deepEqual(states, []);
});

describe('a chargeback of the bank gateway', () => {
  const chargeback = (changes: Record<string, unknown> = {}) => ({
    transaction: { id: '9', type: 'CHARGEBACK', amount: 50, currency: 'INR', ...changes },
    timeOfRecord: '2026-11-16T10:00:00.000Z',
  });

  for (const [name, target] of [
    ['that names its payment', { targetTransactionId: '1' }],
    ['that names only its order', {}],
  ] as const) {
    test(`${name} is a lost dispute`, async () => {
      const order = await shop.createOrder();
      await sendGateway(gatewayPaymentOf(order));
      const reply = await sendGateway(gatewayPaymentOf(order, chargeback(target)));
      assertReceived(reply, { status: 'processed', order_id: order.order_id });
      const [transaction] = (await enquireOrder(order.order_id)).transaction;
      assert.deepEqual(transaction.disputes, [
        {
          dispute_id: `${order.order_id}|9`,
          svc_transaction_id: transaction.svc_transaction_id,
          status: 'lost',
          phase: null,
          reason_code: null,
          reason: null,
          amount: 50,
          currency: 'INR',
          amount_deducted: 50,
          respond_by: null,
          action_required: false,
          created_at: '2026-11-16T10:00:00.000Z',
        },
      ]);
      assert.equal(await shop.availableOf(order.order_id), 68);
      const types = (await listEvents(order.order_id)).map(({ event_type }) => event_type);
      assert.deepEqual(types, ['payment_success', 'order_completed', 'dispute_lost']);
    });

    test(`${name} is parked until the payment is known`, async () => {
      const order = await shop.createOrder();
      const parked = await sendGateway(gatewayPaymentOf(order, chargeback(target)));
      assert.equal(parked.body.status, 'parked');
      await sendGateway(gatewayPaymentOf(order));
      assert.equal((await disputesOf(order.order_id))[0].status, 'lost');
    });
  }

  test('that failed took nothing', async () => {
    const order = await shop.createOrder();
    await sendGateway(gatewayPaymentOf(order));
    const failed = { ...chargeback({ targetTransactionId: '1' }), result: 'FAILURE' };
    await sendGateway(gatewayPaymentOf(order, failed));
    const [dispute] = await disputesOf(order.order_id);
    assert.deepEqual([dispute.status, dispute.amount_deducted], ['closed', 0]);
    assert.equal(await shop.availableOf(order.order_id), 118);
  });

  test('of one of two payments of the order that it does not name is for a person', async () => {
    const order = await shop.createOrder();
    await sendGateway(gatewayPaymentOf(order));
    const second = { transaction: { id: '2' }, timeOfRecord: '2026-11-14T10:05:00.000Z' };
    await sendGateway(gatewayPaymentOf(order, second));
    const reply = await sendGateway(gatewayPaymentOf(order, chargeback()));
    assert.deepEqual(
      [reply.body.status, reply.body.message],
      ['needs_review', 'flagged target_unknown'],
    );
  });
});

test('an order token sees no disputes', async () => {
  const order = await shop.createOrder();
  await sendGateway(gatewayPaymentOf(order));
  const transaction = { id: '9', type: 'CHARGEBACK', targetTransactionId: '1' };
  await sendGateway(gatewayPaymentOf(order, { transaction }));
  const { body } = await shop.enquire({}, order.token);
  assert.deepEqual(body.transaction[0].disputes, []);
});

test('the disputes of a refund are none', async () => {
  const { orderId, payment } = await createPaid();
  await sendPartner(disputeEvent('created', disputeRecord(payment, { amount: 100 })));
  const refund = { id: `rfnd_${payment.id}`, payment_id: payment.id, amount: 100, currency: 'INR' };
  const refunded = { entity: 'event', event: 'refund.processed', payload: { refund } };
  await sendPartner(refunded);
  const shown = (await enquireOrder(orderId)).transaction.map(
    ({ transaction_type, disputes }: Record<string, unknown[]>) => [
      transaction_type,
      disputes?.length,
    ],
  );
  assert.deepEqual(shown.sort(), [
    ['partial_refund', 0],
    ['payment', 1],
  ]);
});

test('the invariants hold after all of this', () => assertInvariants(shop));
