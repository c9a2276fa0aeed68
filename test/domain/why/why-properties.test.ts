import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import {
  disputeNoticesByPayment,
  hasUnplacedDispute,
} from '../../../src/domain/order-state/disputes.ts';
import { foldTransaction, type Unfolded } from '../../../src/domain/order-state/matching.ts';
import type { OrderState } from '../../../src/domain/order-state/order-state.ts';
import { ordersCreatedHere } from '../../../src/domain/order-state/relate.ts';
import { settle } from '../../../src/domain/order-state/settle.ts';
import { paymentStatuses, refundStatuses } from '../../../src/domain/payments/notice.ts';
import type { Rule } from '../../../src/domain/payments/rules.ts';
import { paymentNoticeOf, refundNoticesOf } from '../../../src/domain/payments/start.ts';
import type {
  StoredPaymentNotice,
  StoredRefundNotice,
  Transaction,
} from '../../../src/domain/payments/transaction.ts';
import {
  type ExplainedField,
  explainTransaction,
  type Source,
  type TransactionField,
} from '../../../src/domain/why/explain-transaction.ts';
import { arrange, setPlans } from '../../support/delivery-sets.ts';
import {
  applyAll,
  type Event,
  emptyOrderState,
  eventsOf,
  now,
  type StartedPlan,
  startedPlans,
} from '../../support/started-sets.ts';

const seed = Number(process.env.ANY_ORDER_SEED ?? Date.now() % 2 ** 31);
const numRuns = Number(process.env.ANY_ORDER_RUNS ?? 40);
console.log(`why: ${numRuns} sets, seed ${seed} (ANY_ORDER_SEED, ANY_ORDER_RUNS)`);

const reportedPlans = setPlans(4).map((others): StartedPlan => ({ checkouts: [], others }));
const plans = fc.oneof(reportedPlans, startedPlans);
const { amounts: expected, lapsesAt } = emptyOrderState.order;
const times = fc.constantFrom(now, lapsesAt);

type Notice = StoredPaymentNotice | StoredRefundNotice;

/** One field of one transaction, with what explains it. */
type Case = {
  readonly transaction: Transaction;
  readonly field: ExplainedField;
  /** The notices of the provider, and our start as one more. */
  readonly notices: readonly Notice[];
};

