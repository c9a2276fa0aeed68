import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { paymentsOf } from '../../../src/domain/order-state/matching.ts';
import {
  applyNotice,
  decideOrderSummary,
  lacksTarget,
  type OrderState,
} from '../../../src/domain/order-state/order-state.ts';
import {
  findLatestRefundOf,
  linkRefunds,
  refundTypeOf,
} from '../../../src/domain/order-state/refund-links.ts';
import { settle } from '../../../src/domain/order-state/settle.ts';
import {
  type DeliveredNotice,
  paymentStatuses,
  refundStatuses,
} from '../../../src/domain/payments/notice.ts';
import type { Transaction } from '../../../src/domain/payments/transaction.ts';
import { findNotice } from '../../support/delivered-notice.ts';
import {
  gatewayBody,
  partnerEvent,
  partnerPayment,
  partnerRefund,
} from '../../support/deliveries.ts';
import {
  arrange,
  expectedTotal,
  type SetDelivery,
  type SetPlan,
  setPlans,
  writeDeliveries,
} from '../../support/delivery-sets.ts';
import { refundSums } from '../../support/refund-sums.ts';

const seed = Number(process.env.ANY_ORDER_SEED ?? Date.now() % 2 ** 31);
const numRuns = Number(process.env.ANY_ORDER_RUNS ?? 350);
const fewer = Math.ceil(numRuns / 4);
console.log(`any order: ${numRuns} sets, seed ${seed} (ANY_ORDER_SEED, ANY_ORDER_RUNS)`);

const plans = setPlans(4);

const orderId = 'o_0123456789abcdef';
const createdAt = new Date('2026-11-14T00:00:00Z');
const now = new Date('2026-11-14T12:00:00Z');
const lapsesAt = new Date('2026-11-15T00:00:00Z');
const emptyOrderState: OrderState = {
  order: {
    orderId,
    amounts: { currency: 'INR', beforeTax: 10_000, tax: 1_800, total: expectedTotal },
    lapsesAt,
  },
  transactions: [],
  held: [],
};

describe('any set of deliveries, in any order and with any repetition', () => {
  const arrangements = fc.array(fc.integer(), { minLength: 3, maxLength: 3 });

  test('ends in the same state', () => {
    check(
      fc.property(plans, arrangements, (plan, seeds) => {
        const notices = noticesOf(plan);
        const expected = shownOf(applyAll(notices));
        for (const arrangement of seeds) {
          assert.deepEqual(shownOf(applyAll(arrange(notices, arrangement))), expected);
        }
      }),
    );
  });

  test('gives every transaction the same id, unless a capture without a target comes first', () => {
    check(
      fc.property(plans, arrangements, (plan, seeds) => {
        const notices = noticesOf(plan);
        fc.pre(!notices.some(({ payment }) => isUntargetedCapture(payment)));
        const expected = idsOf(applyAll(notices));
        for (const arrangement of seeds) {
          assert.deepEqual(idsOf(applyAll(arrange(notices, arrangement))), expected);
        }
      }),
    );
  });

  test('changes nothing when it is repeated', () => {
    check(
      fc.property(plans, fc.integer(), (plan, arrangement) => {
        const notices = noticesOf(plan);
        const once = applyAll(notices);
        assert.deepEqual(applyAll(arrange(notices, arrangement), once), once);
      }),
      fewer,
    );
  });

  test('never lowers the status of a partner payment', () => {
    check(
      fc.property(plans, fc.integer(), (plan, arrangement) => {
        let orderState = emptyOrderState;
        for (const next of orderStatesOf(arrange(noticesOf(plan), arrangement))) {
          for (const before of paymentsOf(orderState.transactions)) {
            if (before.provider !== 'partner') continue;
            const after = next.transactions.find(
              (entry) => entry.transactionId === before.transactionId,
            );
            assert.ok(after, `${before.transactionId} is gone`);
            assert.ok(rankOf(after) >= rankOf(before), `${before.status} became ${after.status}`);
          }
          orderState = next;
        }
      }),
      fewer,
    );
  });

  test('never changes the id of a payment', () => {
    check(
      fc.property(plans, fc.integer(), (plan, arrangement) => {
        // No provider captures a payment that it declined.
        fc.pre(!plan.some(isDeclined));
        let orderState = emptyOrderState;
        for (const next of orderStatesOf(arrange(noticesOf(plan), arrangement))) {
          const ids = new Set(next.transactions.map(({ transactionId }) => transactionId));
          for (const { transactionId } of paymentsOf(orderState.transactions)) {
            assert.ok(ids.has(transactionId), `${transactionId} is gone`);
          }
          orderState = next;
        }
      }),
      fewer,
    );
  });

  test('never shows a larger amount than the provider reports', () => {
    check(
      fc.property(plans, fc.integer(), (plan, arrangement) => {
        const orderState = applyAll(arrange(noticesOf(plan), arrangement));
        assertNoMoreThanReported(settle(orderState, lapsesAt));
      }),
      fewer,
    );
  });

  test('flags every successful payment but one as a duplicate, and nothing else', () => {
    check(
      fc.property(plans, (plan) => {
        const { transactions } = applyAll(noticesOf(plan));
        const flagged = transactions.filter(({ flags }) => flags.includes('duplicate_capture'));
        const successes = paymentsOf(transactions).filter(({ status }) => status === 'succeeded');
        assert.equal(flagged.length, Math.max(0, successes.length - 1));
        assert.ok(
          flagged.every((entry) => entry.type === 'payment' && entry.status === 'succeeded'),
        );
      }),
      fewer,
    );
  });

  test('completes the order exactly when a payment succeeded with the expected amount', () => {
    check(
      fc.property(plans, (plan) => {
        const orderState = applyAll(noticesOf(plan));
        const isPaid = paymentsOf(orderState.transactions).some(
          ({ status, currency, amount, customerFee, offerDiscount }) =>
            status === 'succeeded' &&
            currency === 'INR' &&
            [0, customerFee ?? 0].some(
              (fee) => (amount ?? 0) - fee + (offerDiscount ?? 0) === expectedTotal,
            ),
        );
        assert.equal(decideOrderSummary(orderState, now).status === 'completed', isPaid);
      }),
      fewer,
    );
  });
});

