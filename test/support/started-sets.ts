/**
 * Random sets of events for one order: payments and refunds that were started here, the results of our calls, and the
 * notices of both providers. `applyAll` applies them in the order in which they are given.
 */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { StartedTransaction } from '../../src/domain/order-state/matching.ts';
import { addOperationResult } from '../../src/domain/order-state/operations.ts';
import {
  applyNotice,
  applyStart,
  lacksTarget,
  type OrderState,
  setOperations,
} from '../../src/domain/order-state/order-state.ts';
import { failureReason } from '../../src/domain/payments/failure.ts';
import type { DeliveredNotice } from '../../src/domain/payments/notice.ts';
import type { RequestedOperation } from '../../src/domain/payments/operation.ts';
import { addCallResult, type CallResult, type Start } from '../../src/domain/payments/start.ts';
import type { Transaction } from '../../src/domain/payments/transaction.ts';
import { findNotice } from './delivered-notice.ts';
import { gatewayBody, partnerEvent, partnerPayment, partnerRefund } from './deliveries.ts';
import {
  expectedTotal,
  type SetDelivery,
  type SetPlan,
  setPlans,
  writeDeliveries,
} from './delivery-sets.ts';

export const orderId = 'o_0123456789abcdef';
export const now = new Date('2026-11-15T12:00:00Z');
export const emptyOrderState: OrderState = {
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

/** A capture or void that was requested here, and the results of its calls. At the gateway it is also a record. */
const operationPlans = fc.record({
  kind: fc.constantFrom('capture' as const, 'void' as const),
  results: fc.subarray([...resultNames]),
  outcomes: fc.array(fc.constantFrom('PENDING', 'SUCCESS', 'FAILURE'), { maxLength: 3 }),
  isWhole: fc.boolean(),
});
type OperationPlan = typeof operationPlans extends fc.Arbitrary<infer Value> ? Value : never;

/** A payment started here: several attempts of the consumer at one checkout, and refunds started here. */
const checkoutPlans = fc.record({
  attempts: setPlans(3).map(ofOneProvider),
  results: fc.subarray([...resultNames]),
  refunds: fc.array(refundPlans, { maxLength: 2 }),
  operations: fc.array(operationPlans, { maxLength: 2 }),
  isHeld: fc.boolean(),
});
type CheckoutPlan = typeof checkoutPlans extends fc.Arbitrary<infer Value> ? Value : never;
type RefundPlan = CheckoutPlan['refunds'][number];

export const startedPlans = fc.record({
  checkouts: fc.array(checkoutPlans, { minLength: 1, maxLength: 3 }),
  /** Payments that were not started here. */
  others: fc.option(setPlans(1), { nil: [] }),
});
export type StartedPlan = typeof startedPlans extends fc.Arbitrary<infer Value> ? Value : never;

/** One event; `of` is the started transaction that it needs. */
export type Event =
  | { readonly kind: 'start'; readonly of: StartedTransaction }
  | { readonly kind: 'result'; readonly of: StartedTransaction; readonly result: CallResult }
  | {
      readonly kind: 'operation';
      readonly of: StartedTransaction;
      readonly requested: RequestedOperation;
      /** Absent for the request itself. */
      readonly result?: CallResult;
    }
  | {
      readonly kind: 'notice';
      readonly of: StartedTransaction | undefined;
      readonly notice: DeliveredNotice;
    };
function ofOneProvider(plan: SetPlan): SetPlan {
  return plan
    .filter(({ provider }) => provider === plan[0]?.provider)
    .map((attempt) =>
      attempt.provider === 'partner' ? attempt : { ...attempt, isNamedByReference: false },
    );
}

export function eventsOf({ checkouts, others }: StartedPlan): Event[] {
  const foreign = writeDeliveries(others, { invoiceId: 'INV-1', tag: 'Other' });
  return [
    ...checkouts.flatMap(eventsOfCheckout),
    ...foreign.flatMap((delivery) => noticeEvent(delivery, undefined)),
  ];
}

function eventsOfCheckout(plan: CheckoutPlan, index: number): Event[] {
  const { attempts, results, refunds, operations, isHeld } = plan;
  const provider = attempts[0]?.provider ?? 'partner';
  const tag = `C${index}`;
  const payment: StartedTransaction = {
    type: 'payment',
    transactionId: `${orderId}-26111410000${index}`,
    provider,
    start: startOf(index, { modeCode: 'upi', ...(isHeld && { holdDays: 5 }) }),
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
    ...operations.flatMap((own, number) => eventsOfOperation(own, payment, { tag, index, number })),
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

function eventsOfOperation(
  { kind, results, outcomes, isWhole }: OperationPlan,
  payment: StartedTransaction,
  { tag, index, number }: Pick<RefundNames, 'tag' | 'index' | 'number'>,
): Event[] {
  const isPartner = payment.provider === 'partner';
  const operationId = `${payment.transactionId}-${kind[0]}${number}`;
  const pspId = `${payment.transactionId}|${operationId}`;
  const requested: RequestedOperation = {
    operationId,
    kind,
    provider: payment.provider,
    transactionId: payment.transactionId,
    paymentPspId: isPartner ? `pay_${tag}0` : `${payment.transactionId}|0-pay`,
    ...(!isPartner && { pspId }),
    amount: isWhole ? expectedTotal : 5_000,
    currency: 'INR',
    atMs: Date.parse('2026-11-14T11:00:00Z') + (index * 2 + number) * 1_000,
    call: isPartner && kind === 'void' ? 'taken' : 'open',
  };
  const records = outcomes.map(
    (result, sequence): SetDelivery => ({
      provider: 'bank-gateway',
      eventId: `EvOperation${tag}${number}${sequence}`,
      body: gatewayBody({
        result,
        order: { id: payment.transactionId },
        transaction: {
          id: operationId,
          type: kind === 'capture' ? 'CAPTURE' : 'VOID_AUTHORIZATION',
          amount: requested.amount / 100,
          targetTransactionId: '0-pay',
        },
        timeOfRecord: '2026-11-15T02:00:00Z',
        timeOfLastUpdate: `2026-11-15T02:00:0${sequence + 1}Z`,
      }),
    }),
  );
  return [
    { kind: 'operation', of: payment, requested },
    ...results.map(
      (name): Event => ({
        kind: 'operation',
        of: payment,
        requested,
        result: resultOf(name, undefined),
      }),
    ),
    ...(isPartner ? [] : records.flatMap((delivery) => noticeEvent(delivery, payment))),
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

function noticeEvent(delivery: SetDelivery, of: StartedTransaction | undefined): Event[] {
  const notice = findNotice(delivery, now);
  return notice ? [{ kind: 'notice', of, notice }] : [];
}
type Arrange = (transactions: readonly Transaction[]) => readonly Transaction[];
const asTheyAre: Arrange = (transactions) => transactions;

export function applyAll(events: readonly Event[], lie: Arrange = asTheyAre): OrderState {
  return orderStatesOf(events, lie).at(-1)?.orderState ?? emptyOrderState;
}

/** The order state after each event. A start precedes all notices of it, and a void without target is parked. */
export function orderStatesOf(events: readonly Event[], lie: Arrange = asTheyAre) {
  let parked: DeliveredNotice[] = [];
  let orderState = emptyOrderState;
  return events.map((event) => {
    if (event.of && !findOwn(orderState, event.of)) orderState = applyStart(orderState, event.of);
    if (event.kind === 'result') orderState = addResult(orderState, event.of, event.result);
    if (event.kind === 'operation') orderState = addOperation(orderState, event);
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

/** A request is stored before its call, so its results come after it. */
function addOperation(
  orderState: OrderState,
  { requested, result }: Extract<Event, { kind: 'operation' }>,
): OrderState {
  const { operations = [] } = orderState;
  const { operationId } = requested;
  const isKnown = operations.some((entry) => entry.operationId === operationId);
  const known = isKnown ? operations : [...operations, requested];
  return setOperations(orderState, result ? addOperationResult(known, operationId, result) : known);
}

function findOwn(
  { transactions }: OrderState,
  { transactionId }: Pick<StartedTransaction, 'transactionId'>,
) {
  return transactions.find((entry) => entry.transactionId === transactionId);
}
