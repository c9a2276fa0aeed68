import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { causeOf, type HistoryEntry } from '../../../src/domain/history.ts';
import { foldTransaction } from '../../../src/domain/order-state/matching.ts';
import { failureReason } from '../../../src/domain/payments/failure.ts';
import { ruleSentences } from '../../../src/domain/payments/rules.ts';
import type { Start } from '../../../src/domain/payments/start.ts';
import type {
  Capture,
  StoredPaymentNotice,
  StoredRefundNotice,
  Transaction,
} from '../../../src/domain/payments/transaction.ts';
import {
  explainTransaction,
  type LastChange,
  type Source,
  type TransactionField,
} from '../../../src/domain/why/explain-transaction.ts';
import {
  cutTimeline,
  findPageBegin,
  showField,
  timelineEntriesMax,
  timelineRowsMax,
} from '../../../src/domain/why/explanation.ts';
import { entryLines } from '../../../src/domain/why/text.ts';
import { buildTimeline } from '../../../src/domain/why/timeline.ts';

const expected = { total: 11_800, currency: 'INR' };
const declined = failureReason('DECLINED_BY_BANK', 'Declined.');

describe('what set a field of a payment', () => {
  test('a late failure loses against a success by its status', () => {
    const paid = payment([
      notice('captured', { status: 'succeeded', occurredAtMs: 1_000, message: 'Approved' }),
      notice('failed', {
        status: 'failed',
        occurredAtMs: 9_000,
        message: 'Declined',
        failure: declined,
      }),
    ]);
    assert.deepEqual(why(paid, 'status'), {
      value: 'succeeded',
      rule: 'highest-status',
      setBy: ['captured'],
      lost: [['failed', 'failed', 'highest-status']],
    });
    assert.deepEqual(why(paid, 'message'), {
      value: 'Approved',
      rule: 'highest-report',
      setBy: ['captured'],
      lost: [['failed', 'Declined', 'highest-status']],
    });
    assert.deepEqual(why(paid, 'failure'), {
      value: null,
      rule: 'only-while-failed',
      setBy: [],
      lost: [['failed', declined, 'only-while-failed']],
    });
  });

  test('of two reports with one status the later time of the provider decides, then the key', () => {
    const paid = payment([
      notice('b', { status: 'succeeded', occurredAtMs: 2_000, paymentArn: 'two' }),
      notice('a', { status: 'succeeded', occurredAtMs: 2_000, paymentArn: 'also two' }),
      notice('z', { status: 'succeeded', occurredAtMs: 1_000, paymentArn: 'one' }),
    ]);
    assert.deepEqual(why(paid, 'paymentArn'), {
      value: 'two',
      rule: 'highest-report',
      setBy: ['b'],
      lost: [
        ['a', 'also two', 'delivery-key'],
        ['z', 'one', 'later-time'],
      ],
    });
  });

  test('our request yields to a report of the same status, and keeps the time of the start', () => {
    const started = payment(
      [notice('report', { status: 'pending', paymentMode: 'Wallet', startedAtMs: 7_000 })],
      { start: start({ call: 'taken', modeCode: 'upi' }) },
    );
    assert.deepEqual(why(started, 'paymentMode'), {
      value: 'Wallet',
      rule: 'highest-report',
      setBy: ['report'],
      lost: [['call', 'UPI', 'report-before-request']],
    });
    assert.deepEqual(why(started, 'startedAtMs'), {
      value: 5_000,
      rule: 'own-request',
      setBy: ['call'],
      lost: [['report', 7_000, 'own-request']],
    });
  });

  test('captures add up to the amount, and a voided one does not count', () => {
    const captures: Capture[] = [
      { pspId: 'c1', amount: 5_000, status: 'captured', atMs: 1_000 },
      { pspId: 'c2', amount: 0, status: 'voided', atMs: 2_000 },
      { pspId: 'c3', amount: 6_800, status: 'captured', atMs: 4_000 },
    ];
    const captured = payment(
      [
        notice('auth', { status: 'authorized' }),
        capture('one', 'c1', 5_000, 1_000),
        capture('two', 'c2', 6_800, 2_000),
        notice('void', { status: 'reversed', record: 'void-capture', targetPspId: 'c2' }),
        capture('three', 'c3', 6_800, 4_000),
      ],
      { captures },
    );
    assert.deepEqual(why(captured, 'status'), {
      value: 'succeeded',
      rule: 'captured-in-full',
      setBy: ['one', 'three'],
      lost: [
        ['two', 'succeeded', 'capture-voided'],
        ['auth', 'authorized', 'captured-in-full'],
        ['void', 'reversed', 'void-of-capture'],
      ],
    });
    const amount = why(captured, 'amount');
    assert.deepEqual(
      [amount.value, amount.rule, amount.setBy],
      [11_800, 'captured-total', ['one', 'three']],
    );
    assert.deepEqual(why(captured, 'finishedAtMs').setBy, ['three']);
  });

  test('a void of the payment has no effect while a capture is not known', () => {
    const captures: Capture[] = [{ pspId: 'c1', amount: 0, status: 'voiding', atMs: 1_000 }];
    const voiding = payment(
      [
        notice('auth', { status: 'authorized' }),
        capture('one', 'c1', 5_000, 1_000),
        notice('void one', {
          pspTransactionId: 'v1',
          status: 'reversing',
          record: 'void-capture',
          targetPspId: 'c1',
        }),
        notice('void rest', {
          pspTransactionId: 'v2',
          status: 'reversed',
          record: 'void-authorization',
          targetPspId: 'p1',
        }),
      ],
      { captures },
    );
    assert.deepEqual(why(voiding, 'status'), {
      value: 'reversing',
      rule: 'void-pending',
      setBy: ['void one'],
      lost: [
        ['one', 'succeeded', 'capture-voided'],
        ['auth', 'authorized', 'void-pending'],
        ['void rest', 'reversed', 'without-effect'],
      ],
    });
  });

  test('a partial capture that time made final names time and its captures', () => {
    const captures: Capture[] = [{ pspId: 'c1', amount: 5_000, status: 'captured', atMs: 1_000 }];
    const open = payment(
      [notice('auth', { status: 'authorized' }), capture('one', 'c1', 5_000, 1_000)],
      { captures },
    );
    assert.deepEqual(why(open, 'amount'), {
      value: 11_800,
      rule: 'authorized-amount',
      setBy: ['auth'],
      lost: [['one', 5_000, 'authorized-amount']],
    });
    const settled: Transaction = { ...open, status: 'succeeded', amount: 5_000 };
    assert.deepEqual(why(settled, 'amount'), {
      value: 5_000,
      rule: 'time-passed',
      setBy: ['time', 'one'],
      lost: [['auth', 11_800, 'time-passed']],
    });
  });

  test('a payment that was given up and succeeds later shows the success', () => {
    const paid = payment([notice('late', { status: 'succeeded' })], {
      start: start({ call: 'refused', failure: declined, givenUpAtMs: 6_000 }),
    });
    assert.deepEqual(why(paid, 'status'), {
      value: 'succeeded',
      rule: 'highest-status',
      setBy: ['late'],
      lost: [['call', 'failed', 'highest-status']],
    });
  });

  test('a flag names the report that raised it, or the state that it follows from', () => {
    const flagged = payment([
      notice('less', { status: 'succeeded', amount: 100, flags: ['merchant_mismatch'] }),
    ]);
    const [, ...flags] = explain(flagged).findLast(({ field }) => field === 'flags')?.flags ?? [];
    assert.deepEqual(flags, [
      { flag: 'merchant_mismatch', rule: 'reported-flags', setBy: [delivery('less')] },
    ]);
    const [first] = explain(flagged).find(({ field }) => field === 'flags')?.flags ?? [];
    assert.deepEqual([first?.flag, first?.rule], ['amount_mismatch', 'follows-from-state']);
  });

  test('a value that is stored differently is called that', () => {
    const paid = payment([notice('captured', { status: 'succeeded', paymentArn: 'one' })]);
    const { rule, setBy } = why({ ...paid, paymentArn: 'two' } as Transaction, 'paymentArn');
    assert.deepEqual([rule, setBy], ['stored-differently', []]);
  });
});

