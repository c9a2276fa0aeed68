import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { paymentsOf } from '../../../src/domain/order-state/matching.ts';
import {
  decideOrderSummary,
  lacksTarget,
  type OrderState,
} from '../../../src/domain/order-state/order-state.ts';
import type { Payment, Transaction } from '../../../src/domain/payments/transaction.ts';
import { arrange } from '../../support/delivery-sets.ts';
import { refundSums } from '../../support/refund-sums.ts';
import {
  applyAll,
  type Event,
  eventsOf,
  now,
  orderStatesOf,
  startedPlans as plans,
} from '../../support/started-sets.ts';

const seed = Number(process.env.ANY_ORDER_SEED ?? Date.now() % 2 ** 31);
const numRuns = Number(process.env.ANY_ORDER_RUNS ?? 80);
console.log(`started, any order: ${numRuns} sets, seed ${seed} (ANY_ORDER_SEED, ANY_ORDER_RUNS)`);

describe('started transactions with any set of notices, in any order and with any repetition', () => {
  const arrangements = fc.array(fc.integer(), { minLength: 3, maxLength: 3 });

  test('end in the same state', () => {
    check(
      fc.property(plans, arrangements, (plan, seeds) => {
        const events = eventsOf(plan);
        const expected = shownOf(applyAll(events));
        for (const arrangement of seeds) {
          assert.deepEqual(shownOf(applyAll(arrange(events, arrangement))), expected);
        }
      }),
    );
  });

  test('end in the same state when all webhooks arrive before the answers to our calls', () => {
    check(
      fc.property(plans, fc.integer(), (plan, arrangement) => {
        const events = eventsOf(plan);
        const late = arrange(events, arrangement).sort(
          (a, b) => Number(a.kind === 'result') - Number(b.kind === 'result'),
        );
        assert.deepEqual(shownOf(applyAll(late)), shownOf(applyAll(events)));
      }),
    );
  });

  test('end in the same state for any order of the stored transactions', () => {
    check(
      fc.property(plans, fc.integer(), (plan, arrangement) => {
        const events = eventsOf(plan);
        const turned = arrange(events, arrangement);
        assert.deepEqual(
          shownOf(applyAll(turned, (transactions) => transactions.toReversed())),
          shownOf(applyAll(turned)),
        );
      }),
    );
  });

  test('do not change when an event is repeated', () => {
    check(
      fc.property(plans, fc.integer(), (plan, arrangement) => {
        const events = eventsOf(plan);
        const once = applyAll(events);
        assert.deepEqual(
          shownOf(applyAll([...events, ...arrange(events, arrangement)])),
          shownOf(once),
        );
      }),
    );
  });

  test('have every notice in exactly one transaction, and every id once', () => {
    check(
      fc.property(plans, fc.integer(), (plan, arrangement) => {
        const events = arrange(eventsOf(plan), arrangement);
        const orderState = applyAll(events);
        const { transactions } = orderState;
        assert.deepEqual(storedIn(orderState), [...new Set(keysOf(events, orderState))].sort());
        const ids = transactions.map(({ transactionId }) => transactionId);
        assert.equal(new Set(ids).size, ids.length);
        const psp = transactions.flatMap((entry) =>
          entry.pspTransactionId === null ? [] : [nameOf(entry)],
        );
        assert.equal(new Set(psp).size, psp.length);
      }),
    );
  });

  test('keep their id and start at every moment', () => {
    check(
      fc.property(plans, fc.integer(), (plan, arrangement) => {
        const started = new Set<string>();
        for (const { orderState, event } of orderStatesOf(arrange(eventsOf(plan), arrangement))) {
          if (event.of) started.add(event.of.transactionId);
          const own = orderState.transactions.filter(({ start }) => start !== null);
          assert.deepEqual(new Set(own.map(({ transactionId }) => transactionId)), started);
        }
      }),
    );
  });

  test('show the best attempt under our id, and every other attempt like a payment not started here', () => {
    check(
      fc.property(plans, fc.integer(), (plan, arrangement) => {
        const events = arrange(eventsOf(plan), arrangement);
        const { transactions } = applyAll(events);
        const attempts = paymentsOf(applyAll(withoutStarts(events)).transactions);
        const shown = new Set<string>();
        for (const own of paymentsOf(transactions).filter(({ start }) => start)) {
          const [best] = attempts.filter((entry) => names(entry, own)).sort(byPreference);
          assert.equal(own.pspTransactionId, best?.pspTransactionId ?? null);
          if (best) shown.add(nameOf(best));
        }
        // The discount of an offer depends on whether we created its order at the provider.
        const isPlain = ({ start, offerId }: Payment) => !start && offerId === null;
        const own = (payments: readonly Payment[]) =>
          plain(payments.filter(isPlain)).map(({ isDuplicate, flags, ...state }) => ({
            ...state,
            operations: null,
            flags: flags.filter((flag) => !flagsOfRequests.includes(flag)),
          }));
        assert.deepEqual(
          own(paymentsOf(transactions)),
          own(attempts.filter((entry) => !shown.has(nameOf(entry)))),
        );
      }),
    );
  });

  test('have every successful payment but one flagged as a duplicate', () => {
    check(
      fc.property(plans, fc.integer(), (plan, arrangement) => {
        const { transactions } = applyAll(arrange(eventsOf(plan), arrangement));
        const flagged = transactions.filter(({ flags }) => flags.includes('duplicate_capture'));
        const successes = paymentsOf(transactions).filter(({ status }) => status === 'succeeded');
        assert.equal(flagged.length, Math.max(0, successes.length - 1));
        assert.ok(flagged.every((entry) => successes.some((success) => success === entry)));
      }),
    );
  });
});

