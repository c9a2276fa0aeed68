import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { paymentsOf } from '../../../src/domain/order-state/matching.ts';
import {
  applyNotice,
  applyStart,
  type OrderState,
} from '../../../src/domain/order-state/order-state.ts';
import { refundBalance } from '../../../src/domain/order-state/refund-links.ts';
import { listAnnounced } from '../../../src/domain/order-state/relate.ts';
import { type SettledOrderState, settle } from '../../../src/domain/order-state/settle.ts';
import type { DeliveredNotice } from '../../../src/domain/payments/notice.ts';
import type { Start } from '../../../src/domain/payments/start.ts';
import type { ProviderName } from '../../../src/domain/provider-name.ts';
import { findNotice } from '../../support/delivered-notice.ts';
import {
  gatewayBody,
  partnerEvent,
  partnerPayment,
  partnerRefund,
} from '../../support/deliveries.ts';

type Fields = Record<string, unknown>;
/** A notice, or what is known of a payment that was started here. */
type Fact = DeliveredNotice | { readonly providerOrderId: string };

const now = new Date('2026-11-14T12:00:00Z');
const total = 100_000;
const empty: OrderState = {
  order: {
    orderId: 'o_0123456789abcdef',
    amounts: { currency: 'INR', beforeTax: total, tax: 0, total },
    lapsesAt: new Date('2026-11-20T00:00:00Z'),
  },
  transactions: [],
  held: [],
};

describe('the discount of an offer', () => {
  const cheap = { id: 'pay_1', amount: 100, offer_id: 'offer_1', order_id: null };

  test('is not inferred for a payment of no order of the partner', () => {
    inEveryOrder([captured(cheap), created('order_ours')], (state) => {
      assert.deepEqual(linesOf(state), ['pay_1 succeeded 100 null amount_mismatch']);
      assert.equal(state.summary.status, 'pending');
    });
  });

  test('is inferred for a payment of an order that we created at the partner', () => {
    const payment = captured({ ...cheap, amount: 90_000, order_id: 'order_ours' });
    inEveryOrder([payment, created('order_ours')], (state) => {
      assert.deepEqual(linesOf(state), ['pay_1 succeeded 90000 10000']);
      assert.equal(state.summary.status, 'completed');
    });
  });

  test('is inferred for a second payment of that order, which is a duplicate', () => {
    const of = { offer_id: 'offer_1', amount: 90_000, order_id: 'order_ours' };
    const first = captured({ ...of, id: 'pay_1' }, 10);
    const second = captured({ ...of, id: 'pay_2' }, 20);
    inEveryOrder([first, second, created('order_ours')], (state) => {
      assert.deepEqual(linesOf(state), [
        'pay_1 succeeded 90000 10000',
        'pay_2 succeeded 90000 10000 duplicate_capture',
      ]);
    });
  });

  test('is not inferred for an order of the partner that somebody else created', () => {
    const payment = captured({ ...cheap, order_id: 'order_theirs' });
    inEveryOrder([payment, created('order_ours')], (state) => {
      assert.deepEqual(linesOf(state), ['pay_1 succeeded 100 null amount_mismatch']);
    });
  });

  test('counts if the delivery has an order of the partner with the amount of our order', () => {
    const order = { id: 'order_theirs', amount: total, offers: ['offer_1'] };
    const payment = captured({ ...cheap, amount: 90_000, order_id: 'order_theirs' }, 0, { order });
    inEveryOrder([payment], (state) => {
      assert.deepEqual(linesOf(state), ['pay_1 succeeded 90000 10000']);
      assert.equal(state.summary.status, 'completed');
    });
  });

  for (const amount of [100, 200]) {
    test(`does not count if that order has the amount ${amount}`, () => {
      const order = { id: 'order_theirs', amount, offers: ['offer_1'] };
      const payment = captured({ ...cheap, order_id: 'order_theirs' }, 0, { order });
      inEveryOrder([payment], (state) => {
        assert.deepEqual(linesOf(state), ['pay_1 succeeded 100 null amount_mismatch']);
        assert.equal(state.summary.status, 'pending');
      });
    });
  }
});