describe('a payment', () => {
  const failed = partner('payment.failed', { error_reason: 'payment_declined', status: 'failed' });
  const authorized = partner('payment.authorized', { status: 'authorized' });
  const captured = partner('payment.captured');

  const cases = [
    {
      title: 'that succeeded is not changed by a late failure',
      set: [captured, failed],
      is: 'succeeded',
    },
    {
      title: 'that is authorized is not changed by a late failure',
      set: [authorized, failed],
      is: 'authorized',
    },
    {
      title: 'that failed and is then captured is succeeded',
      set: [failed, captured],
      is: 'succeeded',
    },
    {
      title: 'that succeeded is not changed by a late authorisation',
      set: [captured, authorized],
      is: 'succeeded',
    },
    { title: 'that only failed is failed', set: [failed], is: 'failed' },
  ];
  for (const { title, set, is } of cases) {
    test(title, () => {
      const [payment, ...others] = paymentsOf(applyAll(set).transactions);
      assert.equal(others.length, 0);
      assert.equal(payment?.status, is);
      assert.equal(payment?.failure?.code, is === 'failed' ? 'DECLINED_BY_BANK' : undefined);
    });
  }

  test('that is pending and then successful with the same gateway ids is one succeeded payment', () => {
    const [payment, ...others] = applyAll([
      gateway({ result: 'SUCCESS', timeOfLastUpdate: '2026-11-14T10:05:00Z' }),
      gateway({
        result: 'PENDING',
        response: { gatewayCode: 'PENDING', acquirerMessage: 'Wait' },
        timeOfLastUpdate: '2026-11-14T10:00:40Z',
      }),
    ]).transactions;
    assert.equal(others.length, 0);
    assert.equal(payment?.status, 'succeeded');
    assert.equal(payment?.message, 'Approved');
    assert.equal(payment?.finishedAtMs, Date.parse('2026-11-14T10:05:00Z'));
  });

  const authorization = gateway({ transaction: { id: '1', type: 'AUTHORIZATION' } });

  test('that is captured in parts is authorized until the whole is captured', () => {
    const first = capture('2', 50, 50);
    const second = capture('3', 68, 118);
    assert.equal(stateOf([authorization, first]).order.status, 'pending');
    assert.deepEqual(statusesOf([authorization, first]), ['authorized']);
    assert.deepEqual(statusesOf([second, authorization, first]), ['succeeded']);
    assert.equal(stateOf([first, authorization, second]).order.status, 'completed');
  });

  const voids = (result: string) =>
    gateway({
      result,
      response: { gatewayCode: result === 'SUCCESS' ? 'APPROVED' : result },
      transaction: { id: '4', type: 'VOID_CAPTURE', targetTransactionId: '3' },
      timeOfLastUpdate: result === 'PENDING' ? '2026-11-14T10:20:00Z' : '2026-11-14T10:30:00Z',
    });

  test('is authorized again after a void of its capture, even if the void arrives first', () => {
    const whole = capture('3', 118, 118);
    assert.deepEqual(statusesOf([authorization, whole, voids('SUCCESS')]), ['authorized']);
    assert.deepEqual(statusesOf([voids('SUCCESS'), whole, authorization]), ['authorized']);
  });

  test('is reversing while its void is pending, and succeeded again when the void fails', () => {
    const paid = [authorization, capture('3', 118, 118)];
    assert.deepEqual(statusesOf([...paid, voids('PENDING')]), ['reversing']);
    assert.deepEqual(statusesOf([...paid, voids('PENDING'), voids('FAILURE')]), ['succeeded']);
    assert.deepEqual(statusesOf([voids('FAILURE'), voids('PENDING'), ...paid]), ['succeeded']);
  });

  test('whose authentication failed is a failed attempt, separate from the one that succeeds', () => {
    const authentication = gateway({
      transaction: { id: 'auth', type: 'AUTHENTICATION' },
      order: { authenticationStatus: 'AUTHENTICATION_UNSUCCESSFUL' },
      timeOfRecord: '2026-11-14T10:00:10Z',
    });
    const passed = gateway({ transaction: { id: 'auth2', type: 'AUTHENTICATION' } });
    assert.deepEqual(statusesOf([passed]), []);
    assert.deepEqual(statusesOf([authentication, passed, gateway({})]), ['failed', 'succeeded']);
    assert.equal(stateOf([authentication, gateway({})]).order.status, 'completed');
  });
});

