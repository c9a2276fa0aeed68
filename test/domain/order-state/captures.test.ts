import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  applyNotice,
  lacksTarget,
  type OrderState,
} from '../../../src/domain/order-state/order-state.ts';
import { settle } from '../../../src/domain/order-state/settle.ts';
import type { DeliveredNotice } from '../../../src/domain/payments/notice.ts';
import { bankGateway } from '../../../src/providers/bank-gateway/bank-gateway.ts';
import { gatewayBody } from '../../support/deliveries.ts';
import { refundSums } from '../../support/refund-sums.ts';

type Fields = Record<string, unknown>;

let deliveries = 0;
const now = new Date('2026-11-14T12:00:00Z');
const lapsesAt = new Date('2026-11-15T10:00:00Z');
const empty: OrderState = {
  order: {
    orderId: 'o_0123456789abcdef',
    amounts: { currency: 'INR', beforeTax: 10_000, tax: 0, total: 10_000 },
    lapsesAt,
  },
  transactions: [],
  held: [],
};

/** The newest version of the gateway's API reports targets, version 22 never does. */
const ways = {
  'with targets': { isTargeted: true },
  'without targets': { isTargeted: false },
} as const;

for (const [how, { isTargeted }] of Object.entries(ways)) {
  const record = (id: string, type: string, amount: number, target?: string, more: Fields = {}) =>
    reported(id, type, amount, isTargeted ? target : undefined, more);
  const authorization = record('1', 'AUTHORIZATION', 100);

  describe(`captures ${how}`, () => {
    test('a full capture gives one succeeded payment with the id of its authorisation', () => {
      inEveryOrder([authorization, record('2', 'CAPTURE', 100, '1')], (orderState) => {
        assert.deepEqual(shown(orderState), ['INV|1 succeeded 10000']);
        assert.equal(orderState.summary.status, 'completed');
      });
    });

    test('partial captures are added up, and the payment is authorized until all is captured', () => {
      const parts = [record('2', 'CAPTURE', 60, '1'), record('3', 'CAPTURE', 40, '1')] as const;
      inEveryOrder([authorization, parts[0]], (orderState) => {
        assert.deepEqual(shown(orderState), ['INV|1 authorized 10000']);
        assert.deepEqual(flagsOf(orderState), []);
        assert.equal(orderState.summary.status, 'pending');
      });
      inEveryOrder([authorization, ...parts], (orderState) => {
        assert.deepEqual(shown(orderState), ['INV|1 succeeded 10000']);
        assert.equal(orderState.summary.status, 'completed');
      });
    });

    test('a status fetch that repeats the current totals adds nothing', () => {
      const totals = { order: { totalCapturedAmount: 100 } };
      const webhooks = [
        authorization,
        record('2', 'CAPTURE', 60, '1', { order: { totalCapturedAmount: 60 } }),
        record('3', 'CAPTURE', 40, '1', totals),
      ];
      const fetched = [
        record('1', 'AUTHORIZATION', 100, undefined, totals),
        record('2', 'CAPTURE', 60, '1', totals),
        record('3', 'CAPTURE', 40, '1', totals),
      ];
      for (const set of [[...webhooks, ...fetched], [...fetched, ...webhooks].toReversed()]) {
        const orderState = orderStateAfter(set);
        assert.deepEqual(shown(orderState), ['INV|1 succeeded 10000']);
        assert.equal(refundSums(orderState.transactions, 'INR').paid, 10_000);
      }
    });

    test('the captured amount never exceeds the newest total', () => {
      const set = [
        authorization,
        record('2', 'CAPTURE', 100, '1'),
        record('3', 'CAPTURE', 100, '1', { order: { totalCapturedAmount: 100 } }),
      ];
      inEveryOrder(set, (orderState) =>
        assert.deepEqual(shown(orderState), ['INV|1 succeeded 10000']),
      );
    });

    test('a total does not limit captures after its time', () => {
      const early = { order: { totalCapturedAmount: 0 } };
      const set = [
        record('1', 'AUTHORIZATION', 100, undefined, early),
        record('2', 'CAPTURE', 100, '1'),
      ];
      inEveryOrder(set, (orderState) =>
        assert.deepEqual(shown(orderState), ['INV|1 succeeded 10000']),
      );
    });

    test('a partial capture is refundable and flagged once the order lapses', () => {
      inEveryOrder([authorization, record('2', 'CAPTURE', 60, '1')], (open) => {
        const orderState = settle(open, lapsesAt);
        assert.deepEqual(shown(orderState), ['INV|1 succeeded 6000']);
        assert.deepEqual(flagsOf(orderState), ['partially_captured']);
        assert.equal(orderState.summary.status, 'lapsed');
        assert.equal(refundSums(orderState.transactions, 'INR').paid, 6_000);
        assert.deepEqual(
          shown(settle(orderState, now)),
          ['INV|1 authorized 10000'],
          'time is all of it',
        );
      });
    });

    test('a partial capture is final as soon as the rest is voided', () => {
      const rest = record('3', 'VOID_AUTHORIZATION', 40, '1');
      inEveryOrder([authorization, record('2', 'CAPTURE', 60, '1'), rest], (orderState) => {
        assert.deepEqual(shown(orderState), ['INV|1 succeeded 6000']);
        assert.deepEqual(flagsOf(orderState), ['partially_captured']);
        assert.equal(orderState.summary.status, 'pending');
      });
    });

    test('capturing the rest after the order has lapsed completes the order', () => {
      const set = [authorization, record('2', 'CAPTURE', 60, '1'), record('3', 'CAPTURE', 40, '1')];
      const orderState = settle(orderStateAfter(set), lapsesAt);
      assert.deepEqual(shown(orderState), ['INV|1 succeeded 10000']);
      assert.deepEqual(flagsOf(orderState), []);
      assert.equal(orderState.summary.status, 'completed');
    });

    test('a void of the capture leaves the payment authorized and flagged', () => {
      const set = [
        authorization,
        record('2', 'CAPTURE', 100, '1'),
        record('3', 'VOID_CAPTURE', 100, '2'),
      ];
      inEveryOrder(set, (orderState) => {
        assert.deepEqual(shown(orderState), ['INV|1 authorized 10000']);
        assert.deepEqual(flagsOf(orderState), ['payment_reversed']);
        assert.equal(orderState.summary.status, 'pending');
      });
    });

    test('a payment that is captured, voided and captured again is succeeded', () => {
      const set = [
        authorization,
        record('2', 'CAPTURE', 100, '1'),
        record('3', 'VOID_CAPTURE', 100, '2'),
        record('4', 'CAPTURE', 100, '1'),
      ];
      inEveryOrder(set, (orderState) => {
        assert.deepEqual(shown(orderState), ['INV|1 succeeded 10000']);
        assert.deepEqual(flagsOf(orderState), []);
        assert.equal(orderState.summary.status, 'completed');
      });
    });

    test('a void of the authorisation or of the payment reverses the payment', () => {
      const payment = record('1', 'PAYMENT', 100);
      for (const set of [
        [authorization, record('2', 'VOID_AUTHORIZATION', 100, '1')],
        [payment, record('2', 'VOID_PAYMENT', 100, '1')],
        [payment, record('2', 'VOID_CAPTURE', 100, '1')],
      ]) {
        inEveryOrder(set, (orderState) => {
          assert.deepEqual(shown(orderState), ['INV|1 reversed 10000']);
          assert.deepEqual(flagsOf(orderState), ['payment_reversed']);
        });
      }
    });

    test('a payment is reversed after its captures and then its authorisation are voided', () => {
      const set = [
        authorization,
        record('2', 'CAPTURE', 100, '1'),
        record('3', 'VOID_CAPTURE', 100, '2'),
        record('4', 'VOID_AUTHORIZATION', 100, '1'),
      ];
      inEveryOrder(set, (orderState) =>
        assert.deepEqual(shown(orderState), ['INV|1 reversed 10000']),
      );
    });

    test('a pending void is shown, and a failed one is not', () => {
      const paid = [authorization, record('2', 'CAPTURE', 100, '1')];
      const pending = record('3', 'VOID_CAPTURE', 100, '2', { result: 'PENDING' });
      const failed = record('3', 'VOID_CAPTURE', 100, '2', { result: 'FAILURE' });
      inEveryOrder([...paid, pending], (orderState) => {
        assert.deepEqual(shown(orderState), ['INV|1 reversing 10000']);
      });
      inEveryOrder([...paid, pending, failed], (orderState) => {
        assert.deepEqual(shown(orderState), ['INV|1 succeeded 10000']);
      });
    });

    test('a failed or pending capture counts for nothing', () => {
      for (const result of ['FAILURE', 'PENDING']) {
        inEveryOrder(
          [authorization, record('2', 'CAPTURE', 100, '1', { result })],
          (orderState) => {
            assert.deepEqual(shown(orderState), ['INV|1 authorized 10000']);
          },
        );
      }
    });

    test('a voided refund is failed and flagged, and its amount can be refunded again', () => {
      const set = [
        record('1', 'PAYMENT', 100),
        record('2', 'REFUND', 30, '1'),
        record('3', 'VOID_REFUND', 30, '2'),
      ];
      inEveryOrder(set, (orderState) => {
        assert.deepEqual(shown(orderState), ['INV|1 succeeded 10000', 'INV|2 failed 3000']);
        assert.deepEqual(flagsOf(orderState), ['refund_voided']);
        const refund = orderState.transactions.find(({ type }) => type === 'refund');
        assert.equal(refund?.failure?.code, 'REFUND_FAILED');
        assert.deepEqual(refundSums(orderState.transactions, 'INR'), {
          paid: 10_000,
          refunded: 0,
          pending: 0,
        });
      });
    });
  });
}