describe('refunds made elsewhere', () => {
  const paid = { id: 'pay_1', amount: total };

  test('that the partner only counts are flagged and not available', () => {
    inEveryOrder([captured({ ...paid, amount_refunded: 30_000 })], (state) => {
      assert.deepEqual(linesOf(state), ['pay_1 succeeded 100000 null refund_unknown']);
      assert.deepEqual(balanceOf(state), [total, 0, 70_000]);
    });
  });

  test('are known once their refund is, in any order of arrival', () => {
    const payment = { ...paid, amount_refunded: 30_000 };
    const refund = refunded('rfnd_1', 30_000, { amount_refunded: 30_000 });
    inEveryOrder([captured(payment), refund], (state) => {
      assert.deepEqual(linesOf(state), ['pay_1 succeeded 100000 null']);
      assert.deepEqual(balanceOf(state), [total, 30_000, 70_000]);
    });
  });

  test('are not hidden by a refund that was made after the provider counted them', () => {
    const counted = captured({ ...paid, amount_refunded: 30_000 }, 60);
    const later = polledRefund('rfnd_2', 40_000, 120);
    inEveryOrder([counted, later], (state) => {
      assert.deepEqual(linesOf(state), ['pay_1 succeeded 100000 null refund_unknown']);
      assert.deepEqual(balanceOf(state), [total, 40_000, 30_000]);
    });
  });

  test('that a later read does not list any more are forgotten', () => {
    const old = captured({ ...paid, amount_refunded: 30_000 }, 60);
    inEveryOrder([old, read({ ...paid, amount_refunded: 0 }, 120)], (state) => {
      assert.deepEqual(linesOf(state), ['pay_1 succeeded 100000 null']);
    });
  });

  test('that are counted after the last read are flagged again', () => {
    const later = captured({ ...paid, amount_refunded: 30_000 }, 240);
    inEveryOrder([read({ ...paid, amount_refunded: 0 }, 120), later], (state) => {
      assert.deepEqual(linesOf(state), ['pay_1 succeeded 100000 null refund_unknown']);
    });
  });

  test('of a gateway order are compared with its total', () => {
    const payment = gateway('1', 'PAYMENT', 1_000, {}, { totalRefundedAmount: 0 });
    const refund = gateway('3', 'REFUND', 200, {}, { totalRefundedAmount: 500 });
    inEveryOrder([payment, refund], (state) => {
      assert.deepEqual(linesOf(state), ['INV|1 succeeded 100000 null refund_unknown']);
      assert.deepEqual(balanceOf(state), [total, 20_000, 50_000]);
    });
    const other = gateway('2', 'REFUND', 300, {}, { totalRefundedAmount: 300 });
    inEveryOrder([payment, refund, other], (state) => {
      assert.deepEqual(linesOf(state), ['INV|1 succeeded 100000 null']);
      assert.deepEqual(balanceOf(state), [total, 50_000, 50_000]);
    });
  });

  test('of a gateway order are found in the report of a declined attempt, and not withdrawn by one', () => {
    const declined = (id: string, totalRefundedAmount: number) => {
      const timeOfLastUpdate = `2026-11-14T11:0${id}:00Z`;
      const more = { result: 'FAILURE', timeOfLastUpdate };
      return gateway(id, 'AUTHENTICATION', 1_000, more, { totalRefundedAmount });
    };
    inEveryOrder(
      [gateway('1', 'PAYMENT', 1_000), declined('2', 500), declined('3', 0)],
      (state) => {
        const [paid] = linesOf(state);
        assert.equal(paid, 'INV|1 succeeded 100000 null refund_unknown');
        assert.deepEqual(balanceOf(state), [total, 0, 50_000]);
      },
    );
  });

  test('of a payment with its fee do not lower what is left of another payment', () => {
    const withFee = { id: 'pay_1', amount: total + 2_360, fee: 2_360, fee_bearer: 'customer' };
    const gross = refunded('rfnd_1', total + 2_360, { ...withFee, amount_refunded: total + 2_360 });
    const other = captured({ id: 'pay_2', amount: total }, 20);
    inEveryOrder([captured(withFee, 10), other, gross], (state) => {
      assert.deepEqual(balanceOf(state), [2 * total, total + 2_360, total]);
    });
  });
});