describe('an order', () => {
  test('is new without attempts, pending after the first, completed by a payment of the right amount', () => {
    assert.equal(stateOf([]).order.status, 'new');
    assert.equal(
      stateOf([partner('payment.failed', { status: 'failed' })]).order.status,
      'pending',
    );
    assert.deepEqual(stateOf([partner('payment.captured')]).order, {
      status: 'completed',
      attempts: 1,
      flags: [],
      heldUntilMs: null,
    });
  });

  test('lapses after 15 failed attempts, not after 14, and is completed by a late success', () => {
    const attempts = Array.from({ length: 15 }, (_, index) =>
      partner('payment.failed', {
        id: `pay_${index}`,
        status: 'failed',
        created_at: 1794700000 + index,
      }),
    );
    const late = partner('payment.captured', { id: 'pay_3', created_at: 1794700003 });
    assert.equal(stateOf(attempts.slice(1)).order.status, 'pending');
    assert.deepEqual(stateOf(attempts).order, {
      status: 'lapsed',
      attempts: 15,
      flags: [],
      heldUntilMs: null,
    });
    assert.equal(stateOf([...attempts, late]).order.status, 'completed');
    assert.equal(stateOf([late, ...attempts]).order.status, 'completed');
  });

  test('lapses when its time is over, and is completed by a late success', () => {
    const failed = applyAll([partner('payment.failed', { status: 'failed' })]);
    assert.equal(decideOrderSummary(emptyOrderState, lapsesAt).status, 'lapsed');
    assert.equal(decideOrderSummary(failed, new Date(lapsesAt.getTime() - 1)).status, 'pending');
    assert.equal(decideOrderSummary(failed, lapsesAt).status, 'lapsed');
    const paid = applyAll([partner('payment.captured')]);
    assert.equal(decideOrderSummary(paid, lapsesAt).status, 'completed');
  });

  test('is pending again when its payment is reversed, which is flagged', () => {
    const reversal = gateway({
      transaction: { id: '2', type: 'VOID_PAYMENT', targetTransactionId: '1' },
      timeOfLastUpdate: '2026-11-14T11:00:00Z',
    });
    for (const set of [
      [gateway({}), reversal],
      [reversal, gateway({})],
    ]) {
      const { order, transactions } = stateOf(set);
      assert.equal(order.status, 'pending');
      assert.deepEqual(
        transactions.map(({ status, flags }) => [status, flags]),
        [['reversed', ['payment_reversed']]],
      );
      assert.equal(decideOrderSummary(applyAll(set), lapsesAt).status, 'lapsed');
    }
  });

  test('stays completed when one of its two successful payments is reversed', () => {
    const other = partner('payment.captured');
    const reversal = gateway({
      transaction: { id: '2', type: 'VOID_PAYMENT', targetTransactionId: '1' },
    });
    const { order, transactions } = stateOf([gateway({}), other, reversal]);
    assert.equal(order.status, 'completed');
    assert.ok(!transactions.some(({ flags }) => flags.includes('duplicate_capture')));
  });

  test('keeps a second successful payment and flags the later one, in any order of arrival', () => {
    const first = partner('payment.captured', {}, { created_at: 1794700010 });
    const second = partner(
      'payment.captured',
      { id: 'pay_second', created_at: 1794700001 },
      { created_at: 1794700020 },
    );
    for (const set of [
      [first, second],
      [second, first],
    ]) {
      assert.deepEqual(
        applyAll(set)
          .transactions.filter(({ flags }) => flags.includes('duplicate_capture'))
          .map(({ pspTransactionId }) => pspTransactionId),
        ['pay_second'],
      );
    }
  });

  const differing = [
    { name: 'amount', fields: { amount: 11_700 }, flag: 'amount_mismatch' },
    { name: 'currency', fields: { currency: 'USD' }, flag: 'currency_mismatch' },
  ];
  for (const { name, fields, flag } of differing) {
    test(`is not completed by another ${name}, which is recorded and flagged`, () => {
      const { order, transactions } = stateOf([partner('payment.captured', fields)]);
      assert.equal(order.status, 'pending');
      const [payment] = transactions;
      assert.equal(payment?.status, 'succeeded');
      assert.deepEqual(payment?.flags, [flag]);
      assert.equal(payment?.amount, fields.amount ?? 11_800);
      assert.equal(payment?.currency, fields.currency ?? 'INR');
    });
  }

  test("is completed by an amount that includes the consumer's fee, and by no other excess", () => {
    const withFee = { amount: 12_036, fee: 236 };
    const borne = stateOf([partner('payment.captured', { ...withFee, fee_bearer: 'customer' })]);
    assert.equal(borne.order.status, 'completed');
    assert.deepEqual(borne.transactions[0]?.flags, []);
    const excess = stateOf([partner('payment.captured', { ...withFee, fee_bearer: 'platform' })]);
    assert.equal(excess.order.status, 'pending');
    assert.deepEqual(excess.transactions[0]?.flags, ['amount_mismatch']);
  });

  test('is completed by a notification for another merchant, which is flagged', () => {
    const { order, transactions } = stateOf([gateway({ merchant: 'SOMEBODY_ELSE' })]);
    assert.equal(order.status, 'completed');
    assert.deepEqual(transactions[0]?.flags, ['merchant_mismatch']);
  });
});

