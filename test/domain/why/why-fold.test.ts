import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { foldTransaction } from '../../../src/domain/order-state/matching.ts';
import { ordersCreatedHere } from '../../../src/domain/order-state/relate.ts';
import {
  type Decision,
  isRequest,
  reportedStatusOf,
} from '../../../src/domain/payments/ranking.ts';
import type { AnyNotice, Transaction } from '../../../src/domain/payments/transaction.ts';
import { explainTransaction } from '../../../src/domain/why/explain-transaction.ts';
import { arrange, setPlans } from '../../support/delivery-sets.ts';
import { noticeSets } from '../../support/notice-sets.ts';
import { applyAll, emptyOrderState, eventsOf, startedPlans } from '../../support/started-sets.ts';

const seed = Number(process.env.ANY_ORDER_SEED ?? Date.now() % 2 ** 31);
const numRuns = Number(process.env.ANY_ORDER_RUNS ?? 100);
console.log(`fold with a trace: ${numRuns} sets, seed ${seed} (ANY_ORDER_SEED, ANY_ORDER_RUNS)`);

const plans = fc.oneof(
  setPlans(4).map((others) => ({ checkouts: [], others })),
  startedPlans,
);
const eventSets = fc.oneof(noticeSets, plans.map(eventsOf));
const expected = emptyOrderState.order.amounts;

describe('a fold that says why', () => {
  test('gives the same transaction as one that does not', () => {
    check((transaction, created) => {
      const plain = foldTransaction(transaction, expected, created);
      assert.deepEqual(foldTransaction(transaction, expected, created, new Map()), plain);
    });
  });

  test('is what views show, for every field of a transaction that is not hidden', () => {
    check((transaction, created) => {
      const folded = foldTransaction(transaction, expected, created);
      const explained = explainTransaction(folded, {
        expected,
        ordersCreatedHere: created,
        changes: [],
        deliveryIdOf: (key) => key,
      });
      assert.deepEqual(
        explained.map(({ field }) => field).sort(),
        Object.keys(folded)
          .filter((field) => !hiddenFields.has(field))
          .sort(),
      );
      for (const { field, value } of explained) assert.deepEqual(value, readField(folded, field));
    });
  });

  test('names setters whose own values lead to the value of the field', () => {
    check((transaction, created) => {
      const decisions = new Map<string, Decision>();
      const folded = foldTransaction(transaction, expected, created, decisions);
      for (const [field, decision] of decisions) {
        try {
          assertLeads(folded, field, readField(folded, field), decision);
        } catch (error) {
          throw new Error(`${field} by ${decision.rule}`, { cause: error });
        }
      }
    });
  });
});

/** Constants, and what other fields are derived from. A new field is explained, or it is listed here. */
const hiddenFields: ReadonlySet<string> = new Set([
  'type',
  'transactionId',
  'provider',
  'start',
  'notices',
  'recordedAtMs',
  'authorizedAtMs',
  'partialCapture',
  'capturedLimit',
  'unknownRefunds',
  'paymentPspOrder',
]);

function check(holds: (transaction: Transaction, created: ReadonlySet<string>) => void): void {
  fc.assert(
    fc.property(eventSets, fc.integer(), (events, arrangement) => {
      const { transactions } = applyAll(arrange(events, arrangement));
      const created = ordersCreatedHere(transactions);
      for (const transaction of transactions) holds(transaction, created);
    }),
    { seed, numRuns },
  );
}

function readField(transaction: Transaction, field: string): unknown {
  return (transaction as Readonly<Record<string, unknown>>)[field] ?? null;
}