describe('a capture without a target', () => {
  const capture = reported('3', 'CAPTURE', 100);
  const first = reported('1', 'AUTHORIZATION', 100);
  const second = reported('2', 'AUTHORIZATION', 100);

  test('is a payment of its own while its authorisation is not known', () => {
    const orderState = orderStateAfter([capture]);
    assert.deepEqual(shown(orderState), ['INV|3 succeeded 10000']);
    assert.equal(orderState.summary.status, 'completed');
  });

  test('keeps its first transaction id', () => {
    const [alone] = orderStateAfter([capture]).transactions;
    const [known] = orderStateAfter([capture, first]).transactions;
    assert.equal(known?.transactionId, alone?.transactionId);
    assert.equal(known?.pspTransactionId, 'INV|1');
  });

  test('that could belong to several payments is applied to none and flagged', () => {
    inEveryOrder([first, second, capture], (orderState) => {
      assert.deepEqual(shown(orderState), ['INV|1 authorized 10000', 'INV|2 authorized 10000']);
      assert.deepEqual(orderState.summary.flags, ['target_unknown']);
      assert.equal(orderState.summary.status, 'pending');
    });
  });

  test('belongs to the only payment that did not fail', () => {
    const failed = reported('2', 'AUTHORIZATION', 100, undefined, { result: 'FAILURE' });
    inEveryOrder([first, failed, capture], (orderState) => {
      assert.deepEqual(shown(orderState), ['INV|1 succeeded 10000', 'INV|2 failed 10000']);
      assert.deepEqual(orderState.summary.flags, []);
    });
  });

  test('counts once when it is also reported with its target, even among several payments', () => {
    const targeted = reported('3', 'CAPTURE', 100, '2');
    inEveryOrder([first, capture, targeted, second], (orderState) => {
      assert.deepEqual(shown(orderState), ['INV|1 authorized 10000', 'INV|2 succeeded 10000']);
      assert.deepEqual(orderState.summary.flags, []);
    });
  });

  test('that is reported with two targets is applied to none and flagged', () => {
    const set = [
      first,
      second,
      reported('3', 'CAPTURE', 100, '1'),
      reported('3', 'CAPTURE', 100, '2'),
    ];
    inEveryOrder(set, (orderState) => {
      assert.deepEqual(shown(orderState), ['INV|1 authorized 10000', 'INV|2 authorized 10000']);
      assert.deepEqual(orderState.summary.flags, ['reference_conflict']);
    });
  });
});

