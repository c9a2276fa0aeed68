import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  newTransactionId,
  pickStartReferences,
  type StartedTransaction,
} from '../../../src/domain/order-state/matching.ts';
import {
  applyNotice,
  applyStart,
  type OrderState,
} from '../../../src/domain/order-state/order-state.ts';
import type {
  DeliveredNotice,
  PaymentNotice,
  RefundNotice,
} from '../../../src/domain/payments/notice.ts';
import { addCallResult, type CallResult, type Start } from '../../../src/domain/payments/start.ts';
import type { Transaction } from '../../../src/domain/payments/transaction.ts';

const orderId = 'o_0123456789abcdef';
const ours = `${orderId}-261114100000`;
const second = `${orderId}-261114100100`;
const triedAt = Date.parse('2026-11-14T10:05:00Z');
const emptyOrderState: OrderState = {
  order: {
    orderId,
    amounts: { currency: 'INR', beforeTax: 10_000, tax: 1_800, total: 11_800 },
    lapsesAt: new Date('2026-11-15T00:00:00Z'),
  },
  transactions: [],
  held: [],
};

describe('a payment started here', () => {
  test('shows the reported payment that has its id', () => {
    const orderState = run(begin(ours), reported('pay_1', 'succeeded', { names: ours }));
    assert.deepEqual(shown(orderState), [`${ours} succeeded pay_1`]);
  });

  test('shows the reported payment that has only its provider order id, once our call has returned that id', () => {
    const early = run(begin(ours), reported('pay_1', 'succeeded', { order: 'order_1' }));
    assert.deepEqual(shown(early), [`${ours} new null`, `${at(0)} succeeded pay_1`]);
    const answered = run(early, taken(ours, 'order_1'));
    assert.deepEqual(shown(answered), [`${ours} succeeded pay_1`]);
    assert.equal(answered.transactions[0]?.notices.length, 1);
  });

  test('shows no payment of another provider order or of another provider', () => {
    const orderState = run(
      begin(ours),
      taken(ours, 'order_1'),
      reported('pay_1', 'succeeded', { order: 'order_2' }),
      reported('pay_2', 'failed', { names: ours, provider: 'another', at: 1 }),
    );
    assert.deepEqual(shown(orderState), [
      `${ours} pending null`,
      `${at(0)} succeeded pay_1`,
      `${at(1)} failed pay_2`,
    ]);
  });

  test('shows no payment by provider order id while it has none itself', () => {
    const orderState = run(begin(ours), reported('pay_1', 'succeeded', {}), unknown(ours));
    assert.deepEqual(shown(orderState), [`${ours} pending null`, `${at(0)} succeeded pay_1`]);
  });

  test('does not show attempts at another checkout', () => {
    const orderState = run(
      begin(ours, second),
      taken(second, 'order_2'),
      taken(ours, 'order_1'),
      reported('pay_2', 'succeeded', { order: 'order_2', at: 2 }),
      reported('pay_1', 'failed', { order: 'order_1', at: 1 }),
    );
    assert.deepEqual(shown(orderState), [`${ours} failed pay_1`, `${second} succeeded pay_2`]);
  });

  test('is changed by an authentication that references it, which creates no payment', () => {
    const authentication = reported('auth_1', 'pending', {
      names: ours,
      payment: { record: 'authentication' },
    });
    assert.deepEqual(shown(run(emptyOrderState, authentication)), []);
    assert.deepEqual(shown(run(begin(second), authentication)), [`${second} new null`]);
    assert.deepEqual(shown(run(begin(ours), authentication)), [`${ours} pending null`]);
  });
});