describe('what Why says about any set of deliveries', () => {
  test('is the value that the transaction has, for every field that views show', () => {
    check(({ transaction, field }) => {
      assert.deepEqual(field.value, readField(transaction, field.field));
      assert.notEqual(field.rule, 'stored-differently');
    });
    forEachState((orderState) => {
      for (const transaction of orderState.transactions) {
        const names = explain(transaction, orderState).map(({ field }) => field);
        assert.deepEqual(names.toSorted(), shownFields[transaction.type].toSorted());
      }
    });
  });

  test('names every delivery about a dispute of a payment', () => {
    forEachState((orderState) => {
      const { transactions, disputeNotices = [] } = orderState;
      const explained = transactions.flatMap((transaction) => {
        const field = explain(transaction, orderState).find((each) => each.field === 'disputes');
        assert.deepEqual(field?.value ?? null, readField(transaction, 'disputes'));
        assert.equal(field?.value == null, (field?.setBy ?? []).length === 0);
        return field?.setBy.map(keyOf) ?? [];
      });
      assert.equal(new Set(explained).size, explained.length);
      const known = disputeNotices.map(({ deliveryKey }) => deliveryKey);
      if (!hasUnplacedDispute(orderState)) assert.deepEqual(explained.sort(), known.sort());
    });
  });

  test('names something that set every value, and nothing for a field without a value', () => {
    check(({ field: { value, setBy } }) => {
      const isEmpty = value === null || (Array.isArray(value) && value.length === 0);
      if (isEmpty) assert.deepEqual(setBy, []);
      else if (!isUncounted(value)) assert.ok(setBy.length > 0);
    });
  });

  test('names deliveries that carry the value they set', () => {
    check(({ transaction, field, notices }) => {
      const winners = field.setBy.flatMap((source) => noticesFrom(source, notices));
      assertCarried(transaction, field, winners);
    });
  });

  test('names as losers exactly the other deliveries that mention the field, with their values', () => {
    check(({ field, notices }) => {
      for (const { source, value } of field.lost) {
        const mentioned = noticesFrom(source, notices).map((one) => mentionOf(field.field, one));
        assert.ok(mentioned.some((one) => isSame(one, value)));
      }
      if (field.field === 'flags' || field.field === 'parts') return;
      const named = [...field.setBy, ...field.lost.map(({ source }) => source)].map(keyOf);
      const lost = field.lost.map(({ source }) => keyOf(source)).filter((key) => key !== '');
      assert.equal(new Set(lost).size, lost.length);
      for (const notice of notices) {
        const isMentioned = mentionOf(field.field, notice) !== undefined;
        if (isMentioned)
          assert.ok(named.includes(notice.deliveryKey), `${field.field} is mentioned`);
      }
      const ownKeys = field.setBy.map(keyOf).filter((key) => key !== '');
      assert.deepEqual(
        lost.filter((key) => ownKeys.includes(key)),
        [],
      );
    });
  });

  test('states a rule that holds between the winner and each loser', () => {
    check(({ transaction, field, notices }) => {
      const winners = field.setBy.flatMap((source) => noticesFrom(source, notices));
      for (const { source, rule } of field.lost) {
        const [loser] = noticesFrom(source, notices);
        // Where several decide together, a capture loses against a report of itself, and a void against a void.
        const winner =
          winners.find((one) => one.pspTransactionId === loser?.pspTransactionId) ??
          winners.find((one) => kindOf(one) === kindOf(loser)) ??
          winners[0];
        if (winner && loser) assertRule(rule, transaction, winner, loser);
        if (rule !== 'also-reported' || !loser) continue;
        const mention = mentionOf(field.field, loser);
        assert.ok(winners.some((one) => isSame(mentionOf(field.field, one), mention)));
      }
    });
  });

  test('does not change when the losers had not mentioned the field', () => {
    check(({ transaction, field }) => {
      if (!isRefoldable(field)) return;
      const lost = new Set(field.lost.map(({ source }) => keyOf(source)));
      const folded = refold(transaction, field.field, ({ deliveryKey }) => !lost.has(deliveryKey));
      assert.deepEqual(readField(folded, field.field), field.value);
    });
  });

  test('changes when the delivery that set a value had not mentioned the field', () => {
    check(({ transaction, field }) => {
      const isPicked = field.rule === 'highest-report' && field.setBy.length === 1;
      if (!isPicked || !isRefoldable(field)) return;
      const [winner = ''] = field.setBy.map(keyOf);
      // Without a report, a voided refund has a failure of its own, and an offer the missing amount as its discount.
      if (winner === '' || ['failure', 'offerDiscount'].includes(field.field)) return;
      const folded = refold(transaction, field.field, ({ deliveryKey }) => deliveryKey !== winner);
      const next = readField(folded, field.field);
      const candidates = field.lost.map(({ value }) => value);
      assert.ok(next === null || candidates.some((value) => isSame(value, next)));
    });
  });

  test('does not depend on the order in which the deliveries arrived', () => {
    fc.assert(
      fc.property(plans, fc.integer(), times, (plan, arrangement, at) => {
        const events = eventsOf(plan);
        const explained = explainAll(events, at);
        assert.deepEqual(explainAll(arrange(events, arrangement), at), explained);
      }),
      { seed, numRuns },
    );
  });
});

/** Every field but those that follow from other things than the notices of the payment. */
function check(holds: (each: Case) => void): void {
  forEachState((orderState) => {
    for (const transaction of orderState.transactions) {
      const notices = noticesOf(transaction);
      for (const field of explain(transaction, orderState))
        if (!ownSources.includes(field.field)) holds({ transaction, field, notices });
    }
  });
}

const ownSources: readonly TransactionField[] = ['disputes', 'hold', 'operations'];