describe('what set a field of a refund', () => {
  test('a void makes it failed, whatever was reported before', () => {
    const voided = refund(
      [
        refundNotice('made', { status: 'succeeded' }),
        refundNotice('void', { status: 'succeeded', record: 'void', pspTransactionId: 'v1' }),
      ],
      ['r1'],
    );
    assert.deepEqual(why(voided, 'status'), {
      value: 'failed',
      rule: 'refund-voided',
      setBy: ['void'],
      lost: [['made', 'succeeded', 'refund-voided']],
    });
    assert.deepEqual(why(voided, 'failure').setBy, ['void']);
    assert.deepEqual(why(voided, 'amount'), {
      value: 1_000,
      rule: 'highest-report',
      setBy: ['made'],
      lost: [['void', 1_000, 'other-record']],
    });
  });
});

describe('the previous value', () => {
  const paid = payment([notice('captured', { status: 'succeeded' })]);
  const change = { field: 'status', from: 'failed', to: 'succeeded', cause: 'dlv_captured' };
  const at = new Date(3_000);

  test('is the one before the last change, with its cause', () => {
    assert.deepEqual(previous(paid, [{ ...change, happenedAt: at }]), {
      value: 'failed',
      until: at,
      cause: { kind: 'delivery', deliveryId: 'dlv_captured' },
    });
  });

  test('is the stored one if only time has changed it since', () => {
    assert.deepEqual(previous(paid, [{ ...change, to: 'authorized', happenedAt: at }]), {
      value: 'authorized',
      until: null,
      cause: { kind: 'time' },
    });
  });

  test('is not known if the history is gone', () => {
    assert.equal(previous(paid, []), null);
  });

  function previous(transaction: Transaction, changes: readonly LastChange[]) {
    return explain(transaction, changes).find(({ field }) => field === 'status')?.previous;
  }
});

