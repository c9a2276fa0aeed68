import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { failureReason } from '../../src/domain/transactions/failure.ts';
import { paymentsOf, type Started } from '../../src/domain/transactions/matching.ts';
import {
  applyNotice,
  type DeliveredNotice,
  decideOrderState,
  lacksTarget,
  type OrderState,
  refundSums,
  storeStart,
} from '../../src/domain/transactions/order-state.ts';
import { type CallNews, learn, type Start } from '../../src/domain/transactions/start.ts';
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

const newsNames = ['taken', 'unknown', 'refused'] as const;
type NewsName = (typeof newsNames)[number];

/** What the provider says of one refund of ours, and how it names it. */
const refundPlans = fc.record({
  news: fc.subarray([...newsNames]),
  outcomes: fc.array(fc.constantFrom('created', 'processed', 'failed'), { maxLength: 3 }),
  hasNotes: fc.boolean(),
  isFull: fc.boolean(),
  /** Asked for under the request id of the refund before it, as one may when that one has failed. */
  isUnderSameRequest: fc.boolean(),
});

/** A payment started here: several tries of the consumer at one checkout, and refunds asked for here. */
const checkoutPlans = fc.record({
  tries: setPlans(3).map(ofOneProvider),
  news: fc.subarray([...newsNames]),
  refunds: fc.array(refundPlans, { maxLength: 2 }),
});
type CheckoutPlan = typeof checkoutPlans extends fc.Arbitrary<infer Value> ? Value : never;
type RefundPlan = CheckoutPlan['refunds'][number];

const plans = fc.record({
  checkouts: fc.array(checkoutPlans, { minLength: 1, maxLength: 3 }),
  /** Payments that were started outside. */
  others: fc.option(setPlans(1), { nil: [] }),
});
type Plan = typeof plans extends fc.Arbitrary<infer Value> ? Value : never;

/** One thing that happens; `of` names the transaction of ours without which it cannot. */
type Event =
  | { readonly kind: 'start'; readonly of: Started }
  | { readonly kind: 'news'; readonly of: Started; readonly news: CallNews }
  | { readonly kind: 'notice'; readonly of: Started | undefined; readonly notice: DeliveredNotice };