describe('refunds', () => {
  const captured = partner('payment.captured');

  test('that are reported both failed and succeeded are succeeded and flagged as a conflict', () => {
    const processed = refund('refund.processed', {});
    const failed = refund('refund.failed', { status: 'failed' });
    for (const set of [
      [captured, processed, failed],
      [failed, processed, captured],
    ]) {
      const { transactions } = stateOf(set);
      const [given] = transactions.filter(({ type }) => type === 'refund');
      assert.equal(given?.status, 'succeeded');
      assert.deepEqual(given?.flags, ['refund_conflict']);
      assert.equal(given?.failure, null);
    }
  });

  test('of more than was paid flag the order, even while they are pending', () => {
    const half = refund('refund.processed', { amount: 5_900 });
    const more = refund('refund.created', { id: 'rfnd_2', amount: 5_901, status: 'pending' });
    assert.deepEqual(stateOf([captured, half]).order.flags, []);
    assert.deepEqual(stateOf([captured, half, more]).order.flags, ['over_refunded']);
    assert.deepEqual(stateOf([more, captured, half]).order.flags, ['over_refunded']);
    const failed = refund('refund.failed', { id: 'rfnd_2', amount: 5_901, status: 'failed' });
    assert.deepEqual(stateOf([more, failed, captured, half]).order.flags, []);
  });

  test('are summed by their status, in the currency of the order', () => {
    const { transactions } = applyAll([
      captured,
      refund('refund.processed', { id: 'rfnd_1', amount: 1_000 }),
      refund('refund.processed', { id: 'rfnd_2', amount: 2_000 }),
      refund('refund.created', { id: 'rfnd_3', amount: 4_000, status: 'pending' }),
      refund('refund.failed', { id: 'rfnd_4', amount: 8_000, status: 'failed' }),
      refund('refund.processed', { id: 'rfnd_5', amount: 500, currency: 'USD' }),
    ]);
    assert.deepEqual(refundSums(transactions, 'INR'), {
      paid: 11_800,
      refunded: 3_000,
      pending: 4_000,
    });
  });

  test('that are reported with two different payments are one refund', () => {
    const first = refund('refund.created', { status: 'pending', amount: 100 });
    const other = partnerRefund(partnerPayment({ id: 'pay_two' }), { id: 'rfnd_1', amount: 100 });
    const second = only({
      provider: 'partner',
      body: partnerEvent('refund.processed', { refund: other }),
    });
    for (const set of [
      [captured, first, second],
      [second, captured, first],
    ]) {
      const refunds = applyAll(set).transactions.filter(({ type }) => type === 'refund');
      assert.deepEqual(
        refunds.map(({ pspTransactionId, status }) => [pspTransactionId, status]),
        [['rfnd_1', 'succeeded']],
      );
    }
  });

  test('that arrive before their payment include it, and it is not counted twice', () => {
    const { order, transactions } = stateOf([refund('refund.processed', {}), captured]);
    assert.deepEqual(order, {
      status: 'completed',
      attempts: 1,
      flags: [],
      heldUntilMs: null,
    });
    assert.deepEqual(
      transactions.map(({ type, status }) => [type, status]),
      [
        ['payment', 'succeeded'],
        ['refund', 'succeeded'],
      ],
    );
  });
});