describe('a refund without a target', () => {
  const refund = reported('3', 'REFUND', 30);

  test('is applied to none and flagged when several payments did not fail', () => {
    const set = [reported('1', 'PAYMENT', 100), reported('2', 'PAYMENT', 100), refund];
    inEveryOrder(set, (orderState) => {
      assert.equal(orderState.transactions.filter(({ type }) => type === 'refund').length, 0);
      assert.deepEqual(orderState.summary.flags, ['target_unknown']);
    });
  });

  test('exists before its payment is known', () => {
    assert.deepEqual(shown(orderStateAfter([refund])), ['INV|3 succeeded 3000']);
  });
});

describe('a void without a target', () => {
  test('cancels a successful refund, never a failed one', () => {
    const set = [
      reported('1', 'PAYMENT', 100),
      reported('2', 'REFUND', 30),
      reported('3', 'REFUND', 30, undefined, { result: 'FAILURE' }),
      reported('4', 'VOID_REFUND', 30),
    ];
    inEveryOrder(set, (orderState) =>
      assert.equal(refundSums(orderState.transactions, 'INR').refunded, 0),
    );
  });

  test('cancels a successful capture rather than a pending one', () => {
    const set = [
      reported('1', 'AUTHORIZATION', 100),
      reported('2', 'CAPTURE', 50),
      reported('3', 'CAPTURE', 50, undefined, { result: 'PENDING' }),
      reported('4', 'VOID_CAPTURE', 50),
    ];
    inEveryOrder(set, (orderState) => {
      assert.equal(refundSums(settle(orderState, lapsesAt).transactions, 'INR').paid, 0);
    });
  });

  test('is not parked when it failed', () => {
    const orderState = orderStateAfter([reported('1', 'AUTHORIZATION', 100)]);
    const failed = reported('2', 'VOID_CAPTURE', 100, undefined, { result: 'FAILURE' });
    assert.equal(lacksTarget(orderState, failed), false);
    assert.deepEqual(shown(applyNotice(orderState, failed)), ['INV|1 authorized 10000']);
  });
});