function forEachState(holds: (orderState: OrderState) => void): void {
  fc.assert(
    fc.property(plans, fc.integer(), times, (plan, arrangement, at) => {
      holds(settle(applyAll(arrange(eventsOf(plan), arrangement)), at));
    }),
    { seed, numRuns },
  );
}

function explain(transaction: Transaction, orderState: OrderState): ExplainedField[] {
  const { transactionId } = transaction;
  return explainTransaction(transaction, {
    expected,
    ordersCreatedHere: ordersCreatedHere(orderState.transactions),
    changes: [],
    disputeNotices: disputeNoticesByPayment(orderState).get(transactionId),
    deliveryIdOf: (key) => key,
  });
}

/** By the provider's ids, because ours may depend on the order of arrival. */
function explainAll(events: readonly Event[], at: Date) {
  const orderState = settle(applyAll(events), at);
  return orderState.transactions
    .map((transaction) => {
      const { type, provider, pspTransactionId, start, transactionId } = transaction;
      const name = `${type} ${provider} ${pspTransactionId} ${start ? transactionId : ''}`;
      return { name, fields: explain(transaction, orderState) };
    })
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}

const common = [
  ...(['status', 'amount', 'currency', 'pspTransactionId', 'message', 'failure'] as const),
  ...(['startedAtMs', 'finishedAtMs', 'flags'] as const),
];
const shownFields: Readonly<Record<Transaction['type'], readonly TransactionField[]>> = {
  payment: [
    ...common,
    ...(['paymentMode', 'subPaymentMode', 'paymentArn', 'paymentAcquirer'] as const),
    ...(['customerFee', 'offerId', 'offerDiscount', 'captures', 'voided'] as const),
    ...(['hold', 'operations', 'disputes'] as const),
  ],
  refund: [
    ...common,
    ...(['refundRequestId', 'refundArn', 'paymentPspId', 'parts', 'voidedPspIds'] as const),
  ],
};

function readField(transaction: Transaction, field: TransactionField): unknown {
  return (transaction as Readonly<Record<string, unknown>>)[field] ?? null;
}

function noticesOf(transaction: Transaction): Notice[] {
  const { type, start, notices } = transaction;
  if (!start) return [...notices];
  return [...notices, ...(type === 'payment' ? [paymentNoticeOf(start)] : refundNoticesOf(start))];
}

function keyOf(source: Source): string {
  return source.kind === 'delivery' ? (source.deliveryId ?? '') : '';
}

function noticesFrom(source: Source, notices: readonly Notice[]): Notice[] {
  if (source.kind === 'order' || source.kind === 'time') return [];
  return notices.filter(({ deliveryKey }) => deliveryKey === keyOf(source));
}

/** What a notice says about a field. */
function mentionOf(field: TransactionField, notice: Notice): unknown {
  const own = notice as Readonly<Record<string, unknown>>;
  const isVoid = notice.record?.startsWith('void');
  switch (field) {
    case 'finishedAtMs':
      return notice.statusSinceMs;
    case 'captures':
      return notice.record === 'capture' ? (notice.amount ?? null) : undefined;
    case 'voided':
    case 'voidedPspIds':
      return isVoid ? notice.status : undefined;
    default:
      return own[field] === '' ? undefined : own[field];
  }
}

/** All captures of a payment may be pending, failed or voided. */
function isUncounted(value: unknown): boolean {
  return Array.isArray(value) && value.every(({ amount }) => amount === 0);
}

