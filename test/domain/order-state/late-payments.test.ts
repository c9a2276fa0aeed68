/** Late payments are refunded once, whatever is reported in which order, and the state says so by itself. Contract 19.3. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { type Account, accountDefaults } from '../../../src/domain/accounts/account.ts';
import { listLatePayments } from '../../../src/domain/order-state/late-payments.ts';
import { paymentsOf, refundsOf } from '../../../src/domain/order-state/matching.ts';
import {
  applyNotice,
  applyStart,
  lacksTarget,
  type OrderState,
} from '../../../src/domain/order-state/order-state.ts';
import { linkRefunds, refundBalance } from '../../../src/domain/order-state/refund-links.ts';
import { type SettledOrderState, settle } from '../../../src/domain/order-state/settle.ts';
import type { DeliveredNotice } from '../../../src/domain/payments/notice.ts';
import { refundLatePayments } from '../../../src/use-cases/order-state/refund-late-payments.ts';
import { findNotice } from '../../support/delivered-notice.ts';
import { partnerEvent, partnerPayment } from '../../support/deliveries.ts';
import {
  arrange,
  expectedTotal,
  type SetPlan,
  setPlans,
  writeDeliveries,
} from '../../support/delivery-sets.ts';

const seed = Number(process.env.ANY_ORDER_SEED ?? Date.now() % 2 ** 31);
const numRuns = Number(process.env.ANY_ORDER_RUNS ?? 60);
console.log(`late payments: ${numRuns} sets, seed ${seed} (ANY_ORDER_SEED, ANY_ORDER_RUNS)`);

const orderId = 'o_0123456789abcdef';
/** Before everything that the sets report. */
const lapsesAt = new Date('2026-11-14T00:00:00Z');
const now = new Date('2026-11-16T12:00:00Z');
const emptyState: OrderState = {
  order: {
    orderId,
    amounts: { currency: 'INR', beforeTax: 10_000, tax: 1_800, total: expectedTotal },
    lapsesAt,
  },
  transactions: [],
  held: [],
};

const secret = { value: 'secret', mark: 'secret', expiresAt: null };
const api = { url: 'https://api.example', login: 'login' };
const account: Account = {
  ...accountDefaults,
  name: 'Shop',
  accountId: 'acc_0000000000000000',
  latePayments: 'refund',
  providerApis: { partner: api, 'bank-gateway': api },
  secrets: { 'partner-key-secret': [secret], 'bank-gateway-password': [secret] },
  logo: null,
  endpoints: [],
  suspendedAt: null,
};

describe('any set of deliveries about a lapsed order, in any order and with any repetition', () => {
  test('has at most one refund for each payment, of no more than is available', () => {
    check(setPlans(4), (plan, arrangement) => {
      let before = settle(emptyState, now);
      for (const after of statesOf(arrange(noticesOf(plan), arrangement))) {
        for (const refund of lateRefundsOf(after)) {
          const isNew = !lateRefundsOf(before).some(
            ({ transactionId }) => transactionId === refund.transactionId,
          );
          const payment = linkRefunds(after.transactions).findPaymentOf(refund);
          if (!isNew || !payment) continue;
          const without = after.transactions.filter((entry) => entry !== refund);
          const { availableOf } = refundBalance(without, 'INR');
          assert.ok((refund.amount ?? 0) <= availableOf(payment), 'more than is available');
        }
        before = after;
      }
      assertOneEach(before);
    });
  });

  test('flags the payments that are refunded, and no others, and they complete no order', () => {
    check(setPlans(4), (plan, arrangement) => {
      const state = applyAll(arrange(noticesOf(plan), arrangement));
      const { findPaymentOf } = linkRefunds(state.transactions);
      const refunded = new Set(lateRefundsOf(state).map(findPaymentOf));
      for (const payment of paymentsOf(state.transactions)) {
        assert.equal(payment.flags.includes('refunded_late_payment'), refunded.has(payment));
      }
      // Everything is late, so what is left is what could not be refunded.
      const isPaid = paymentsOf(state.transactions).some(
        (payment) => payment.status === 'succeeded' && !refunded.has(payment),
      );
      if (!isPaid) assert.equal(state.summary.status, 'lapsed');
    });
  });

  test('adds no refund when all of it is reported again', () => {
    check(setPlans(4), (plan, arrangement) => {
      const notices = noticesOf(plan);
      const once = applyAll(notices);
      assert.deepEqual(applyAll(arrange(notices, arrangement), once), once);
    });
  });

  test('folds to the same state again from its refunds and its deliveries', () => {
    check(setPlans(3), (plan, arrangement) => {
      const notices = noticesOf(plan);
      const state = applyAll(arrange(notices, arrangement));
      const announced = { ...emptyState, announcedDuplicates: state.announcedDuplicates ?? [] };
      const started = refundsOf(state.transactions).reduce<OrderState>(
        (before, { start, ...refund }) =>
          start ? applyStart(before, { ...refund, start }) : before,
        announced,
      );
      assert.deepEqual(shownOf(settle(foldAll(notices, started), now)), shownOf(state));
    });
  });
});