function check<Values>(property: fc.IRawProperty<Values>, runs = numRuns): void {
  fc.assert(property, { seed, numRuns: runs });
}

function noticesOf(plan: SetPlan): DeliveredNotice[] {
  const deliveries = writeDeliveries(plan, { invoiceId: 'INV-1', tag: 'Set1' });
  return deliveries.flatMap((delivery) => findNotice(delivery, createdAt) ?? []);
}

/** Each delivery arrives later than the previous one; the result must not depend on it. */
function applyAll(notices: readonly DeliveredNotice[], start = emptyOrderState): OrderState {
  return orderStatesOf(notices, start).at(-1) ?? start;
}

/** The order state after each notice; a void that arrives before its payment is parked and retried. */
function orderStatesOf(notices: readonly DeliveredNotice[], start = emptyOrderState): OrderState[] {
  let parked: DeliveredNotice[] = [];
  let orderState = start;
  return notices.map((notice, index) => {
    const receivedAt = new Date(createdAt.getTime() + index * 1000);
    parked.unshift({ ...notice, receivedAt });
    // One parked notice may be what another one is parked for.
    for (let count = Number.POSITIVE_INFINITY; parked.length < count; ) {
      count = parked.length;
      const due = parked;
      parked = [];
      for (const one of due) {
        if (lacksTarget(orderState, one)) parked.push(one);
        else orderState = applyNotice(orderState, one);
      }
    }
    return orderState;
  });
}

/** Everything an enquiry shows, and the flags; the order of the notices does not matter. */
function shownOf(orderState: OrderState) {
  const { transactions } = orderState;
  const links = linkRefunds(transactions);
  const shown = transactions.map((transaction) => {
    const { notices: _folded, ...state } = transaction;
    const latest =
      transaction.type === 'payment' ? findLatestRefundOf(transaction, links) : undefined;
    return {
      ...state,
      transactionId: 'given at first sight',
      transactionType:
        transaction.type === 'refund' ? refundTypeOf(transaction, links, expectedTotal) : 'payment',
      latestRefund: latest?.pspTransactionId,
    };
  });
  return {
    order: decideOrderSummary(orderState, now),
    afterLapse: settledOf(orderState, lapsesAt),
    refundSums: refundSums(transactions, 'INR'),
    transactions: shown.sort((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1)),
  };
}

/** The state after time has passed. */
function settledOf(orderState: OrderState, at: Date) {
  const { summary, transactions } = settle(orderState, at);
  const shown = transactions.map((entry) => `${nameOf(entry)} ${entry.status} ${entry.amount}`);
  return { summary, transactions: shown.sort(), refundSums: refundSums(transactions, 'INR') };
}