describe('of several attempts at one checkout', () => {
  const failed = reported('pay_1', 'failed', { names: ours, at: 1 });
  const paid = reported('pay_2', 'succeeded', { names: ours, at: 2 });

  for (const [name, attempts] of [
    ['failed and then paid', [failed, paid]],
    ['paid, and the failure reported later', [paid, failed]],
  ] as const) {
    test(`our id shows the payment: ${name}`, () => {
      const orderState = run(begin(ours), ...attempts);
      assert.deepEqual(shown(orderState), [`${ours} succeeded pay_2`, `${at(1)} failed pay_1`]);
      assert.deepEqual(keysOf(orderState), ['pay_1 failed', 'pay_2 succeeded']);
    });
  }

  const ranking = [
    ['succeeded', 'authorized'],
    ['authorized', 'pending'],
    ['pending', 'reversing'],
    ['reversing', 'reversed'],
    ['reversed', 'failed'],
  ] as const;
  for (const [better, worse] of ranking) {
    test(`${better} is shown rather than ${worse}, in any order of arrival`, () => {
      const attempts = [
        reported('pay_1', worse, { names: ours, at: 1 }),
        reported('pay_2', better, { names: ours, at: 2 }),
      ];
      for (const order of [attempts, attempts.toReversed()]) {
        const orderState = run(begin(ours), ...order);
        assert.deepEqual(shown(orderState), [`${ours} ${better} pay_2`, `${at(1)} ${worse} pay_1`]);
      }
    });
  }

  test('of two with the same status, the one that was recorded first is shown', () => {
    const attempts = [
      reported('pay_1', 'failed', { names: ours, at: 2 }),
      reported('pay_2', 'failed', { names: ours, at: 1 }),
    ];
    for (const order of [attempts, attempts.toReversed()]) {
      assert.equal(find(run(begin(ours), ...order), ours)?.pspTransactionId, 'pay_2');
    }
  });

  test('two successful ones are both kept, and the second is flagged as a duplicate', () => {
    const attempts = [
      reported('pay_1', 'succeeded', { names: ours, at: 1 }),
      reported('pay_2', 'succeeded', { names: ours, at: 2 }),
    ];
    for (const order of [attempts, attempts.toReversed()]) {
      const orderState = run(begin(ours), ...order);
      assert.deepEqual(shown(orderState), [`${ours} succeeded pay_1`, `${at(2)} succeeded pay_2`]);
      assert.deepEqual(
        orderState.transactions
          .filter(({ flags }) => flags.includes('duplicate_capture'))
          .map(({ pspTransactionId }) => pspTransactionId),
        ['pay_2'],
      );
    }
  });

  test('our id follows the best attempt as they change, and no notice is lost', () => {
    const steps: ReadonlyArray<readonly [DeliveredNotice, string]> = [
      [reported('pay_1', 'pending', { names: ours, at: 1 }), 'pay_1'],
      [reported('pay_2', 'pending', { names: ours, at: 2 }), 'pay_1'],
      [reported('pay_1', 'failed', { names: ours, at: 1 }), 'pay_2'],
      [reported('pay_2', 'failed', { names: ours, at: 2 }), 'pay_1'],
      [reported('pay_2', 'authorized', { names: ours, at: 2 }), 'pay_2'],
      [reported('pay_1', 'succeeded', { names: ours, at: 1 }), 'pay_1'],
      [reported('pay_2', 'succeeded', { names: ours, at: 2 }), 'pay_1'],
      [reported('pay_1', 'reversed', { names: ours, at: 1 }), 'pay_2'],
    ];
    let orderState = begin(ours);
    for (const [index, [notice, shows]] of steps.entries()) {
      orderState = applyNotice(orderState, notice);
      assert.equal(find(orderState, ours)?.pspTransactionId, shows, `step ${index}`);
      assert.equal(keysOf(orderState).length, index + 1);
      assert.equal(orderState.transactions.length, Math.min(index + 1, 2));
    }
  });

  test('the authentication stays with our id when another attempt is shown', () => {
    const authentication = reported('auth_1', 'pending', {
      names: ours,
      key: 'authenticated',
      payment: { record: 'authentication' },
    });
    const orderState = run(begin(ours), failed, authentication, paid);
    assert.deepEqual(
      find(orderState, ours)?.notices.map(({ deliveryKey }) => deliveryKey),
      ['authenticated', 'pay_2 succeeded'],
    );
  });

  test('a replaced attempt gets an id made from its own time, or the next free one', () => {
    const stranger = reported('pay_3', 'failed', { at: 1 });
    const orderState = run(begin(ours), stranger, failed, paid);
    assert.deepEqual(shown(orderState), [
      `${ours} succeeded pay_2`,
      `${at(1)} failed pay_3`,
      `${at(2)} failed pay_1`,
    ]);
  });
});

