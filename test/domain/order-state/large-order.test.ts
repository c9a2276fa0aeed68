import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { findExceededLimit } from '../../../src/domain/inbox/outcome.ts';
import {
  affectedBy,
  isLoadedFor,
  losesCounted,
  lowestIdTimeOf,
  storedTallyOf,
  unloadedOf,
} from '../../../src/domain/order-state/large-order.ts';
import { applyNotice, type OrderState } from '../../../src/domain/order-state/order-state.ts';
import { settle } from '../../../src/domain/order-state/settle.ts';
import { paymentLimits } from '../../../src/domain/payments/limits.ts';
import type { Transaction } from '../../../src/domain/payments/transaction.ts';

type Notice = Parameters<typeof applyNotice>[1];

const numRuns = Number(process.env.ANY_ORDER_RUNS ?? 80);
const now = new Date('2026-11-15T12:00:00Z');
const total = 11_800;
const firstMs = Date.parse('2026-11-15T10:00:00Z');
const empty: OrderState = {
  order: {
    orderId: 'o_0123456789abcdef',
    amounts: { currency: 'INR', beforeTax: 10_000, tax: 1_800, total },
    lapsesAt: new Date('2026-11-16T00:00:00Z'),
  },
  transactions: [],
  held: [],
};

const noReferences = { transactionIds: [], orderIds: [], invoiceIds: [] };

/** Payments and refunds of both providers; times and ids are few, so that many are equal. */
const events = fc.record({
  provider: fc.constantFrom('partner' as const, 'bank-gateway' as const),
  payment: fc.nat(30),
  kind: fc.oneof(
    { weight: 12, arbitrary: fc.constant('payment') },
    { weight: 6, arbitrary: fc.constant('refund') },
    { weight: 1, arbitrary: fc.constantFrom('void', 'release', 'capture') },
  ),
  status: fc.constantFrom('pending', 'failed', 'authorized', 'succeeded'),
  refund: fc.nat(4),
  amount: fc.constantFrom(total, total, 5_000),
  second: fc.nat(5),
});
type Event = typeof events extends fc.Arbitrary<infer Value> ? Value : never;

describe('a large order of which only the affected transactions are loaded', () => {
  test('has the same state as one that was loaded whole', () => {
    let partial = 0;
    fc.assert(
      fc.property(fc.array(events, { minLength: 1, maxLength: 25 }), (list) => {
        let whole = openLarge();
        for (const [index, event] of list.entries()) {
          const notice = noticeOf(event, `more-${index}`);
          const expected = settle(applyNotice(whole, notice), now);
          const part = loadPart(whole, notice);
          if (part && isLoadedFor(part, notice)) {
            const after = settle(applyNotice(part, notice), now);
            if (!losesCounted(part, after)) {
              partial += 1;
              assert.deepEqual(plain(merge(whole, part, after)), plain(expected.transactions));
              assert.deepEqual(after.summary, expected.summary);
              assert.deepEqual(storedTallyOf(after), storedTallyOf(expected));
              assert.equal(findExceededLimit(part, after), findExceededLimit(whole, expected));
            }
          }
          whole = expected;
        }
      }),
      { numRuns },
    );
    assert.ok(partial > numRuns, `only ${partial} deliveries were folded into a part`);
  });

  test('must be loaded whole for a capture, a void, a release and a refund without a payment', () => {
    const whole = openLarge();
    for (const kind of ['capture', 'void', 'release'] as const) {
      const notice = noticeOf({ ...sample, kind }, 'next');
      assert.equal(affectedBy(notice), undefined);
      const part = loadPart(whole, noticeOf(sample, 'next'));
      assert.ok(part);
      assert.equal(isLoadedFor(part, notice), false);
    }
    const { refund, ...rest } = noticeOf({ ...sample, kind: 'refund' }, 'next');
    assert.ok(refund);
    const { paymentPspId: _known, ...untargeted } = refund;
    assert.equal(affectedBy({ ...rest, refund: untargeted }), undefined);
  });

  test('must be loaded whole when the counted payment is no longer the first', () => {
    const whole = openLarge();
    const tally = storedTallyOf(whole);
    const counted = whole.transactions.find((entry) => entry.transactionId === tally?.countedId);
    assert.ok(counted?.pspTransactionId);
    const reversed = noticeOf({ ...sample, payment: 0 }, 'next');
    const payment = { ...reversed.payment, status: 'reversed', statusSinceMs: firstMs + 60_000 };
    const notice = { ...reversed, payment } as Notice;
    const part = loadPart(whole, notice);
    assert.ok(part);
    assert.equal(losesCounted(part, settle(applyNotice(part, notice), now)), true);
  });

  test('must be loaded whole for a notice whose transaction may get an id that is not loaded', () => {
    const whole = openLarge();
    const next = noticeOf(sample, 'next');
    const part = loadPart(whole, next);
    assert.ok(part && isLoadedFor(part, next));
    assert.equal(isLoadedFor(part, at(next, '2026-11-14T10:00:00Z')), false);
    // As text, the ids of the last century are higher.
    assert.equal(isLoadedFor(part, at(next, '1970-01-01T00:00:00Z')), true);
    assert.equal(lowestIdTimeOf(at(next, '1970-01-01T00:00:00Z')), '700101000000');
    assert.equal(lowestIdTimeOf(at(next, '1999-12-31T23:59:00Z')), '000101001540');
  });

  test('is always loaded whole when a transaction was started here or a notice is held', () => {
    const { transactions, ...rest } = openLarge();
    const [first, ...others] = transactions;
    const started = { ...first, start: { atMs: firstMs } } as unknown as Transaction;
    assert.notEqual(storedTallyOf({ ...rest, transactions }), null);
    assert.equal(storedTallyOf({ ...rest, transactions: [started, ...others] }), null);
    const held = [{ hold: 'release' }] as unknown as OrderState['held'];
    assert.equal(storedTallyOf({ ...rest, transactions, held }), null);
  });
});