describe('of several reports of one value', () => {
  const reports = ['captured', 'paid', 'refunded'];
  const paid = payment(
    reports.map((key, index) => notice(key, { status: 'succeeded', occurredAtMs: 1_000 * index })),
    { start: start({ call: 'taken' }) },
  );
  const change = { from: null, to: 'succeeded', happenedAt: new Date(3_000) };

  test('the one that the history names set it, and the others also reported it', () => {
    for (const key of reports) {
      const { setBy, lost } = status([{ ...change, field: 'status', cause: `dlv_${key}` }]);
      assert.deepEqual(setBy, [`dlv_${key}`]);
      const others = reports.filter((other) => other !== key).map((other) => `dlv_${other}`);
      assert.deepEqual(
        lost
          .slice(0, 2)
          .map(([source]) => source)
          .sort(),
        others.sort(),
      );
      assert.deepEqual(
        lost.map(([, , rule]) => rule),
        [...['also-reported', 'also-reported', 'highest-status']],
      );
    }
  });

  test('without a history, one that was not stale when it arrived', () => {
    const isStale = (key: string) => key !== 'captured';
    assert.deepEqual(status([], isStale).setBy, ['dlv_captured']);
    assert.deepEqual(status([]).setBy, ['dlv_refunded']);
  });

  test('a cause that reported another value is not named', () => {
    const { setBy } = status([{ ...change, field: 'status', cause: 'start-payment' }]);
    assert.deepEqual(setBy, ['dlv_refunded']);
  });

  test('our own call is named if it was first', () => {
    const pending = payment([notice('report', { status: 'pending' })], {
      start: start({ call: 'taken' }),
    });
    const [first] = explain(pending, [
      { ...change, to: 'pending', field: 'status', cause: 'start-payment' },
    ]);
    assert.deepEqual(first?.setBy, [{ kind: 'call' }]);
    assert.deepEqual(
      first?.lost.map(({ rule }) => rule),
      ['also-reported'],
    );
  });

  function status(changes: readonly LastChange[], isStale?: (key: string) => boolean) {
    const [field] = explainTransaction(paid, {
      expected,
      changes,
      ...(isStale && { isStale }),
      deliveryIdOf: (key) => `dlv_${key}`,
    });
    assert.equal(field?.field, 'status');
    return {
      setBy: field.setBy.map(keyOf),
      lost: field.lost.map(({ source, rule, value }) => [keyOf(source), value, rule] as const),
    };
  }
});