test('a capture that was pending when a total was reported counts once it succeeds', () => {
  const late = '2026-11-14T10:09:00.000Z';
  const set = [
    reported('1', 'AUTHORIZATION', 100),
    reported('2', 'CAPTURE', 100, '1', { result: 'PENDING', order: { totalCapturedAmount: 0 } }),
    reported('2', 'CAPTURE', 100, '1', { timeOfLastUpdate: late }),
  ];
  inEveryOrder(set, (orderState) => assert.deepEqual(shown(orderState), ['INV|1 succeeded 10000']));
});

test('a capture in an unsupported currency makes the payment succeeded, with an unknown amount', () => {
  const currency = { currency: 'XYZ' };
  const set = [
    reported('1', 'AUTHORIZATION', 100, undefined, { order: currency, transaction: currency }),
    reported('2', 'CAPTURE', 100, '1', { order: currency, transaction: currency }),
  ];
  inEveryOrder(set, (orderState) => {
    assert.deepEqual(shown(orderState), ['INV|1 succeeded null']);
    assert.deepEqual(flagsOf(orderState), ['currency_mismatch']);
  });
});

test("a partial capture that is settled by failed attempts stays settled, and is finished when the order's time is over", () => {
  const failures = Array.from({ length: 15 }, (_, index) =>
    reported(`f${index}`, 'PAYMENT', 100, undefined, { result: 'FAILURE' }),
  );
  const open = orderStateAfter([
    reported('1', 'AUTHORIZATION', 100),
    reported('2', 'CAPTURE', 60, '1'),
    ...failures,
  ]);
  assert.deepEqual(settle(open, lapsesAt), settle(settle(open, now), lapsesAt));
  const [part] = open.transactions.filter(({ status }) => status === 'succeeded');
  assert.deepEqual([part?.amount, part?.finishedAtMs], [6_000, null]);
});