describe('a refund started here', () => {
  test('shows the reported refund that has its id, its request id or the id we chose', () => {
    const started = beginRefund(emptyOrderState, ours, {
      requestId: 'REQ-1',
      pspTransactionId: 'T|R',
    });
    const reports = [
      refunded('rfnd_1', { names: ours, requestId: 'cut' }),
      refunded('rfnd_1', { requestId: 'REQ-1' }),
      refunded('T|R', { requestId: 'cut' }),
    ];
    for (const report of reports) {
      const orderState = run(started, report);
      assert.deepEqual(shown(orderState), [`${ours} succeeded ${report.refund?.pspTransactionId}`]);
      assert.equal(
        (orderState.transactions[0] as { refundRequestId?: string }).refundRequestId,
        'REQ-1',
      );
    }
  });

  test('shows no refund of another request', () => {
    const started = beginRefund(emptyOrderState, ours, { requestId: 'REQ-1' });
    assert.deepEqual(shown(run(started, refunded('rfnd_1', { requestId: 'REQ-2' }))), [
      `${ours} pending null`,
      `${at(0)} succeeded rfnd_1`,
    ]);
  });

  const ways = [
    { by: 'our id in the notes', chosen: false },
    { by: 'the id we chose', chosen: true },
  ];
  for (const { by, chosen } of ways) {
    test(`repeated with the same request id is distinguished from the first by ${by}`, () => {
      const idOf = (transactionId: string) => (chosen ? `T|${transactionId}` : undefined);
      const report = (transactionId: string, status: RefundNotice['status']) =>
        refunded(idOf(transactionId) ?? `rfnd of ${transactionId}`, {
          status,
          requestId: 'REQ-1',
          ...(chosen ? { names: 'the payment' } : { names: transactionId }),
        });
      const first = beginRefund(emptyOrderState, ours, {
        requestId: 'REQ-1',
        pspTransactionId: idOf(ours),
      });
      const failed = run(first, report(ours, 'failed'));
      const again = beginRefund(failed, second, {
        requestId: 'REQ-1',
        pspTransactionId: idOf(second),
      });
      const orderState = run(again, report(second, 'succeeded'));
      assert.deepEqual(shown(orderState), [
        `${ours} failed ${idOf(ours) ?? `rfnd of ${ours}`}`,
        `${second} succeeded ${idOf(second) ?? `rfnd of ${second}`}`,
      ]);
    });
  }
});

test('many refunds that were started here are matched with many others in no time', () => {
  const count = 100;
  let orderState = emptyOrderState;
  for (let index = 0; index < count; index += 1) {
    const requestId = `REQ-${index}`;
    orderState = beginRefund(orderState, `${orderId}-2611151000${index}`, { requestId });
    orderState = run(orderState, refunded(`foreign_${index}`, { requestId: `other-${index}` }));
  }
  const startedAt = performance.now();
  for (let index = 0; index < 20; index += 1) {
    orderState = run(orderState, refunded(`rfnd_${index}`, { requestId: `REQ-${index}` }));
  }
  assert.equal(orderState.transactions.length, 2 * count);
  // To compare each with all others took seconds.
  assert.ok(performance.now() - startedAt < 1_000);
});

test('only references that can match a started transaction are stored', () => {
  const none = { orderIds: ['o_1'], invoiceIds: ['INV'], transactionIds: [] };
  assert.deepEqual(pickStartReferences(none), {});
  assert.deepEqual(
    pickStartReferences({ ...none, providerOrderId: 'order_1', transactionIds: [ours] }),
    {
      names: { transactionIds: [ours], providerOrderId: 'order_1' },
    },
  );
});

test('an id is made from the second, or from the next free one', () => {
  const taken = new Set([at(0), at(1)]);
  const time = new Date(triedAt + 999);
  assert.equal(newTransactionId(orderId, taken, time), at(2));
});

type CallStep = { readonly id: string; readonly result: CallResult };