describe('a long answer', () => {
  test('lists five losers of a field and counts the others', () => {
    const paid = payment([
      notice('captured', { status: 'succeeded' }),
      ...Array.from({ length: 30 }, (_, index) => notice(`f${index}`, { status: 'failed' })),
    ]);
    const [status] = explain(paid);
    assert.ok(status);
    const { lost, lostMore, setByMore } = showField(status, 'INR', true);
    assert.deepEqual([lost.length, lostMore, setByMore], [5, 25, 0]);
  });

  test('is complete behind the oldest row of a table that has more', () => {
    const entries = buildTimeline(lifeOf(Array.from({ length: 400 }, (_, index) => index)), shown);
    const rows = Array.from({ length: timelineRowsMax }, (_, index) => new Date(399 - index));
    assert.equal(findPageBegin([rows, []])?.getTime(), 400 - timelineRowsMax);
    const some = entries.slice(-timelineEntriesMax);
    const { entries: kept, olderUpTo } = cutTimeline(some, new Date(350));
    assert.equal(olderUpTo?.getTime(), 350);
    assert.deepEqual(
      kept.map(({ at }) => at.getTime()),
      Array.from({ length: 49 }, (_, index) => 351 + index),
    );
    assert.deepEqual(cutTimeline(some, null), { entries: some, olderUpTo: null });
    const cut = cutTimeline(entries, null);
    assert.equal(cut.entries.length, timelineEntriesMax);
    assert.equal(cut.olderUpTo?.getTime(), 399 - timelineEntriesMax);
  });

  test('begins behind as many rows as a page has, of all tables together', () => {
    const half = (first: number) =>
      Array.from({ length: timelineRowsMax / 2 }, (_, index) => new Date(first - index * 2));
    assert.equal(findPageBegin([half(400), half(399)])?.getTime(), 401 - timelineRowsMax);
    assert.equal(findPageBegin([half(400), half(399).slice(1)]), null);
  });

  test('goes on even if a whole page has one time', () => {
    const entries = buildTimeline(lifeOf(Array.from({ length: 400 }, () => 5)), shown);
    const rows = Array.from({ length: timelineRowsMax }, () => new Date(5));
    const { entries: kept, olderUpTo } = cutTimeline(entries, findPageBegin([rows]));
    assert.equal(kept.length, 400);
    assert.equal(olderUpTo?.getTime(), 4);
  });
});

describe('a timeline', () => {
  test('shows calls that were saved together as one entry each', () => {
    const call = { operation: 'fetch-status', outcome: 'done', durationMs: 9, tries: 1 };
    const at = new Date(1_000);
    const common = { cause: 'fetch-status', happenedAt: at } as const;
    const status = { field: 'status', from: 'pending', to: 'failed' };
    const entries = buildTimeline(
      {
        ...lifeOf([]),
        history: [
          { ...common, transactionId: 't1', changes: [], call: { ...call, httpStatus: 200 } },
          { ...common, transactionId: 't1', changes: [status] },
          { ...common, transactionId: 't2', changes: [], call: { ...call, httpStatus: null } },
        ],
      },
      shown,
    );
    assert.deepEqual(entries.slice(1).flatMap(entryLines), [
      '  1970-01-01T00:00:01.000Z  Provider polled about t1: fetch-status done, HTTP 200, 9 ms',
      '      t1: status pending → failed',
      '  1970-01-01T00:00:01.000Z  Provider polled about t2: fetch-status done, no answer, 9 ms',
    ]);
  });

  test('shows nothing of our call but its state, and masks a UPI id', () => {
    const before = { call: 'open', redirectUrl: 'https://provider.test/secret' };
    const life = lifeOf([]);
    const history: HistoryEntry[] = [
      {
        transactionId: 't1',
        cause: 'start-payment',
        happenedAt: new Date(1_000),
        changes: [
          { field: 'start', from: before, to: { ...before, call: 'taken' } },
          { field: 'subPaymentMode', from: null, to: { upi_id: 'asha@okbank' } },
          { field: 'recordedAtMs', from: null, to: 1 },
        ],
        call: {
          operation: 'start-payment',
          outcome: 'done',
          durationMs: 1,
          tries: 2,
          httpStatus: 200,
        },
      },
    ];
    const lines = buildTimeline({ ...life, history }, shown)
      .slice(1)
      .flatMap(entryLines);
    assert.deepEqual(lines, [
      '  1970-01-01T00:00:01.000Z  Provider called for t1: start-payment done, HTTP 200, 1 ms, 2 tries',
      '      t1: call open → taken',
      '      t1: sub_payment_mode none → {"upi_id":"a***a@okbank"}',
    ]);
  });
});