function isDeclined(attempt: SetPlan[number]): boolean {
  return (
    attempt.provider === 'bank-gateway' &&
    attempt.updates.some(({ result }) => result === 'FAILURE')
  );
}

function isUntargetedCapture(payment: DeliveredNotice['payment']): boolean {
  return payment?.record === 'capture' && payment.targetPspId === undefined;
}

/** Does not depend on the placement: counts each capture or payment of a provider's order once, and its total. */
function assertNoMoreThanReported({ transactions, held }: OrderState): void {
  const shown = paymentsOf(transactions);
  const notices = [
    ...shown.flatMap((payment) => payment.notices),
    ...held.flatMap((entry) => ('payment' in entry ? [entry.payment] : [])),
  ].filter(({ record }) => record === undefined || record === 'capture');
  const orders = Map.groupBy(
    notices,
    ({ pspOrder, pspTransactionId }) => pspOrder ?? pspTransactionId,
  );
  for (const [pspOrder, own] of orders) {
    const amounts = new Map<string, number>();
    for (const { pspTransactionId, status, amount = 0 } of own) {
      if (status !== 'succeeded') continue;
      amounts.set(pspTransactionId, Math.max(amount, amounts.get(pspTransactionId) ?? 0));
    }
    const reported = [...amounts.values()].reduce((sum, amount) => sum + amount, 0);
    const paid = shown
      .filter(({ status }) => status === 'succeeded')
      .filter(({ notices: [first] }) => (first?.pspOrder ?? first?.pspTransactionId) === pspOrder)
      .reduce((sum, { amount }) => sum + (amount ?? 0), 0);
    assert.ok(paid <= reported, `${pspOrder}: ${paid} shown, ${reported} reported`);
    const totals = own.flatMap(({ capturedTotal }) => capturedTotal ?? []);
    const largest = Math.max(...totals.map(({ amount }) => amount));
    // A void that could cancel several payments cancels none, and is flagged.
    const isComparable = totals.length === own.length && own.length > 0 && held.length === 0;
    assert.ok(
      !isComparable || paid <= largest,
      `${pspOrder}: ${paid} shown of ${largest} captured`,
    );
  }
}

function idsOf({ transactions }: OrderState) {
  return transactions.map((entry) => `${nameOf(entry)} is ${entry.transactionId}`).sort();
}

function nameOf({
  type,
  provider,
  pspTransactionId,
}: Pick<Transaction, 'type' | 'provider' | 'pspTransactionId'>) {
  return `${type} ${provider} ${pspTransactionId}`;
}

function rankOf({ type, status }: Transaction): number {
  const ranks: readonly string[] = type === 'payment' ? paymentStatuses : refundStatuses;
  return ranks.indexOf(status);
}

function stateOf(notices: readonly DeliveredNotice[]) {
  const orderState = applyAll(notices);
  return { order: decideOrderSummary(orderState, now), transactions: orderState.transactions };
}

function statusesOf(notices: readonly DeliveredNotice[]) {
  return applyAll(notices)
    .transactions.map(({ status }) => status)
    .sort();
}

type Fields = Record<string, unknown>;

function partner(event: string, fields: Fields = {}, envelope: Fields = {}): DeliveredNotice {
  const payment = partnerPayment({ id: 'pay_one', ...fields });
  return only({ provider: 'partner', body: partnerEvent(event, { payment }, envelope) });
}

function refund(event: string, fields: Fields): DeliveredNotice {
  const payment = partnerPayment({ id: 'pay_one' });
  const record = partnerRefund(payment, { id: 'rfnd_1', ...fields });
  return only({ provider: 'partner', body: partnerEvent(event, { payment, refund: record }) });
}

function gateway(changes: Record<string, unknown>): DeliveredNotice {
  const order = { id: 'INV-1', ...(changes.order as Fields) };
  return only({ provider: 'bank-gateway', body: gatewayBody({ ...changes, order }) });
}

function capture(id: string, amount: number, totalCapturedAmount: number): DeliveredNotice {
  return gateway({
    transaction: { id, type: 'CAPTURE', targetTransactionId: '1', amount },
    order: { totalCapturedAmount },
    timeOfLastUpdate: `2026-11-14T10:0${id}:00Z`,
  });
}

function only(delivery: SetDelivery): DeliveredNotice {
  const notice = findNotice(delivery, createdAt);
  assert.ok(notice);
  return notice;
}
