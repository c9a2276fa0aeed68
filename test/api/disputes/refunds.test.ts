/** No double loss: what a dispute claims cannot be refunded as well. Contract 17.3 and 17.8. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { refundEvent } from '../../../src/providers/partner/call-partner.ts';
import { answerWith } from '../../support/stub-gateway.ts';
import { dumpTables } from '../../support/test-database.ts';
import { assertInvariants } from '../webhooks/shop.ts';
import { disputeEvent, disputeRecord, openDisputeShop } from './dispute-shop.ts';

let refunds = 0;
const shop = await openDisputeShop((path, response) => {
  const [, paymentId] = /^\/v1\/payments\/(.+)\/refund$/.exec(path) ?? [];
  if (paymentId === undefined) return answerWith(response, 404, {});
  refunds += 1;
  const record = { id: `rfnd_${refunds}_${paymentId}`, payment_id: paymentId, currency: 'INR' };
  return answerWith(response, 200, { ...record, status: 'pending', created_at: 1794800000 });
});
const { availableOf, createPaid, enquireOrder, flagsOf, refund, sendPartner } = shop;

type Fields = Record<string, unknown>;

describe('the amount of a dispute', () => {
  const cases = [
    ['open', 0],
    ['under_review', 0],
    ['lost', 0],
    ['won', 118],
    ['closed', 118],
  ] as const;
  for (const [status, available] of cases) {
    test(`that is ${status} leaves ${available} to refund`, async () => {
      const { orderId, payment } = await createPaid();
      const dispute = disputeRecord(payment, { status });
      await sendPartner(disputeEvent(status, dispute));
      const { refund_details } = (await enquireOrder(orderId)).order;
      assert.equal(refund_details.available_refundable_amount, available);
      assert.equal(refund_details.total_refundable_amount, 118);
    });
  }

  test('counts with those of the other disputes, and is never more than there is', async () => {
    const { orderId, payment } = await createPaid();
    await sendPartner(disputeEvent('created', disputeRecord(payment, { amount: 5000 })));
    assert.equal(await availableOf(orderId), 68);
    await sendPartner(disputeEvent('created', disputeRecord(payment, { amount: 3000 })));
    assert.equal(await availableOf(orderId), 38);
    await sendPartner(disputeEvent('created', disputeRecord(payment)));
    assert.equal(await availableOf(orderId), 0);
  });

  for (const [name, changes] of [
    ['in another currency', { currency: 'USD', amount: 100 }],
    ['without an amount', { amount: undefined }],
    ['of nothing', { amount: 0 }],
  ] as const) {
    test(`${name} blocks the whole payment and is flagged`, async () => {
      const { orderId, payment, transactionId } = await createPaid();
      const dispute = disputeRecord(payment, changes);
      const reply = await sendPartner(disputeEvent('created', dispute));
      assert.equal(reply.body.status, 'needs_review');
      assert.equal(await availableOf(orderId), 0);
      assert.deepEqual(await flagsOf(transactionId), ['dispute_amount_unknown']);
    });
  }
});

describe('a refund of a disputed payment', () => {
  test('beyond the rest is refused with what is left, and changes nothing', async () => {
    const { payment, transactionId } = await createPaid();
    await sendPartner(disputeEvent('created', disputeRecord(payment, { amount: 10000 })));
    const before = await dumpTables(shop.service.database);
    for (const refund_amount of [118, 18.01]) {
      const { status, body } = await refund({ transaction_id: transactionId, refund_amount });
      assert.deepEqual([status, body.error.svc_error_code], [422, 'PAYMENT_DISPUTED']);
      assert.match(JSON.stringify(body), /at most 18\.00 INR/);
    }
    assert.deepEqual(await dumpTables(shop.service.database), before);
    const rest = await refund({ transaction_id: transactionId, refund_amount: 18 });
    assert.equal(rest.status, 200);
    const nothing = await refund({ transaction_id: transactionId });
    assert.equal(nothing.body.error.svc_error_code, 'PAYMENT_DISPUTED');
    assert.match(JSON.stringify(nothing.body), /nothing can still be refunded/);
    assert.deepEqual(await flagsOf(transactionId), []);
  });

  test('without an amount returns what the dispute leaves', async () => {
    const { orderId, payment, transactionId } = await createPaid();
    await sendPartner(disputeEvent('created', disputeRecord(payment, { amount: 10000 })));
    const { body } = await refund({ transaction_id: transactionId });
    assert.equal(body.transaction_type, 'partial_refund');
    assert.equal(await availableOf(orderId), 0);
  });

  for (const status of ['won', 'closed']) {
    test(`is possible again once the dispute is ${status}`, async () => {
      const { payment, transactionId } = await createPaid();
      const dispute = disputeRecord(payment);
      await sendPartner(disputeEvent('created', dispute));
      assert.equal((await refund({ transaction_id: transactionId })).status, 422);
      await sendPartner(disputeEvent(status, { ...dispute, status }, 10));
      assert.equal((await refund({ transaction_id: transactionId })).status, 200);
    });
  }

  test('that crosses the dispute is flagged, in any order, until one of them is over', async () => {
    for (const isFirst of [true, false]) {
      const { payment, transactionId } = await createPaid();
      const dispute = disputeRecord(payment);
      const elsewhere = refundOf(payment, 11800);
      const messages = [elsewhere, disputeEvent('created', dispute)];
      for (const body of isFirst ? messages : messages.reverse()) await sendPartner(body);
      assert.deepEqual(await flagsOf(transactionId), ['refund_and_dispute']);
      await sendPartner(disputeEvent('won', { ...dispute, status: 'won' }, 10));
      assert.deepEqual(await flagsOf(transactionId), []);
    }
  });

  test('and the dispute within what was captured are not flagged', async () => {
    const { payment, transactionId } = await createPaid();
    await sendPartner(refundOf(payment, 1800));
    await sendPartner(disputeEvent('created', disputeRecord(payment, { amount: 10000 })));
    assert.deepEqual(await flagsOf(transactionId), []);
  });

  test('at the same moment as the dispute is refused, or the payment is flagged', async () => {
    const rounds = Array.from({ length: 40 }, createPaid);
    const outcomes = { refused: 0, flagged: 0 };
    for (const { orderId, payment, transactionId } of await Promise.all(rounds)) {
      const [reply] = await Promise.all([
        refund({ transaction_id: transactionId }),
        sendPartner(disputeEvent('created', disputeRecord(payment))),
      ]);
      const flags = await flagsOf(transactionId);
      const available = await availableOf(orderId);
      assert.equal(available, 0);
      if (reply.status === 200) assert.deepEqual(flags, ['refund_and_dispute']);
      else assert.deepEqual([reply.body.error.svc_error_code, flags], ['PAYMENT_DISPUTED', []]);
      outcomes[reply.status === 200 ? 'flagged' : 'refused'] += 1;
    }
    assert.equal(outcomes.refused + outcomes.flagged, 40);
  });
});

test('the invariants hold after all of this', () => assertInvariants(shop));

/** A refund that somebody made at the partner. */
function refundOf(payment: Fields, amount: number): string {
  const refund = { id: `rfnd_${payment.id}`, payment_id: payment.id, amount, currency: 'INR' };
  return refundEvent({ ...refund, status: 'processed', created_at: 1794800000 }).toString();
}