function assertLeads(
  transaction: Transaction,
  field: string,
  value: unknown,
  { rule, setBy }: Decision,
): void {
  const setters = setBy.filter((setter) => typeof setter !== 'string');
  const [setter, ...others] = setters;
  const name = field === 'finishedAtMs' ? 'statusSinceMs' : field;
  const own = (notice: AnyNotice) => (notice as Readonly<Record<string, unknown>>)[name] ?? null;
  const counted = countedIds(transaction);
  switch (rule) {
    case 'highest-report':
    case 'authorized-amount':
    case 'earliest':
      assert.deepEqual([setter ? own(setter) : null, others.length], [value, 0]);
      return;
    case 'own-request':
      if (field === 'parts') return;
      assert.ok(setter && isRequest(setter) && others.length === 0);
      assert.deepEqual(value, requested(transaction, field));
      return;
    case 'own-record':
      assert.ok(
        value === null || [setter?.pspTransactionId, setter?.targetPspId].includes(`${value}`),
      );
      return;
    case 'highest-status':
    case 'paid-in-part':
      if (setter?.record === 'capture') assert.equal(value, impliedBy(reportedStatusOf(setter)));
      else assert.equal(setter?.status, value);
      return;
    case 'captured-in-full':
    case 'captured-in-part':
    case 'captures-counted':
      assert.deepEqual(
        setters.map(({ pspTransactionId }) => pspTransactionId),
        counted,
      );
      return;
    case 'captured-and-rest-voided':
      assert.deepEqual(
        setters.slice(0, -1).map(({ pspTransactionId }) => pspTransactionId),
        counted,
      );
      assert.deepEqual(setters.slice(-1).map(reportedStatusOf), ['reversed']);
      return;
    case 'captured-total':
      if (field === 'currency') assert.equal(setter ? own(setter) : expected.currency, value);
      else assert.equal(capturedAmount(transaction), value);
      return;
    case 'captured-unknown-amount':
      for (const each of setters)
        assert.deepEqual([each.record, each.amount], ['capture', undefined]);
      return;
    case 'last-capture':
      for (const each of setters) assert.ok(own(each) === value || each.record === 'capture');
      assert.ok(setter);
      return;
    case 'voided':
    case 'void-pending':
      if (value === null) assert.deepEqual(setBy, []);
      else assert.match(setter?.record ?? '', /^void/);
      if (field === 'status') assert.equal(setter && reportedStatusOf(setter), value);
      return;
    case 'hold':
      assert.equal(value === null, setBy.length === 0);
      return;
    case 'offer-difference':
      assert.equal(value === null, setBy.length === 0);
      if (value !== null) assert.equal(value, expected.total - netOf(transaction));
      return;
    case 'parts':
      for (const each of setters) assert.ok(each.record === 'void' || isOfPart(transaction, each));
      if (field === 'amount') assert.equal(value, madeAmount(transaction));
      assert.ok(setter);
      return;
    case 'refund-voided':
      for (const each of setters)
        assert.deepEqual([each.record, each.status], ['void', 'succeeded']);
      return;
    case 'only-while-failed':
    case 'only-when-final':
      assert.deepEqual([value, setBy], [null, []]);
      return;
    default:
      assert.fail('no field is set by this rule');
  }
}

/** The captures that count and whose amount was reported. */
function countedIds(transaction: Transaction): string[] {
  const captures = transaction.type === 'payment' ? (transaction.captures ?? []) : [];
  return captures.filter(({ amount }) => amount > 0).map(({ pspId }) => pspId);
}

function capturedAmount(transaction: Transaction): number | null {
  if (transaction.type !== 'payment') return null;
  const { captures, capturedLimit } = transaction;
  return capturedLimit ?? (captures ?? []).reduce((sum, { amount }) => sum + amount, 0);
}

function impliedBy(status: string): string {
  return status === 'succeeded' ? 'authorized' : status;
}

/** What our own request says about a field. A split refund has the id of its first part. */
function requested({ start, ...transaction }: Transaction, field: string): unknown {
  const { refund } = start ?? {};
  const isMade = transaction.status === 'succeeded' && refund?.parts;
  const ofRequest: Readonly<Record<string, unknown>> = {
    startedAtMs: start?.atMs,
    amount: isMade ? refund.parts?.reduce((sum, { amount }) => sum + amount, 0) : start?.amount,
    refundRequestId: refund?.requestId,
    pspTransactionId: refund?.pspTransactionId,
    paymentPspId: refund?.paymentPspId,
  };
  return ofRequest[field];
}

function netOf(transaction: Transaction): number {
  const fee = transaction.type === 'payment' ? (transaction.customerFee ?? 0) : 0;
  return (transaction.amount ?? 0) - fee;
}

function isOfPart(transaction: Transaction, { pspTransactionId }: AnyNotice): boolean {
  const parts = transaction.type === 'refund' ? (transaction.parts ?? []) : [];
  return parts.some(({ pspId }) => pspId === pspTransactionId);
}

function madeAmount(transaction: Transaction): number {
  const parts = transaction.type === 'refund' ? (transaction.parts ?? []) : [];
  return parts
    .filter(({ status }) => status === 'succeeded')
    .reduce((sum, { amount }) => sum + amount, 0);
}