function run(before: OrderState, ...steps: readonly (DeliveredNotice | CallStep)[]): OrderState {
  return steps.reduce((orderState, step) => {
    if (!('result' in step)) return applyNotice(orderState, step);
    const start = find(orderState, step.id)?.start ?? startOf({});
    return applyStart(orderState, {
      ...payment(step.id),
      start: addCallResult(start, step.result),
    });
  }, before);
}

/** An order state with one or several payments started here. */
function begin(...ids: readonly string[]): OrderState {
  return ids.reduce<OrderState>(
    (orderState, id) => applyStart(orderState, { ...payment(id), start: startOf({}) }),
    emptyOrderState,
  );
}

function beginRefund(
  orderState: OrderState,
  id: string,
  { requestId, pspTransactionId }: { requestId: string; pspTransactionId?: string | undefined },
): OrderState {
  const refund = {
    requestId,
    paymentPspId: 'pay_1',
    ...(pspTransactionId && { pspTransactionId }),
  };
  return applyStart(orderState, { ...payment(id), type: 'refund', start: startOf({ refund }) });
}

function payment(transactionId: string): Omit<StartedTransaction, 'start'> {
  return { type: 'payment', transactionId, provider: 'partner' };
}

function startOf(fields: Partial<Start>): Start {
  const atMs = Date.parse('2026-11-14T10:00:00Z');
  return { atMs, amount: 11_800, currency: 'INR', call: 'open', ...fields };
}

function taken(id: string, providerOrderId: string): CallStep {
  return { id, result: { call: 'taken', providerOrderId } };
}

function unknown(id: string): CallStep {
  return { id, result: { call: 'unknown' } };
}

type ReportedFields = {
  /** Our transaction id, as the provider returns it. */
  readonly names?: string;
  /** The provider's own id of the order. */
  readonly order?: string;
  readonly provider?: string;
  /** Seconds after the first attempt. */
  readonly at?: number;
  readonly key?: string;
  readonly payment?: Partial<PaymentNotice>;
};

/** One key per status of a payment, so that the same notice again is a repeat. */
function reported(
  id: string,
  status: PaymentNotice['status'],
  of: ReportedFields,
): DeliveredNotice {
  const recordedAtMs = triedAt + (of.at ?? 0) * 1_000;
  return {
    ...delivered(of.key ?? `${id} ${status}`, of),
    payment: {
      pspTransactionId: id,
      status,
      amount: 11_800,
      currency: 'INR',
      recordedAtMs,
      ...of.payment,
    },
  };
}

function refunded(
  id: string,
  {
    status = 'succeeded',
    requestId,
    ...of
  }: ReportedFields & {
    readonly status?: RefundNotice['status'];
    readonly requestId: string;
  },
): DeliveredNotice {
  return {
    ...delivered(`${id} ${status}`, of),
    refund: {
      pspTransactionId: id,
      status,
      amount: 5_000,
      currency: 'INR',
      recordedAtMs: triedAt,
      refundRequestId: requestId,
      paymentPspId: 'pay_1',
    },
  };
}

function delivered(deliveryKey: string, { names, order, provider = 'partner' }: ReportedFields) {
  return {
    provider,
    deliveryKey,
    receivedAt: new Date('2026-11-14T11:00:00Z'),
    references: {
      transactionIds: names === undefined ? [] : [names],
      orderIds: [],
      invoiceIds: [],
      ...(order !== undefined && { providerOrderId: order }),
    },
  };
}

/** The id made from the time of an attempt. */
function at(seconds: number): string {
  return `${orderId}-26111410050${seconds}`;
}

function find({ transactions }: OrderState, id: string): Transaction | undefined {
  return transactions.find(({ transactionId }) => transactionId === id);
}

function shown({ transactions }: OrderState): string[] {
  return transactions
    .map((entry) => `${entry.transactionId} ${entry.status} ${entry.pspTransactionId}`)
    .sort();
}

function keysOf({ transactions }: OrderState): string[] {
  return transactions
    .flatMap(({ notices }) => notices.map(({ deliveryKey }) => deliveryKey))
    .sort();
}