function assertCarried(
  transaction: Transaction,
  { field, value, rule, flags }: ExplainedField,
  winners: readonly Notice[],
): void {
  const [winner, ...others] = winners;
  switch (rule) {
    case 'highest-report':
    case 'authorized-amount':
      if (!winner) return;
      assert.deepEqual([others.length, mentionOf(field, winner)], [0, value]);
      return;
    case 'highest-status': {
      const isImplied = winner?.record === 'capture' && value === 'authorized';
      assert.equal(winner?.status, isImplied ? 'succeeded' : value);
      return;
    }
    case 'earliest':
      if (winner) assert.equal(mentionOf(field, winner), value);
      return;
    case 'own-record':
      assert.ok(winner?.pspTransactionId === value || winner?.targetPspId === value);
      return;
    case 'captured-in-full':
    case 'captured-total':
    case 'captures-counted':
      if (transaction.type === 'payment' && transaction.capturedLimit !== null) {
        if (field === 'amount') assert.equal(transaction.capturedLimit, value);
        return;
      }
      assert.ok(
        winners.every(({ record, status }) => record === 'capture' && status === 'succeeded'),
      );
      if (field === 'amount') assert.equal(sumOfCaptures(transaction), value);
      return;
    case 'voided':
    case 'void-pending':
      if (field === 'status') assert.equal(winner?.status, value);
      for (const one of winners) assert.match(one.record ?? '', /^void/);
      return;
    case 'reported-flags':
    case 'follows-from-state':
      assert.deepEqual(flags?.map(({ flag }) => flag) ?? [], value);
      return;
    default:
  }
}

function sumOfCaptures(transaction: Transaction): number {
  const captures = transaction.type === 'payment' ? (transaction.captures ?? []) : [];
  return captures.reduce((sum, { amount }) => sum + amount, 0);
}

/** A void of the payment and one of its authorisation are two kinds of records, and one kind of decision. */
function kindOf(notice: Notice | undefined): string | undefined {
  return notice?.record?.replace(/^void-.*/, 'void');
}

function assertRule(
  rule: Rule,
  { type, status }: Transaction,
  winner: Notice,
  loser: Notice,
): void {
  const ranks: readonly string[] = type === 'payment' ? paymentStatuses : refundStatuses;
  const rankOf = (notice: Notice) => ranks.indexOf(notice.status);
  const timeOf = (notice: Notice) => notice.occurredAtMs ?? 0;
  switch (rule) {
    case 'highest-status':
      assert.ok(rankOf(loser) < rankOf(winner));
      return;
    case 'later-time':
      assert.ok(timeOf(loser) < timeOf(winner));
      return;
    case 'delivery-key':
      assert.equal(timeOf(loser), timeOf(winner));
      assert.ok(loser.deliveryKey < winner.deliveryKey);
      return;
    case 'report-before-request':
      assert.equal(loser.deliveryKey, '');
      assert.notEqual(winner.deliveryKey, '');
      return;
    case 'only-while-failed':
      assert.notEqual(status, 'failed');
      return;
    case 'void-failed':
    case 'void-of-capture':
      assert.match(loser.record ?? '', /^void/);
      return;
    case 'capture-voided':
    case 'capture-not-done':
    case 'above-captured-total':
    case 'one-step':
      assert.equal(loser.record, 'capture');
      return;
    default:
  }
}

/** Fields that a notice may lack. The amount of an authorisation also decides whether it is captured in full. */
function isRefoldable({ field, rule }: ExplainedField): boolean {
  const needed: readonly string[] = ['flags', 'parts', 'captures', 'voided', 'voidedPspIds'];
  // A discount follows from the amounts, so it is no report of one notice.
  const isNeeded =
    needed.includes(field) || field === 'pspTransactionId' || field === 'offerDiscount';
  return !isNeeded && rule !== 'time-passed' && !rule.startsWith('captured');
}

/** Folds the transaction again as if only some of its notices had mentioned the field. */
function refold(
  transaction: Transaction,
  field: TransactionField,
  mentions: (notice: Notice) => boolean,
): Transaction {
  const name = field === 'finishedAtMs' ? 'statusSinceMs' : field;
  const all: readonly Notice[] = transaction.notices;
  const notices =
    field === 'status'
      ? all.map((notice) => (mentions(notice) ? notice : ({ ...notice, status: 'new' } as Notice)))
      : all.map((notice) => {
          if (mentions(notice)) return notice;
          const { [name]: _mentioned, ...rest } = notice as Readonly<Record<string, unknown>>;
          return rest as unknown as Notice;
        });
  return foldTransaction({ ...transaction, notices } as unknown as Unfolded, expected);
}

function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