/** They depend on refunds, captures and voids that were requested here. */
const flagsOfRequests = ['refund_and_dispute', 'captured_after_void', 'payment_reversed'];

function check<Values>(property: fc.IRawProperty<Values>): void {
  fc.assert(property, { seed, numRuns });
}

function withoutStarts(events: readonly Event[]): Event[] {
  return events
    .filter(({ kind }) => kind === 'notice')
    .map((event) => ({ ...event, of: undefined }) as Event);
}

/** Everything that is shown, without the ids of transactions that were not started here, which may differ. */
function shownOf(orderState: OrderState) {
  return {
    order: decideOrderSummary(orderState, now),
    refundSums: refundSums(orderState.transactions, 'INR'),
    transactions: plain(orderState.transactions),
  };
}

function plain(transactions: readonly Transaction[]) {
  return transactions
    .map(({ notices, transactionId, flags, ...state }) => ({
      ...state,
      startedAs: state.start ? transactionId : null,
      // The flag depends on the other transactions.
      flags: flags.filter((flag) => flag !== 'duplicate_capture'),
      isDuplicate: flags.includes('duplicate_capture'),
      notices: notices.map(({ deliveryKey }) => deliveryKey).sort(),
    }))
    .sort((a, b) => (nameOf(a) + a.startedAs < nameOf(b) + b.startedAs ? -1 : 1));
}

function nameOf({
  type,
  provider,
  pspTransactionId,
}: Pick<Transaction, 'type' | 'provider' | 'pspTransactionId'>) {
  return `${type} ${provider} ${pspTransactionId}`;
}

function storedIn({ transactions, held }: OrderState): string[] {
  const stored = transactions.flatMap(({ type, notices }) =>
    notices.map(({ deliveryKey }) => `${type} ${deliveryKey}`),
  );
  const unplaced = held.map((entry) =>
    'payment' in entry
      ? `payment ${entry.payment.deliveryKey}`
      : `refund ${entry.refund.deliveryKey}`,
  );
  return [...stored, ...unplaced].sort();
}

/** The notices that must be stored: all but authentications without a started payment, and voids without a target. */
function keysOf(events: readonly Event[], orderState: OrderState): string[] {
  return events.flatMap((event) => {
    if (event.kind !== 'notice') return [];
    const { notice, of } = event;
    const { payment, refund, deliveryKey } = notice;
    const isLeftOut =
      (payment?.record === 'authentication' && !of) ||
      (lacksTarget(orderState, notice) &&
        !storedIn(orderState).some((stored) => stored.endsWith(deliveryKey)));
    return [
      ...(payment && !isLeftOut ? [`payment ${deliveryKey}`] : []),
      ...(refund && !isLeftOut ? [`refund ${deliveryKey}`] : []),
    ];
  });
}

function names(entry: Transaction, { transactionId, provider, start }: Transaction): boolean {
  if (entry.provider !== provider) return false;
  return entry.notices.some(
    (notice) =>
      notice.names?.transactionIds?.includes(transactionId) ||
      (start?.providerOrderId !== undefined &&
        notice.names?.providerOrderId === start.providerOrderId),
  );
}

const preference = ['succeeded', 'authorized', 'pending', 'reversing', 'reversed', 'failed'];

function byPreference(a: Transaction, b: Transaction): number {
  return (
    preference.indexOf(a.status) - preference.indexOf(b.status) ||
    (a.recordedAtMs ?? 0) - (b.recordedAtMs ?? 0) ||
    ((a.pspTransactionId ?? '') < (b.pspTransactionId ?? '') ? -1 : 1)
  );
}