describe('of several payments that succeeded', () => {
  const first = { id: 'pay_1', amount: total, created_at: 1_794_650_000 };
  const second = { id: 'pay_2', amount: total, created_at: 1_794_650_300 };

  test('the first by the time of the provider pays, also if a poll found the second without a time', () => {
    inEveryOrder([captured(first, 100), polled(second)], (state) => {
      assert.deepEqual(duplicatesOf(state), ['pay_2']);
    });
  });

  test('one that was announced as a duplicate stays one, whatever is reported later', () => {
    const before = applyAll([captured(first, 100), captured(second, 400)]);
    assert.deepEqual(duplicatesOf(before), ['pay_2']);
    const announced = { ...before, announcedDuplicates: listAnnounced(before.transactions) };
    const after = settle(applyNotice(announced, captured(second, 50, {}, 'order.paid')), now);
    assert.deepEqual(duplicatesOf(after), ['pay_2']);
  });

  test('an announced duplicate stays one after the payment that counted was reversed', () => {
    const paid = gateway('1', 'PAYMENT', 1_000);
    const twice = gateway('2', 'PAYMENT', 1_000, { timeOfLastUpdate: '2026-11-14T10:09:00Z' });
    const before = applyAll([paid, twice]);
    const announced = { ...before, announcedDuplicates: listAnnounced(before.transactions) };
    const voided = gateway('3', 'VOID_PAYMENT', 1_000, { target: '1' });
    const after = settle(applyNotice(announced, voided), now);
    assert.deepEqual(duplicatesOf(after), ['INV|2']);
    assert.equal(after.summary.status, 'completed');
  });
});

test('an announced duplicate stays one in every status: it may succeed again', () => {
  const later = (id: string, type: string, more: Fields = {}) =>
    gateway(id, type, 1_000, { timeOfLastUpdate: `2026-11-14T10:1${id}:00Z`, ...more });
  const paid = captured({ id: 'pay_1', amount: total }, 0);
  const inSteps = [later('1', 'AUTHORIZATION'), later('2', 'CAPTURE', { target: '1' })];
  const voided = (type: string, target: string) => later('3', type, { target });
  for (const { twice, next, status } of [
    { twice: inSteps, next: voided('VOID_CAPTURE', '2'), status: 'authorized' },
    { twice: [later('1', 'PAYMENT')], next: voided('VOID_PAYMENT', '1'), status: 'reversed' },
  ]) {
    const before = applyAll([paid, ...twice]);
    assert.deepEqual(duplicatesOf(before), ['INV|1']);
    const announcedDuplicates = listAnnounced(before.transactions);
    const after = settle(applyNotice({ ...before, announcedDuplicates }, next), now);
    assert.deepEqual(duplicatesOf(after), ['INV|1']);
    assert.equal(after.transactions.at(-1)?.status, status);
  }
});