test('every cause of the history has a kind', () => {
  assert.deepEqual(
    ['dlv_1', 'fetch-status', 'refund', 'rebuild', 'time'].map((text) => causeOf(text).kind),
    ['delivery', 'call', 'request', 'operator', 'time'],
  );
});

test('every rule is a sentence', () => {
  for (const [rule, sentence] of Object.entries(ruleSentences)) {
    assert.match(sentence, /^[A-Z].+\.$/, rule);
  }
});

const shown = { masked: true, currencyOf: () => 'INR' };

/** An order that was created, and changed at these times. */
function lifeOf(times: readonly number[]): Parameters<typeof buildTimeline>[0] {
  return {
    order: {
      createdAt: new Date(0),
      amounts: { currency: 'INR', beforeTax: 10_000, tax: 1_800, total: 11_800 },
    },
    checkout: undefined,
    history: times.map((time, index) => ({
      transactionId: null,
      changes: [{ field: 'attempts', from: index, to: index + 1 }],
      cause: `dlv_${index}`,
      happenedAt: new Date(time),
    })),
    deliveries: [],
    events: [],
    attempts: [],
    resolutions: [],
  };
}

function explain(transaction: Transaction, changes: readonly LastChange[] = []) {
  return explainTransaction(transaction, { expected, changes, deliveryIdOf: (key) => key });
}

/** A field with the keys of what set it and of what lost. */
function why(transaction: Transaction, name: TransactionField) {
  const found = explain(transaction).find(({ field }) => field === name);
  assert.ok(found);
  return {
    value: found.value,
    rule: found.rule,
    setBy: found.setBy.map(keyOf),
    lost: found.lost.map(({ source, value, rule }) => [keyOf(source), value, rule]),
  };
}

function keyOf(source: Source): string {
  return source.kind === 'delivery' ? (source.deliveryId ?? '') : source.kind;
}

function delivery(deliveryId: string): Source {
  return { kind: 'delivery', deliveryId };
}

function payment(
  notices: readonly StoredPaymentNotice[],
  more: { readonly start?: Start; readonly captures?: readonly Capture[] } = {},
): Transaction {
  return foldTransaction(
    {
      type: 'payment',
      transactionId: 't1',
      provider: 'partner',
      start: more.start ?? null,
      pspTransactionId: 'p1',
      captures: more.captures ?? null,
      voided: null,
      capturedLimit: null,
      notices,
    },
    expected,
  );
}

function notice(deliveryKey: string, more: Partial<StoredPaymentNotice>): StoredPaymentNotice {
  return {
    pspTransactionId: 'p1',
    status: 'new',
    ...(more.record === undefined && { amount: 11_800 }),
    currency: 'INR',
    deliveryKey,
    ...more,
  };
}

function capture(key: string, pspTransactionId: string, amount: number, atMs: number) {
  return notice(key, {
    status: 'succeeded',
    record: 'capture',
    pspTransactionId,
    amount,
    targetPspId: 'p1',
    occurredAtMs: atMs,
    statusSinceMs: atMs,
  } as const);
}

function start(more: Partial<Start>): Start {
  return { atMs: 5_000, amount: 11_800, currency: 'INR', call: 'open', ...more };
}

function refund(
  notices: readonly StoredRefundNotice[],
  voidedPspIds: readonly string[] | null,
): Transaction {
  return foldTransaction(
    {
      type: 'refund',
      transactionId: 't2',
      provider: 'partner',
      start: null,
      pspTransactionId: 'r1',
      voidedPspIds,
      notices,
    },
    expected,
  );
}

function refundNotice(deliveryKey: string, more: Partial<StoredRefundNotice>): StoredRefundNotice {
  return {
    pspTransactionId: 'r1',
    status: 'pending',
    amount: 1_000,
    currency: 'INR',
    refundRequestId: 'REQ-1',
    deliveryKey,
    ...more,
  };
}
