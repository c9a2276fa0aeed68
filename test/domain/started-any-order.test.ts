import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { failureReason } from '../../src/domain/transactions/failure.ts';
import { paymentsOf, type StartedTransaction } from '../../src/domain/transactions/matching.ts';
import {
  applyNotice,
  applyStart,
  type DeliveredNotice,
  decideOrderSummary,
  lacksTarget,
  type OrderState,
} from '../../src/domain/transactions/order-state.ts';
import { addCallResult, type CallResult, type Start } from '../../src/domain/transactions/start.ts';
import { refundSums } from '../../src/domain/transactions/tally.ts';
import type { Transaction } from '../../src/domain/transactions/transaction.ts';
import { getProvider } from '../../src/providers/providers.ts';
import { gatewayBody, partnerEvent, partnerPayment, partnerRefund } from '../support/deliveries.ts';
import {
  arrange,
  expectedMerchant,
  expectedTotal,
  type SetDelivery,
  type SetPlan,
  setPlans,
  writeDeliveries,
} from '../support/delivery-sets.ts';

const seed = Number(process.env.ANY_ORDER_SEED ?? Date.now() % 2 ** 31);
const numRuns = Number(process.env.ANY_ORDER_RUNS ?? 80);
console.log(`started, any order: ${numRuns} sets, seed ${seed} (ANY_ORDER_SEED, ANY_ORDER_RUNS)`);

const orderId = 'o_0123456789abcdef';
const now = new Date('2026-11-15T12:00:00Z');
const emptyOrderState: OrderState = {
  order: {
    orderId,
    amounts: { currency: 'INR', beforeTax: 10_000, tax: 1_800, total: expectedTotal },
    lapsesAt: new Date('2026-11-16T00:00:00Z'),
  },
  transactions: [],
  held: [],
};

const resultNames = ['taken', 'unknown', 'refused'] as const;
type ResultName = (typeof resultNames)[number];

/** The notices of one refund started here, and the references they have. */
const refundPlans = fc.record({
  results: fc.subarray([...resultNames]),
  outcomes: fc.array(fc.constantFrom('created', 'processed', 'failed'), { maxLength: 3 }),
  hasNotes: fc.boolean(),
  isFull: fc.boolean(),
  /** Uses the request id of the refund before it, which is allowed when that one has failed. */
  isUnderSameRequest: fc.boolean(),
});

/** A payment started here: several attempts of the consumer at one checkout, and refunds started here. */
const checkoutPlans = fc.record({
  attempts: setPlans(3).map(ofOneProvider),
  results: fc.subarray([...resultNames]),
  refunds: fc.array(refundPlans, { maxLength: 2 }),
});
type CheckoutPlan = typeof checkoutPlans extends fc.Arbitrary<infer Value> ? Value : never;
type RefundPlan = CheckoutPlan['refunds'][number];

const plans = fc.record({
  checkouts: fc.array(checkoutPlans, { minLength: 1, maxLength: 3 }),
  /** Payments that were not started here. */
  others: fc.option(setPlans(1), { nil: [] }),
});
type Plan = typeof plans extends fc.Arbitrary<infer Value> ? Value : never;