function at(notice: Notice, time: string): Notice {
  const payment = { ...notice.payment, recordedAtMs: Date.parse(time) };
  return { ...notice, payment } as Notice;
}

const sample: Event = {
  provider: 'partner',
  payment: 3,
  kind: 'payment',
  status: 'succeeded',
  refund: 0,
  amount: total,
  second: 1,
};

/** With more transactions than are loaded for each delivery. */
function openLarge(): OrderState {
  const count = paymentLimits.transactionsLoadedMax + 5;
  return Array.from({ length: count }, (_entry, index) =>
    noticeOf(
      { ...sample, payment: index, status: index % 3 === 0 ? 'succeeded' : 'failed' },
      `first-${index}`,
    ),
  ).reduce<OrderState>((state, notice) => settle(applyNotice(state, notice), now), empty);
}

/** What the service loads of the order for this notice. */
function loadPart(whole: OrderState, notice: Notice): OrderState | undefined {
  const tally = storedTallyOf(whole);
  const names = affectedBy(notice) ?? [];
  if (!tally) return undefined;
  const transactions = whole.transactions.filter(
    ({ transactionId, provider, pspTransactionId }) =>
      transactionId === tally.countedId ||
      names.some(
        (name) => name.provider === provider && name.pspTransactionId === pspTransactionId,
      ),
  );
  const { orderId, amounts } = whole.order;
  const idsFrom = `${orderId}-${lowestIdTimeOf(notice)}`;
  const ids = whole.transactions
    .map(({ transactionId }) => transactionId)
    .filter((id) => id >= idsFrom);
  const transactionIds = new Set(ids);
  const unloaded = unloadedOf(tally, transactions, amounts, {
    keys: names,
    idsFrom,
    transactionIds,
  });
  return { ...whole, transactions, unloaded };
}

/** What is stored after the part was saved. */
function merge(whole: OrderState, before: OrderState, after: OrderState): Transaction[] {
  return [
    ...whole.transactions.filter((entry) => !before.transactions.includes(entry)),
    ...after.transactions,
  ];
}

function plain(transactions: readonly Transaction[]): unknown {
  return transactions
    .map((entry) => ({
      ...entry,
      notices: entry.notices.map(({ deliveryKey }) => deliveryKey).sort(),
    }))
    .sort((a, b) => (a.transactionId < b.transactionId ? -1 : 1));
}

function noticeOf(event: Event, deliveryKey: string): Notice {
  const { provider, payment, kind, status, refund, amount, second } = event;
  const atMs = firstMs + second * 1_000;
  const isGateway = provider === 'bank-gateway';
  const pspTransactionId = `${provider}-${payment}`;
  const times = { occurredAtMs: atMs, recordedAtMs: atMs, statusSinceMs: atMs };
  const common = { provider, deliveryKey, receivedAt: now, references: noReferences };
  const base = {
    pspTransactionId,
    amount,
    currency: 'INR',
    ...times,
    ...(isGateway && { pspOrder: 'gateway-order' }),
  };
  if (kind === 'refund') {
    const own = {
      ...times,
      pspTransactionId: `refund-${provider}-${refund}`,
      refundRequestId: `request-${refund}`,
      amount: 1_000,
      currency: 'INR',
      status: status === 'authorized' ? 'pending' : status,
      paymentPspId: pspTransactionId,
      ...(isGateway && { paymentPspOrder: 'gateway-order' }),
    };
    return { ...common, refund: own } as unknown as Notice;
  }
  const record = { capture: 'capture', void: 'void-payment' }[kind as string];
  return {
    ...common,
    payment: {
      ...base,
      status: kind === 'void' || kind === 'release' ? 'reversed' : status,
      ...(record && {
        record,
        pspTransactionId: `${kind}-${pspTransactionId}`,
        targetPspId: pspTransactionId,
      }),
      ...(kind === 'release' && { isRelease: true }),
    },
  } as unknown as Notice;
}