test('an id belongs to one payment, even if two pairs of ids look alike', () => {
  const one = reported('1|2', 'PAYMENT', 100);
  const other = reported('2', 'PAYMENT', 100, undefined, { order: { id: 'INV|1' } });
  inEveryOrder([one, other], (orderState) => {
    assert.deepEqual(shown(orderState), ['INV|1|2 succeeded 10000']);
  });
});

test("capturing the order's amount is a full capture, even if more was authorised", () => {
  const set = [reported('1', 'AUTHORIZATION', 150), reported('2', 'CAPTURE', 100, '1')];
  inEveryOrder(set, (orderState) => {
    assert.deepEqual(shown(orderState), ['INV|1 succeeded 10000']);
    assert.equal(orderState.summary.status, 'completed');
  });
});

test("a full capture of less than the order's amount is an amount mismatch", () => {
  const set = [reported('1', 'AUTHORIZATION', 90), reported('2', 'CAPTURE', 90, '1')];
  inEveryOrder(set, (orderState) => {
    assert.deepEqual(shown(orderState), ['INV|1 succeeded 9000']);
    assert.deepEqual(flagsOf(orderState), ['amount_mismatch']);
  });
});

/** A notification of the gateway with its own time; without totals unless given. */
function reported(id: string, type: string, amount: number, target?: string, more: Fields = {}) {
  deliveries += 1;
  const at = `2026-11-14T10:0${id.at(-1)}:00.000Z`;
  const body = gatewayBody({
    result: 'SUCCESS',
    timeOfRecord: at,
    timeOfLastUpdate: at,
    ...more,
    order: {
      id: 'INV',
      amount: 100,
      totalCapturedAmount: undefined,
      lastUpdatedTime: undefined,
      ...(more.order as Fields),
    },
    transaction: {
      id,
      type,
      amount,
      ...(target !== undefined && { targetTransactionId: target }),
      ...(more.transaction as Fields),
    },
  });
  const translation = bankGateway.translate(
    { headers: {}, body: Buffer.from(JSON.stringify(body)) },
    { expectedMerchant: null },
  );
  assert.equal(translation.kind, 'notice');
  const from = { provider: 'bank-gateway', deliveryKey: `d${deliveries}`, receivedAt: now };
  return { ...(translation.kind === 'notice' && translation.notice), ...from } as DeliveredNotice;
}

/** A void that arrives before its target is parked until then. */
function orderStateAfter(notices: readonly DeliveredNotice[]) {
  let orderState = empty;
  let waiting: DeliveredNotice[] = [];
  for (const notice of notices) {
    const due = [notice, ...waiting];
    waiting = [];
    for (const one of due) {
      if (lacksTarget(orderState, one)) waiting.push(one);
      else orderState = applyNotice(orderState, one);
    }
  }
  return settle(orderState, now);
}

function inEveryOrder(
  notices: readonly DeliveredNotice[],
  check: (orderState: ReturnType<typeof orderStateAfter>) => void,
): void {
  for (const arrival of permutations(notices)) check(orderStateAfter(arrival));
}

function permutations<T>(entries: readonly T[]): T[][] {
  if (entries.length <= 1) return [[...entries]];
  return entries.flatMap((entry, index) =>
    permutations(entries.toSpliced(index, 1)).map((rest) => [entry, ...rest]),
  );
}

function shown({ transactions }: OrderState): string[] {
  return transactions
    .map(({ pspTransactionId, status, amount }) => `${pspTransactionId} ${status} ${amount}`)
    .sort();
}

function flagsOf({ transactions }: OrderState): string[] {
  return transactions.flatMap(({ flags }) => flags);
}