/** One event; `of` is the started transaction that it needs. */
type Event =
  | { readonly kind: 'start'; readonly of: StartedTransaction }
  | { readonly kind: 'result'; readonly of: StartedTransaction; readonly result: CallResult }
  | {
      readonly kind: 'notice';
      readonly of: StartedTransaction | undefined;
      readonly notice: DeliveredNotice;
    };

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
        assert.deepEqual(
          plain(paymentsOf(transactions).filter(({ start }) => !start)),
          plain(attempts.filter((entry) => !shown.has(nameOf(entry)))),
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

function check<Values>(property: fc.IRawProperty<Values>): void {
  fc.assert(property, { seed, numRuns });
}

function ofOneProvider(plan: SetPlan): SetPlan {
  return plan
    .filter(({ provider }) => provider === plan[0]?.provider)
    .map((attempt) =>
      attempt.provider === 'partner' ? attempt : { ...attempt, isNamedByReference: false },
    );
}

function eventsOf({ checkouts, others }: Plan): Event[] {
  const foreign = writeDeliveries(others, { invoiceId: 'INV-1', tag: 'Other' });
  return [
    ...checkouts.flatMap(eventsOfCheckout),
    ...foreign.flatMap((delivery) => noticeEvent(delivery, undefined)),
  ];
}

function eventsOfCheckout({ attempts, results, refunds }: CheckoutPlan, index: number): Event[] {
  const provider = attempts[0]?.provider ?? 'partner';
  const tag = `C${index}`;
  const payment: StartedTransaction = {
    type: 'payment',
    transactionId: `${orderId}-26111410000${index}`,
    provider,
    start: startOf(index, { modeCode: 'upi' }),
  };
  const { transactionId } = payment;
  const deliveries = writeDeliveries(attempts, { invoiceId: transactionId, tag }).map((delivery) =>
    withNotes(delivery, transactionId),
  );
  const providerOrderId = provider === 'partner' ? `order_${tag}` : undefined;
  // Two partner refunds with one request id can only be distinguished by our own id in the notes.
  const isShared = refunds[1]?.isUnderSameRequest ?? false;
  const ofRefunds = refunds.flatMap((plan, number) => {
    const hasNotes = plan.hasNotes || isShared;
    const requestId = `REQ-${tag}-${isShared ? 0 : number}`;
    return eventsOfRefund({ ...plan, hasNotes }, payment, { tag, index, number, requestId });
  });
  return [
    { kind: 'start', of: payment },
    ...results.map(
      (name): Event => ({ kind: 'result', of: payment, result: resultOf(name, providerOrderId) }),
    ),
    ...deliveries.flatMap((delivery) => noticeEvent(delivery, payment)),
    ...ofRefunds,
  ];
}

type RefundNames = {
  readonly tag: string;
  readonly index: number;
  readonly number: number;
  readonly requestId: string;
};

function eventsOfRefund(
  plan: RefundPlan,
  payment: StartedTransaction,
  names: RefundNames,
): Event[] {
  const { tag, index, number, requestId } = names;
  const isPartner = payment.provider === 'partner';
  const transactionId = `${orderId}-26111411000${index * 2 + number}`;
  const paymentPspId = isPartner ? `pay_${tag}0` : `${payment.transactionId}|0-pay`;
  const refund: StartedTransaction = {
    type: 'refund',
    transactionId,
    provider: payment.provider,
    start: {
      ...startOf(60 + index, {}),
      amount: plan.isFull ? expectedTotal : 5_000,
      refund: {
        requestId,
        paymentPspId,
        ...(!isPartner && { pspTransactionId: `${payment.transactionId}|${transactionId}` }),
      },
    },
  };
  const write = isPartner ? partnerRefundEvent : gatewayRefund;
  const deliveries = plan.outcomes.map((outcome, sequence) =>
    write({ outcome, sequence, tag, number, plan, refund, payment, paymentPspId, requestId }),
  );
  return [
    { kind: 'start', of: refund },
    ...plan.results.map(
      (name): Event => ({ kind: 'result', of: refund, result: resultOf(name, undefined) }),
    ),
    ...deliveries.flatMap((delivery) => noticeEvent(delivery, refund)),
  ];
}

type RefundReport = {
  readonly outcome: 'created' | 'processed' | 'failed';
  readonly sequence: number;
  readonly tag: string;
  readonly number: number;
  readonly plan: RefundPlan;
  readonly refund: StartedTransaction;
  readonly payment: StartedTransaction;
  readonly paymentPspId: string;
  readonly requestId: string;
};

function partnerRefundEvent(report: RefundReport): SetDelivery {
  const { outcome, sequence, tag, number, plan, refund, payment } = report;
  const paid = partnerPayment({
    id: report.paymentPspId,
    order_id: `order_${tag}`,
    notes: { svc_transaction_id: payment.transactionId, svc_order_id: orderId },
  });
  const record = partnerRefund(paid, {
    id: `rfnd_own${tag}${number}`,
    amount: refund.start.amount,
    status: outcome === 'created' ? 'pending' : outcome,
    receipt: report.requestId,
    notes: plan.hasNotes
      ? { svc_transaction_id: refund.transactionId, refund_request_id: report.requestId }
      : [],
  });
  return {
    provider: 'partner',
    eventId: `EvOwn${tag}${number}${sequence}`,
    body: partnerEvent(
      `refund.${outcome}`,
      { refund: record },
      { created_at: 1_794_703_700 + sequence },
    ),
  };
}

function gatewayRefund(report: RefundReport): SetDelivery {
  const { outcome, sequence, tag, number, refund, payment } = report;
  const results = { created: 'PENDING', processed: 'SUCCESS', failed: 'FAILURE' };
  return {
    provider: 'bank-gateway',
    eventId: `EvOwn${tag}${number}${sequence}`,
    body: gatewayBody({
      result: results[outcome],
      order: { id: payment.transactionId },
      transaction: {
        id: refund.transactionId,
        type: 'REFUND',
        amount: refund.start.amount / 100,
        targetTransactionId: '0-pay',
        reference: report.requestId,
      },
      timeOfRecord: '2026-11-15T01:00:00Z',
      timeOfLastUpdate: `2026-11-15T01:00:0${sequence + 1}Z`,
    }),
  };
}

function startOf(second: number, more: Partial<Start>): Start {
  return {
    atMs: Date.parse('2026-11-14T10:00:00Z') + second * 1_000,
    amount: expectedTotal,
    currency: 'INR',
    call: 'open',
    ...more,
  };
}

function resultOf(name: ResultName, providerOrderId: string | undefined): CallResult {
  switch (name) {
    case 'taken':
      return { call: 'taken', providerOrderId };
    case 'unknown':
      return { call: 'unknown' };
    case 'refused': {
      const failure = failureReason('PAYMENT_TIMED_OUT', 'The provider never received it.');
      return { call: 'refused', failure, atMs: now.getTime() };
    }
    default:
      return name satisfies never;
  }
}

/** Deliveries of a checkout that was started here contain our ids, if they have notes. */
function withNotes(delivery: SetDelivery, transactionId: string): SetDelivery {
  if (delivery.provider !== 'partner') return delivery;
  const own = { svc_transaction_id: transactionId, svc_order_id: orderId, invoice_id: 'INV-1' };
  const isNotes = (value: unknown) => (value as { invoice_id?: string }).invoice_id !== undefined;
  const body = JSON.parse(JSON.stringify(delivery.body), (name, value) => {
    if (name === 'receipt' && value === transactionId) return orderId;
    return name === 'notes' && isNotes(value) ? own : value;
  });
  return { ...delivery, body };
}

/** Like the service: the delivery key, and the notice from the provider's translator. */
function noticeEvent(delivery: SetDelivery, of: StartedTransaction | undefined): Event[] {
  const { provider: name, eventId, body } = delivery;
  const provider = getProvider(name);
  const header = name === 'partner' ? 'x-razorpay-event-id' : 'x-notification-id';
  const raw = {
    headers: eventId === undefined ? {} : { [header]: eventId },
    body: Buffer.from(typeof body === 'string' ? body : JSON.stringify(body)),
  };
  const translation = provider.translate(raw, { expectedMerchant });
  assert.notEqual(translation.kind, 'unreadable');
  if (translation.kind !== 'notice') return [];
  const contentKey = eventId === undefined ? provider.findContentKey(raw) : undefined;
  const deliveryKey = contentKey ?? createHash('sha256').update(raw.body).digest('hex');
  const notice = { ...translation.notice, provider: name, deliveryKey, receivedAt: now };
  return [{ kind: 'notice', of, notice }];
}

function withoutStarts(events: readonly Event[]): Event[] {
  return events
    .filter(({ kind }) => kind === 'notice')
    .map((event) => ({ ...event, of: undefined }) as Event);
}

type Arrange = (transactions: readonly Transaction[]) => readonly Transaction[];
const asTheyAre: Arrange = (transactions) => transactions;

function applyAll(events: readonly Event[], lie: Arrange = asTheyAre): OrderState {
  return orderStatesOf(events, lie).at(-1)?.orderState ?? emptyOrderState;
}

/** The order state after each event. A start precedes all notices of it, and a void without target is parked. */
function orderStatesOf(events: readonly Event[], lie: Arrange = asTheyAre) {
  let parked: DeliveredNotice[] = [];
  let orderState = emptyOrderState;
  return events.map((event) => {
    if (event.of && !findOwn(orderState, event.of)) orderState = applyStart(orderState, event.of);
    if (event.kind === 'result') orderState = addResult(orderState, event.of, event.result);
    if (event.kind === 'notice') parked.unshift(event.notice);
    // One parked notice may be what another one is parked for.
    for (let count = Number.POSITIVE_INFINITY; parked.length < count; ) {
      count = parked.length;
      const due = parked;
      parked = [];
      for (const notice of due) {
        if (lacksTarget(orderState, notice)) parked.push(notice);
        else orderState = applyNotice(orderState, notice);
      }
    }
    orderState = { ...orderState, transactions: lie(orderState.transactions) };
    return { event, orderState };
  });
}

function addResult(
  orderState: OrderState,
  { transactionId }: StartedTransaction,
  result: CallResult,
): OrderState {
  const known = findOwn(orderState, { transactionId });
  assert.ok(known?.start);
  return applyStart(orderState, { ...known, start: addCallResult(known.start, result) });
}

function findOwn(
  { transactions }: OrderState,
  { transactionId }: Pick<StartedTransaction, 'transactionId'>,
) {
  return transactions.find((entry) => entry.transactionId === transactionId);
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