describe('a gateway payment in one step', () => {
  test('is bounded by the total that was captured, and does not complete the order', () => {
    inEveryOrder([gateway('1', 'PAYMENT', 1_000, {}, { totalCapturedAmount: 600 })], (state) => {
      assert.deepEqual(linesOf(state), ['INV|1 succeeded 60000 null partially_captured']);
      assert.equal(state.summary.status, 'pending');
      assert.deepEqual(balanceOf(state), [60_000, 0, 60_000]);
    });
  });

  test('that was approved in part does not complete the order, whatever its amount says', () => {
    const response = { gatewayCode: 'PARTIALLY_APPROVED' };
    inEveryOrder([gateway('1', 'PAYMENT', 1_000, { response })], (state) => {
      assert.deepEqual(linesOf(state), ['INV|1 succeeded 100000 null partially_captured']);
      assert.equal(state.summary.status, 'pending');
    });
  });

  test('is not bounded by the total of a declined attempt with a later time', () => {
    const declined = gateway(
      '1',
      'PAYMENT',
      1_000,
      { result: 'FAILURE', timeOfLastUpdate: '2026-11-14T11:00:00Z' },
      { totalCapturedAmount: 0 },
    );
    const paid = gateway('2', 'PAYMENT', 1_000, {}, { totalCapturedAmount: 1_000 });
    inEveryOrder([declined, paid], (state) => {
      assert.equal(state.summary.status, 'completed');
      assert.ok(linesOf(state).includes('INV|2 succeeded 100000 null'));
    });
  });
});

test('a capture counts although its authorisation has a later time and a total of 0', () => {
  const authorised = gateway(
    '1',
    'AUTHORIZATION',
    1_000,
    { timeOfLastUpdate: '2026-11-14T11:00:00Z' },
    { totalCapturedAmount: 0 },
  );
  const capture = gateway('2', 'CAPTURE', 1_000, { target: '1' }, { totalCapturedAmount: 1_000 });
  inEveryOrder([authorised, capture], (state) => {
    assert.equal(state.summary.status, 'completed');
  });
});

test('a void of the rest does not release a payment of which a capture was not reported yet', () => {
  const authorised = gateway('1', 'AUTHORIZATION', 1_000);
  const rest = gateway(
    '3',
    'VOID_AUTHORIZATION',
    400,
    { target: '1' },
    { totalCapturedAmount: 600 },
  );
  inEveryOrder([authorised, rest], (state) => {
    assert.deepEqual(linesOf(state), ['INV|1 authorized 100000 null']);
  });
  const capture = gateway('2', 'CAPTURE', 600, { target: '1' }, { totalCapturedAmount: 600 });
  inEveryOrder([authorised, rest, capture], (state) => {
    assert.deepEqual(linesOf(state), ['INV|1 succeeded 60000 null partially_captured']);
  });
});

describe('an authorisation whose fee is not known yet', () => {
  const authorised = (amount: number) =>
    partner('payment.authorized', {
      payment: partnerPayment({
        id: 'pay_1',
        status: 'authorized',
        captured: false,
        amount,
        fee: null,
        tax: null,
        fee_bearer: 'customer',
      }),
    });

  test('is not flagged for an amount that may include a fee', () => {
    inEveryOrder([authorised(total + 2_360)], (state) => {
      assert.deepEqual(linesOf(state), ['pay_1 authorized 102360 null']);
    });
  });

  test('is flagged for an amount below that of the order', () => {
    inEveryOrder([authorised(total - 1)], (state) => {
      assert.deepEqual(linesOf(state), ['pay_1 authorized 99999 null amount_mismatch']);
    });
  });
});

function inEveryOrder(facts: readonly Fact[], holds: (state: SettledOrderState) => void): void {
  for (const arrangement of permutations(facts)) holds(applyAll(arrangement));
}

function permutations<Entry>(entries: readonly Entry[]): Entry[][] {
  if (entries.length < 2) return [[...entries]];
  return entries.flatMap((entry, index) =>
    permutations(entries.toSpliced(index, 1)).map((rest) => [entry, ...rest]),
  );
}

function applyAll(facts: readonly Fact[]): SettledOrderState {
  const after = facts.reduce<OrderState>(
    (state, fact) =>
      'provider' in fact ? applyNotice(state, fact) : applyStart(state, startOf(fact)),
    empty,
  );
  return settle(after, now);
}