describe('payments that all succeeded late', () => {
  const reports = fc.record({
    event: fc.constantFrom('payment.captured', 'order.paid'),
    second: fc.nat({ max: 5 }),
  });
  const before = fc.constantFrom('payment.authorized', 'payment.failed');
  const payments = fc.array(
    fc.record({
      successes: fc.array(reports, { minLength: 1, maxLength: 3 }),
      before: fc.array(before, { maxLength: 2 }),
    }),
    { minLength: 1, maxLength: 4 },
  );

  test('have exactly one refund each, in full, in any order', () => {
    check(payments, (plan, arrangement) => {
      const notices = plan.flatMap((own, index) => [
        ...own.successes.map(({ event, second }) => report(event, index, second)),
        ...own.before.map((event) => report(event, index, 0)),
      ]);
      const state = applyAll(arrange(notices, arrangement));
      assertOneEach(state);
      assert.equal(lateRefundsOf(state).length, plan.length);
      assert.ok(lateRefundsOf(state).every(({ amount }) => amount === expectedTotal));
      assert.equal(state.summary.status, 'lapsed');
    });
  });

  function report(event: string, index: number, second: number): DeliveredNotice {
    const status = event === 'payment.failed' ? 'failed' : 'authorized';
    const isPaid = event === 'payment.captured' || event === 'order.paid';
    const payment = partnerPayment({
      id: `pay_${index}`,
      created_at: 1_794_700_000 + index,
      notes: { invoice_id: 'INV-1' },
      ...(!isPaid && { status, captured: false }),
    });
    const body = partnerEvent(event, { payment }, { created_at: 1_794_700_100 + second });
    const notice = findNotice({ provider: 'partner', body }, lapsesAt);
    assert.ok(notice);
    return notice;
  }
});

function check<Plan>(
  plans: fc.Arbitrary<Plan>,
  property: (plan: Plan, arrangement: number) => void,
): void {
  fc.assert(fc.property(plans, fc.integer(), property), { seed, numRuns });
}

function noticesOf(plan: SetPlan): DeliveredNotice[] {
  const deliveries = writeDeliveries(plan, { invoiceId: 'INV-1', tag: 'Late' });
  return deliveries.flatMap((delivery) => findNotice(delivery, lapsesAt) ?? []);
}

function applyAll(notices: readonly DeliveredNotice[], start = settle(emptyState, now)) {
  return statesOf(notices, start).at(-1) ?? start;
}

/** After each notice, as deliveries are applied: a void or a dispute without its payment is parked, and each success is decided once. */
function statesOf(notices: readonly DeliveredNotice[], start = settle(emptyState, now)) {
  const states: SettledOrderState[] = [];
  let parked: DeliveredNotice[] = [];
  for (const notice of notices) {
    parked.unshift(notice);
    for (let count = Number.POSITIVE_INFINITY; parked.length < count; ) {
      count = parked.length;
      const due = parked;
      parked = [];
      for (const one of due) {
        const before = states.at(-1) ?? start;
        if (lacksTarget(before, one)) parked.push(one);
        else states.push(applyOne(before, one));
      }
    }
  }
  return states;
}

function applyOne(before: SettledOrderState, notice: DeliveredNotice): SettledOrderState {
  const noticed = settle(applyNotice(before, notice), now);
  const late = listLatePayments(before, noticed, now);
  const after = late.length > 0 ? refundLatePayments(noticed, late, account, now) : noticed;
  const duplicates = after.transactions.filter(({ flags }) => flags.includes('duplicate_capture'));
  return {
    ...after,
    announcedDuplicates: duplicates.map(
      ({ provider, pspTransactionId }) => `${provider} ${pspTransactionId}`,
    ),
  };
}

/** Without any decision. What lacks its target is applied after what creates it. */
function foldAll(notices: readonly DeliveredNotice[], start: OrderState): OrderState {
  let open = notices;
  let state = start;
  while (open.length > 0) {
    const waiting = open.filter((notice) => lacksTarget(state, notice));
    const ready = open.filter((notice) => !waiting.includes(notice));
    const next = ready.length > 0 ? ready : waiting.filter(({ dispute }) => !dispute);
    state = next.reduce(applyNotice, state);
    open = ready.length > 0 ? waiting : [];
  }
  return state;
}

function lateRefundsOf({ transactions }: OrderState) {
  return refundsOf(transactions).filter(({ start }) => start?.refund?.isLate);
}

/** A capture without a target may turn out to belong to no payment, although it was refunded. */
function assertOneEach(state: OrderState): void {
  const { findPaymentOf } = linkRefunds(state.transactions);
  const refunds = lateRefundsOf(state);
  const refunded = refunds.map((refund) => findPaymentOf(refund) ?? refund.paymentPspId);
  assert.equal(new Set(refunded).size, refunds.length, 'a payment is refunded twice');
}

function shownOf({ transactions, summary }: SettledOrderState) {
  const shown = transactions.map(({ notices, transactionId, ...fields }) => ({
    ...fields,
    transactionId: fields.start ? transactionId : 'given at first sight',
    notices: notices.map(({ deliveryKey }) => deliveryKey).sort(),
  }));
  const nameOf = ({ type, pspTransactionId, transactionId }: (typeof shown)[number]) =>
    `${type} ${pspTransactionId} ${transactionId}`;
  return { summary, transactions: shown.sort((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1)) };
}