describe('what was started here with any set of notices, in any order and with any repetition', () => {
  const arrangements = fc.array(fc.integer(), { minLength: 3, maxLength: 3 });

  test('ends in the same state', () => {
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

  test('ends in the same state when all webhooks are faster than the answers to our calls', () => {
    check(
      fc.property(plans, fc.integer(), (plan, arrangement) => {
        const events = eventsOf(plan);
        const late = arrange(events, arrangement).sort(
          (a, b) => Number(a.kind === 'news') - Number(b.kind === 'news'),
        );
        assert.deepEqual(shownOf(applyAll(late)), shownOf(applyAll(events)));
      }),
    );
  });

  test('ends in the same state however the transactions lie in the store', () => {
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

  test('changes nothing when it comes a second time', () => {
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

  test('keeps every notice in exactly one transaction, and every id once', () => {
    check(
      fc.property(plans, fc.integer(), (plan, arrangement) => {
        const events = arrange(eventsOf(plan), arrangement);
        const orderState = applyAll(events);
        const { transactions } = orderState;
        assert.deepEqual(keptIn(orderState), [...new Set(keysOf(events, orderState))].sort());
        const ids = transactions.map(({ transactionId }) => transactionId);
        assert.equal(new Set(ids).size, ids.length);
        const psp = transactions.flatMap((entry) =>
          entry.pspTransactionId === null ? [] : [nameOf(entry)],
        );
        assert.equal(new Set(psp).size, psp.length);
      }),
    );
  });

  test('keeps every id of ours at every moment, and what it was started with', () => {
    check(
      fc.property(plans, fc.integer(), (plan, arrangement) => {
        const begun = new Set<string>();
        for (const { orderState, event } of orderStatesOf(arrange(eventsOf(plan), arrangement))) {
          if (event.of) begun.add(event.of.transactionId);
          const own = orderState.transactions.filter(({ start }) => start !== null);
          assert.deepEqual(new Set(own.map(({ transactionId }) => transactionId)), begun);
        }
      }),
    );
  });

  test('shows the best try under our id, and every other try as if nothing had been started', () => {
    check(
      fc.property(plans, fc.integer(), (plan, arrangement) => {
        const events = arrange(eventsOf(plan), arrangement);
        const { transactions } = applyAll(events);
        const tries = paymentsOf(applyAll(withoutStarts(events)).transactions);
        const shown = new Set<string>();
        for (const own of paymentsOf(transactions).filter(({ start }) => start)) {
          const [best] = tries.filter((entry) => names(entry, own)).sort(byPreference);
          assert.equal(own.pspTransactionId, best?.pspTransactionId ?? null);
          if (best) shown.add(nameOf(best));
        }
        assert.deepEqual(
          plain(paymentsOf(transactions).filter(({ start }) => !start)),
          plain(tries.filter((entry) => !shown.has(nameOf(entry)))),
        );
      }),
    );
  });

  test('flags every success but one as a duplicate capture', () => {
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

function eventsOfCheckout({ tries, news, refunds }: CheckoutPlan, index: number): Event[] {
  const provider = tries[0]?.provider ?? 'partner';
  const tag = `C${index}`;
  const payment: Started = {
    type: 'payment',
    transactionId: `${orderId}-26111410000${index}`,
    provider,
    start: startOf(index, { modeCode: 'upi' }),
  };
  const { transactionId } = payment;
  const deliveries = writeDeliveries(tries, { invoiceId: transactionId, tag }).map((delivery) =>
    withNotes(delivery, transactionId),
  );
  const providerOrderId = provider === 'partner' ? `order_${tag}` : undefined;
  // Under one request id only our own id in the notes can tell two refunds of the partner's apart.
  const isShared = refunds[1]?.isUnderSameRequest ?? false;
  const ofRefunds = refunds.flatMap((plan, number) => {
    const hasNotes = plan.hasNotes || isShared;
    const requestId = `REQ-${tag}-${isShared ? 0 : number}`;
    return eventsOfRefund({ ...plan, hasNotes }, payment, { tag, index, number, requestId });
  });
  return [
    { kind: 'start', of: payment },
    ...news.map(
      (name): Event => ({ kind: 'news', of: payment, news: newsOf(name, providerOrderId) }),
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

function eventsOfRefund(plan: RefundPlan, payment: Started, names: RefundNames): Event[] {
  const { tag, index, number, requestId } = names;
  const isPartner = payment.provider === 'partner';
  const transactionId = `${orderId}-26111411000${index * 2 + number}`;
  const paymentPspId = isPartner ? `pay_${tag}0` : `${payment.transactionId}|0-pay`;
  const refund: Started = {
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
  const deliveries = plan.outcomes.map((outcome, told) =>
    write({ outcome, told, tag, number, plan, refund, payment, paymentPspId, requestId }),
  );
  return [
    { kind: 'start', of: refund },
    ...plan.news.map(
      (name): Event => ({ kind: 'news', of: refund, news: newsOf(name, undefined) }),
    ),
    ...deliveries.flatMap((delivery) => noticeEvent(delivery, refund)),
  ];
}

type ToldRefund = {
  readonly outcome: 'created' | 'processed' | 'failed';
  readonly told: number;
  readonly tag: string;
  readonly number: number;
  readonly plan: RefundPlan;
  readonly refund: Started;
  readonly payment: Started;
  readonly paymentPspId: string;
  readonly requestId: string;
};

function partnerRefundEvent(said: ToldRefund): SetDelivery {
  const { outcome, told, tag, number, plan, refund, payment } = said;
  const paid = partnerPayment({
    id: said.paymentPspId,
    order_id: `order_${tag}`,
    notes: { svc_transaction_id: payment.transactionId, svc_order_id: orderId },
  });
  const record = partnerRefund(paid, {
    id: `rfnd_own${tag}${number}`,
    amount: refund.start.amount,
    status: outcome === 'created' ? 'pending' : outcome,
    receipt: said.requestId,
    notes: plan.hasNotes
      ? { svc_transaction_id: refund.transactionId, refund_request_id: said.requestId }
      : [],
  });
  return {
    provider: 'partner',
    eventId: `EvOwn${tag}${number}${told}`,
    body: partnerEvent(
      `refund.${outcome}`,
      { refund: record },
      { created_at: 1_794_703_700 + told },
    ),
  };
}

function gatewayRefund(said: ToldRefund): SetDelivery {
  const { outcome, told, tag, number, refund, payment } = said;
  const results = { created: 'PENDING', processed: 'SUCCESS', failed: 'FAILURE' };
  return {
    provider: 'bank-gateway',
    eventId: `EvOwn${tag}${number}${told}`,
    body: gatewayBody({
      result: results[outcome],
      order: { id: payment.transactionId },
      transaction: {
        id: refund.transactionId,
        type: 'REFUND',
        amount: refund.start.amount / 100,
        targetTransactionId: '0-pay',
        reference: said.requestId,
      },
      timeOfRecord: '2026-11-15T01:00:00Z',
      timeOfLastUpdate: `2026-11-15T01:00:0${told + 1}Z`,
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

function newsOf(name: NewsName, providerOrderId: string | undefined): CallNews {
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

/** Deliveries of a checkout of ours carry our ids back, where they have notes at all. */
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

/** As the service does it: the key of the delivery, and what the provider's translator makes of it. */
function noticeEvent(delivery: SetDelivery, of: Started | undefined): Event[] {
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

/** The order state after each event; what we start is there before anything is said of it, and a void waits. */
function orderStatesOf(events: readonly Event[], lie: Arrange = asTheyAre) {
  let parked: DeliveredNotice[] = [];
  let orderState = emptyOrderState;
  return events.map((event) => {
    if (event.of && !findOwn(orderState, event.of)) orderState = storeStart(orderState, event.of);
    if (event.kind === 'news') orderState = hear(orderState, event.of, event.news);
    if (event.kind === 'notice') parked.unshift(event.notice);
    // What one of them brings may be what another waits for.
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

function hear(orderState: OrderState, { transactionId }: Started, news: CallNews): OrderState {
  const known = findOwn(orderState, { transactionId });
  assert.ok(known?.start);
  return storeStart(orderState, { ...known, start: learn(known.start, news) });
}

function findOwn({ transactions }: OrderState, { transactionId }: Pick<Started, 'transactionId'>) {
  return transactions.find((entry) => entry.transactionId === transactionId);
}

/** Everything that is shown; only ids that a provider's report was given may differ. */
function shownOf(orderState: OrderState) {
  return {
    order: decideOrderState(orderState, now),
    refundSums: refundSums(orderState.transactions, 'INR'),
    transactions: plain(orderState.transactions),
  };
}

function plain(transactions: readonly Transaction[]) {
  return transactions
    .map(({ notices, transactionId, flags, ...state }) => ({
      ...state,
      startedAs: state.start ? transactionId : null,
      // A duplicate is one by what else there is.
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

function keptIn({ transactions, held }: OrderState): string[] {
  const kept = transactions.flatMap(({ type, notices }) =>
    notices.map(({ deliveryKey }) => `${type} ${deliveryKey}`),
  );
  const unplaced = held.map((entry) =>
    'payment' in entry
      ? `payment ${entry.payment.deliveryKey}`
      : `refund ${entry.refund.deliveryKey}`,
  );
  return [...kept, ...unplaced].sort();
}

/** What must have been kept: all but authentications of what was not started here, and voids of nothing. */
function keysOf(events: readonly Event[], orderState: OrderState): string[] {
  return events.flatMap((event) => {
    if (event.kind !== 'notice') return [];
    const { notice, of } = event;
    const { payment, refund, deliveryKey } = notice;
    const isLeftOut =
      (payment?.record === 'authentication' && !of) ||
      (lacksTarget(orderState, notice) &&
        !keptIn(orderState).some((kept) => kept.endsWith(deliveryKey)));
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