function startOf({ providerOrderId }: { readonly providerOrderId: string }) {
  const start: Start = { atMs: 0, amount: total, currency: 'INR', call: 'taken', providerOrderId };
  const transactionId = `${empty.order.orderId}-261114090000`;
  return { type: 'payment', transactionId, provider: 'partner', start } as const;
}

/** A payment that we started: our call created this order at the partner. */
function created(providerOrderId: string): Fact {
  return { providerOrderId };
}

const event0 = 1_794_650_000;

function partner(
  event: string,
  records: Record<string, Fields>,
  envelope: Fields = { created_at: event0 },
): DeliveredNotice {
  return deliver('partner', { ...partnerEvent(event, records), ...envelope });
}

function captured(
  payment: Fields,
  seconds = 0,
  records: Record<string, Fields> = {},
  event = 'payment.captured',
): DeliveredNotice {
  const at = { created_at: event0 + seconds };
  return partner(event, { payment: partnerPayment(payment), ...records }, at);
}

/** What a poll finds: it has no time of the event. */
function polled(payment: Fields): DeliveredNotice {
  const none = { created_at: undefined };
  return partner('payment.captured', { payment: partnerPayment(payment) }, none);
}

/** What a read of the refunds stores. */
function read(payment: Fields, seconds: number): DeliveredNotice {
  const envelope = { created_at: undefined, read_at: event0 + seconds };
  return partner('payment.captured', { payment: partnerPayment(payment) }, envelope);
}

function refunded(id: string, amount: number, ofPayment: Fields): DeliveredNotice {
  const payment = partnerPayment({ id: 'pay_1', amount: total, ...ofPayment });
  const refund = partnerRefund(payment, { id, amount, receipt: id, created_at: event0 });
  return partner('refund.processed', { payment, refund }, { created_at: event0 + 600 });
}

/** A refund that a poll found: its answer has no payment and no total. */
function polledRefund(id: string, amount: number, seconds: number): DeliveredNotice {
  const created_at = event0 + seconds;
  const refund = partnerRefund({ id: 'pay_1' }, { id, amount, receipt: id, created_at });
  return partner('refund.created', { refund }, { created_at: undefined });
}

function gateway(
  id: string,
  type: string,
  amount: number,
  { target, ...fields }: Fields = {},
  order: Fields = {},
): DeliveredNotice {
  const times = { timeOfRecord: `2026-11-14T10:0${id}:00Z` };
  return deliver(
    'bank-gateway',
    gatewayBody({
      ...times,
      timeOfLastUpdate: times.timeOfRecord,
      ...fields,
      order: {
        id: 'INV',
        amount: 1_000,
        lastUpdatedTime: undefined,
        totalCapturedAmount: undefined,
        totalRefundedAmount: undefined,
        ...order,
      },
      transaction: { id, type, amount, targetTransactionId: target },
    }),
  );
}

function deliver(provider: ProviderName, body: Fields): DeliveredNotice {
  const notice = findNotice({ provider, eventId: undefined, body } as never, now);
  assert.ok(notice);
  return notice;
}

/** Without payments that were started here and of which the provider has reported nothing. */
function linesOf({ transactions }: OrderState): string[] {
  return paymentsOf(transactions)
    .filter(({ pspTransactionId }) => pspTransactionId !== null)
    .map(({ pspTransactionId, status, amount, offerDiscount, flags }) =>
      [pspTransactionId, status, amount, String(offerDiscount), ...flags].join(' '),
    )
    .sort();
}

function duplicatesOf({ transactions }: OrderState): Array<string | null> {
  return transactions
    .filter(({ flags }) => flags.includes('duplicate_capture'))
    .map(({ pspTransactionId }) => pspTransactionId);
}

function balanceOf({ transactions }: OrderState): number[] {
  const { paid, refunded: made, available } = refundBalance(transactions, 'INR');
  return [paid, made, available];
}
