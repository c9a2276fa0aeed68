import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { Translation } from '../../src/domain/inbox/translation.ts';
import {
  applyNotice,
  decideOrderSummary,
  lacksTarget,
  type OrderState,
  type OrderSummary,
} from '../../src/domain/order-state/order-state.ts';
import type { DeliveredNotice, Notice } from '../../src/domain/payments/notice.ts';
import { bankGateway } from '../../src/providers/bank-gateway/bank-gateway.ts';
import { gatewayBody, pathsOf, replaceAt, toFormData } from '../support/deliveries.ts';

type Fields = Record<string, unknown>;

const seconds = (text: string) => Date.parse(`2026-11-14T10:00:${text}.000Z`);

/** A notification with every group that the gateway can send, also those that are not used. Contract 6.12. */
const everyField = gatewayBody({
  authentication: {
    '3ds': { acsEci: '05', transactionId: 'NRVHvBVZFl4zw0wTFPBu0pVAAAA=' },
    '3ds2': {
      dsTransactionId: '0e4ad9a8-2d63-4a8f-9c8c-5f1a3b8e7d10',
      protocolVersion: '2.2.0',
      transactionStatus: 'Y',
    },
    amount: 118.0,
    time: '2026-11-14T10:00:05.000Z',
    transactionId: 'auth-1',
    version: '3DS2',
  },
  device: { browser: 'Mozilla/5.0', ipAddress: '203.0.113.7' },
  order: { id: 'o_1', reference: 'INV-1' },
  response: { cardSecurityCode: { acquirerCode: 'M', gatewayCode: 'MATCH' } },
  risk: {
    response: {
      gatewayCode: 'ACCEPTED',
      review: { decision: 'NOT_REQUIRED', note: 'none' },
      rule: [
        { data: '05', name: 'ECI', recommendation: 'NO_ACTION', type: 'MERCHANT_RULE' },
        { data: 'M', name: 'CSC', recommendation: 'NO_ACTION', type: 'MSO_RULE' },
      ],
    },
  },
  transaction: { authenticationStatus: 'AUTHENTICATION_SUCCESSFUL', reference: 'INV-1/1' },
});

const anyOf = (id: string) => ({ transactionIds: [id], orderIds: [id], invoiceIds: [id] });
const namedBy = (id: string) => ({ ...anyOf(id), providerOrderId: id });

const everyFieldNotice: Notice = {
  references: { ...namedBy('o_1'), fallbacks: [anyOf('INV-1'), anyOf('INV-1/1')] },
  payment: {
    pspTransactionId: 'o_1|1',
    pspOrder: 'o_1',
    capturedTotal: { amount: 11800, atMs: seconds('31') },
    status: 'succeeded',
    amount: 11800,
    currency: 'INR',
    occurredAtMs: seconds('31'),
    statusSinceMs: seconds('31'),
    startedAtMs: seconds('00'),
    recordedAtMs: seconds('30'),
    namedAtMs: seconds('00'),
    message: 'Approved',
    paymentMode: 'Credit Card',
    subPaymentMode: {
      scheme: 'VISA',
      card_type: 'CREDIT',
      issuer: 'HDFC BANK',
      masked_card: '411111xxxxxx1111',
    },
    paymentArn: '331510000123',
    paymentAcquirer: 'HDFC_S2I',
  },
};

test('a payment with every field of the gateway is translated field by field', () => {
  assert.deepEqual(noticeOf(everyField), everyFieldNotice);
});

test('form data of the same notification gives the same notice', () => {
  const form = toFormData(everyField);
  assert.ok(form.includes('risk.response.rule%5B1%5D.name=CSC'));
  assert.deepEqual(translateBytes(form), { kind: 'notice', notice: everyFieldNotice });
  const unescaped = form.replaceAll('%5B', '[').replaceAll('%5D', ']').replaceAll('%20', '+');
  assert.deepEqual(translateBytes(unescaped), { kind: 'notice', notice: everyFieldNotice });
});

test('JSON and form data mean the same, and are the same repeat, whatever is changed', () => {
  const scalar = fc.oneof(
    fc.constantFrom(undefined, null, '', ' ', '0', '1.00', 'SUCCESS', 'FAILURE', 'PENDING', true),
    fc.nat(60),
    fc.integer(),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.string({ unit: 'grapheme', maxLength: 12 }),
  );
  const bodies = [
    'PAYMENT',
    'CAPTURE',
    'AUTHENTICATION',
    'VOID_PAYMENT',
    'REFUND',
    'VOID_REFUND',
  ].map((type) =>
    replaceAt(everyField, ['transaction'], {
      ...(everyField.transaction as Fields),
      type,
      targetTransactionId: '7',
    }),
  );
  const changed = fc
    .constantFrom(...bodies)
    .chain((body) =>
      fc
        .array(fc.tuple(fc.constantFrom(...pathsOf(body)), scalar), { maxLength: 4 })
        .map((changes) =>
          changes.reduce((before, [path, value]) => replaceAt(before, path, value), body),
        ),
    );
  fc.assert(
    fc.property(changed, (body) => {
      const form = toFormData(body);
      assert.deepEqual(translateBytes(form), translate(body));
      assert.equal(keyOf(form), keyOf(JSON.stringify(body)));
    }),
    { numRuns: 2_000 },
  );
});

test('names with a meaning in JavaScript are ordinary names in form data', () => {
  const form = toFormData(gatewayBody({ order: { id: 'o_1' } }));
  const before = translateBytes(form);
  const strangers = [
    '__proto__.result=FAILURE',
    '__proto__.order.id=o_2',
    'constructor.prototype.id=o_2',
    'order.__proto__.id=o_2',
    'order.constructor=o_2',
    'toString=x',
    'hasOwnProperty=x',
    'order.__proto__.__proto__.status=FAILED',
    '%5F%5Fproto__[0].id=x',
    '[0]=x',
    '.=x',
    '=x',
  ];
  for (const stranger of strangers) {
    assert.deepEqual(translateBytes(`${form}&${stranger}`), before, stranger);
    assert.deepEqual(translateBytes(`${stranger}&order.id=o_1`).kind, 'unreadable', stranger);
  }
  assert.equal(({} as Fields).result, undefined);
  assert.equal(({} as Fields).id, undefined);
  assert.equal(Object.hasOwn(Object.prototype, 'order'), false);
});

test('form data with a name used as a value and as a group, or far too deep, does not throw', () => {
  const form = toFormData(gatewayBody({ order: { id: 'o_1' } }));
  const deep = `${'a.'.repeat(5_000)}b=1`;
  for (const odd of ['device=1&device.browser=2', 'device.browser=2&device=1', deep, 'a=%', '&&']) {
    assert.equal(translateBytes(`${form}&${odd}`).kind, 'notice', odd.slice(0, 40));
  }
});

const results = ['SUCCESS', 'FAILURE', 'PENDING', 'UNKNOWN', 'ERROR'] as const;

/** The translation of each type for each of these results, in their order. */
const meanings = [
  ['PAYMENT', 'payment', 'succeeded failed pending pending failed'],
  ['CAPTURE', 'payment', 'succeeded failed pending pending failed'],
  ['AUTHORIZATION', 'payment', 'authorized failed pending pending failed'],
  ['AUTHENTICATION', 'payment', 'pending failed pending pending failed'],
  ['VOID_PAYMENT', 'payment', 'reversed new reversing reversing new'],
  ['VOID_CAPTURE', 'payment', 'reversed new reversing reversing new'],
  ['VOID_AUTHORIZATION', 'payment', 'reversed new reversing reversing new'],
  ['REFUND', 'refund', 'succeeded failed pending pending failed'],
  ['REFUND_REQUEST', 'refund', 'pending failed pending pending failed'],
] as const;

for (const [type, about, statuses] of meanings) {
  test(`every result of ${type} is translated, at the top level or within the response`, () => {
    for (const [index, status] of statuses.split(' ').entries()) {
      const result = results[index];
      const expected = `${about} ${status}`;
      const transaction = { type, targetTransactionId: '1' };
      const atTop = gatewayBody({ order: { id: 'o_1' }, result, transaction });
      const within = { ...atTop, result: undefined, response: { result } };
      assert.equal(summary(translate(atTop)), expected, result);
      assert.equal(summary(translate(within)), expected, `response.result ${result}`);
    }
  });
}

test('the result at the top level takes precedence over the one within the response', () => {
  const body = gatewayBody({ order: { id: 'o_1' }, response: { result: 'FAILURE' } });
  assert.equal(summary(translate(body)), 'payment succeeded');
});

test('an unknown result means pending', () => {
  const body = gatewayBody({ order: { id: 'o_1' }, result: 'DEFERRED' });
  assert.equal(summary(translate(body)), 'payment pending');
});

test('other types are ignored', () => {
  const types = [
    'AUTHORIZATION_UPDATE',
    'DISBURSEMENT',
    'FUNDING',
    'VERIFICATION',
    'A_TYPE_OF_TOMORROW',
    'payment',
    'constructor',
    '__proto__',
    'toString',
  ];
  for (const type of types) {
    for (const result of [...results, undefined]) {
      const translation = translate(
        gatewayBody({ order: { id: 'o_1' }, result, transaction: { type } }),
      );
      const why = `transactions of type ${type} are not acted on`;
      assert.deepEqual(translation, { kind: 'ignored', why });
    }
  }
});

test('a chargeback is a lost dispute of the payment that it names, or of its order', () => {
  const chargeback = (targetTransactionId?: string, result?: string) =>
    gatewayBody({
      order: { id: 'o_1' },
      ...(result !== undefined && { result }),
      transaction: { id: '9', type: 'CHARGEBACK', targetTransactionId },
    });
  const disputeOf = (translation: ReturnType<typeof translate>) =>
    translation.kind === 'notice' ? translation.notice.dispute : undefined;
  const lost = {
    disputeId: 'o_1|9',
    status: 'lost',
    occurredAtMs: Date.parse('2026-11-14T10:00:31Z'),
    createdAtMs: Date.parse('2026-11-14T10:00:30Z'),
    amount: 11_800,
    currency: 'INR',
    amountDeducted: 11_800,
    paymentPspOrder: 'o_1',
  };
  assert.deepEqual(disputeOf(translate(chargeback())), lost);
  const named = { ...lost, paymentPspId: 'o_1|7' };
  assert.deepEqual(disputeOf(translate(chargeback('7'))), named);
  const flags = ['merchant_mismatch'];
  assert.deepEqual(disputeOf(translate(chargeback('7'), 'OTHER')), { ...named, flags });
  const failed = disputeOf(translate(chargeback('7', 'FAILURE')));
  assert.deepEqual(failed, { ...named, status: 'closed', amountDeducted: 0 });
});

test('a success with an approving code stays a success; one with an undecided code is pending', () => {
  const approving = 'APPROVED APPROVED_AUTO APPROVED_PENDING_SETTLEMENT PARTIALLY_APPROVED';
  const undecided =
    'PENDING SUBMITTED UNKNOWN DEFERRED_TRANSACTION_RECEIVED AUTHENTICATION_IN_PROGRESS';
  for (const [codes, expected] of [
    [approving, 'payment succeeded'],
    [undecided, 'payment pending'],
    ['A_CODE_OF_TOMORROW', 'payment succeeded'],
  ] as const) {
    for (const gatewayCode of codes.split(' ')) {
      const body = gatewayBody({ order: { id: 'o_1' }, response: { gatewayCode } });
      assert.equal(summary(translate(body)), expected, gatewayCode);
    }
  }
});

test('without a result the status of the order decides, if it fits the type', () => {
  const cases = [
    ['PAYMENT', 'CAPTURED', 'payment succeeded'],
    ['PAYMENT', 'FAILED', 'payment failed'],
    ['PAYMENT', 'INITIATED AUTHENTICATION_INITIATED A_STATUS_OF_TOMORROW', 'payment pending'],
    ['AUTHORIZATION', 'AUTHORIZED', 'payment authorized'],
    ['AUTHORIZATION', 'FAILED', 'payment failed'],
    ['CAPTURE', 'CAPTURED PARTIALLY_CAPTURED', 'payment succeeded'],
    ['AUTHENTICATION', 'AUTHENTICATED AUTHENTICATION_INITIATED', 'payment pending'],
    ['AUTHENTICATION', 'AUTHENTICATION_NOT_NEEDED', 'payment pending'],
    ['AUTHENTICATION', 'AUTHENTICATION_UNSUCCESSFUL', 'payment failed'],
    ['REFUND', 'REFUNDED PARTIALLY_REFUNDED EXCESSIVELY_REFUNDED', 'refund succeeded'],
    ['REFUND_REQUEST', 'REFUND_REQUESTED', 'refund pending'],
    ['VOID_PAYMENT', 'CANCELLED', 'payment reversed'],
    ['VOID_AUTHORIZATION', 'CANCELLED', 'payment reversed'],
  ] as const;
  for (const [type, statuses, expected] of cases) {
    for (const status of statuses.split(' ')) {
      const said = summary(translate(withoutResult(type, { status })));
      assert.equal(said, expected, `${type} ${status}`);
    }
  }
});

test('without a result nothing succeeds by an order status that does not fit the type', () => {
  const authentication = 'AUTHENTICATED AUTHENTICATION_NOT_NEEDED';
  const cases = [
    ['PAYMENT', `${authentication} AUTHORIZED CANCELLED VERIFIED`, 'payment succeeded'],
    ['CAPTURE', `${authentication} AUTHORIZED CANCELLED`, 'payment succeeded'],
    ['AUTHORIZATION', `${authentication} CANCELLED`, 'payment authorized'],
    ['REFUND', `${authentication} AUTHORIZED CAPTURED CANCELLED`, 'refund succeeded'],
    ['VOID_PAYMENT', `${authentication} AUTHORIZED CAPTURED`, 'payment reversed'],
  ] as const;
  for (const [type, statuses, wrong] of cases) {
    for (const status of statuses.split(' ')) {
      const said = summary(translate(withoutResult(type, { status })));
      assert.notEqual(said, wrong, `${type} ${status}`);
    }
  }
});

test('without a result a declining or undecided code takes precedence over the order', () => {
  const status = 'CAPTURED';
  const declined = withoutResult('PAYMENT', { status }, { gatewayCode: 'DECLINED' });
  assert.equal(summary(translate(declined)), 'payment failed');
  const submitted = withoutResult('PAYMENT', { status }, { gatewayCode: 'SUBMITTED' });
  assert.equal(summary(translate(submitted)), 'payment pending');
});

test('a body with neither a result nor an order status is unreadable', () => {
  for (const nothing of [undefined, null, '']) {
    const body = { ...withoutResult('PAYMENT', { status: nothing }), result: nothing };
    assert.deepEqual(translate(body), {
      kind: 'unreadable',
      why: 'result is missing, and order.status too',
    });
  }
});

test('a declined second attempt fails although the order stays captured', () => {
  const first = gatewayBody({ order: { id: 'o_1' } });
  const second = gatewayBody({
    order: { id: 'o_1', status: 'CAPTURED' },
    result: 'FAILURE',
    response: { gatewayCode: 'DECLINED' },
    transaction: { id: '2' },
  });
  inEveryOrder([first, second], (orderState, order) => {
    assert.deepEqual(statusesOf(orderState), { 'o_1|1': 'succeeded', 'o_1|2': 'failed' });
    assert.equal(order.status, 'completed');
  });
});

test('an authentication that did not fail makes no payment of its own', () => {
  const authentication = gatewayBody({
    order: { id: 'o_1', status: 'AUTHENTICATED' },
    transaction: { id: 'auth-1', type: 'AUTHENTICATION' },
  });
  assert.equal(noticeOf(authentication).payment?.record, 'authentication');
  inEveryOrder([authentication, gatewayBody({ order: { id: 'o_1' } })], (orderState) => {
    assert.deepEqual(statusesOf(orderState), { 'o_1|1': 'succeeded' });
  });
});

test('a failed authentication is a failed attempt, and a payment may still succeed', () => {
  const authentication = gatewayBody({
    order: { id: 'o_1', status: 'AUTHENTICATION_UNSUCCESSFUL' },
    result: 'FAILURE',
    transaction: { id: 'auth-1', type: 'AUTHENTICATION' },
  });
  inEveryOrder([authentication, gatewayBody({ order: { id: 'o_1' } })], (orderState, order) => {
    assert.deepEqual(statusesOf(orderState), { 'o_1|auth-1': 'failed', 'o_1|1': 'succeeded' });
    assert.equal(order.status, 'completed');
  });
});

test('an unsuccessful authentication means failed, in whichever field and whatever the result', () => {
  const unsuccessful = 'AUTHENTICATION_UNSUCCESSFUL';
  const places: Fields[] = [
    { order: { id: 'o_1', status: unsuccessful } },
    { order: { id: 'o_1', authenticationStatus: unsuccessful } },
    { transaction: { authenticationStatus: unsuccessful } },
  ];
  for (const place of places) {
    for (const result of results) {
      const body = gatewayBody({ order: { id: 'o_1', status: 'INITIATED' }, result, ...place });
      const transaction = { ...(body.transaction as Fields), type: 'AUTHENTICATION' };
      const order = { ...(body.order as Fields), id: 'o_1' };
      const said = summary(translate({ ...body, order, transaction }));
      assert.equal(said, 'payment failed', `${JSON.stringify(place)} ${result}`);
    }
  }
});

test('a payment that was pending succeeds under the same id, in whatever order they come', () => {
  const pending = gatewayBody({
    order: { id: 'o_1', status: 'INITIATED' },
    result: 'PENDING',
    response: { gatewayCode: 'SUBMITTED', acquirerMessage: null },
    timeOfLastUpdate: '2026-11-14T10:00:20.000Z',
  });
  inEveryOrder([pending, gatewayBody({ order: { id: 'o_1' } })], (orderState) => {
    assert.deepEqual(statusesOf(orderState), { 'o_1|1': 'succeeded' });
    assert.equal(orderState.transactions[0]?.message, 'Approved');
  });
});

test('of two notifications of one status the newer one counts, in whatever order they come', () => {
  const older = gatewayBody({
    order: { id: 'o_1' },
    response: { acquirerMessage: 'Approved at first' },
    timeOfLastUpdate: '2026-11-14T10:00:20.000Z',
  });
  const newer = gatewayBody({
    order: { id: 'o_1' },
    timeOfLastUpdate: '2026-11-14T12:00:21.000+02:00',
  });
  inEveryOrder([older, newer], (orderState) => {
    assert.equal(orderState.transactions[0]?.message, 'Approved');
    assert.equal(orderState.transactions[0]?.finishedAtMs, seconds('20'));
  });
});

test('a payment succeeds once all of its authorisation is captured', () => {
  const authorization = gatewayBody({
    order: { id: 'o_1', status: 'AUTHORIZED', totalCapturedAmount: 0 },
    transaction: { id: '1', type: 'AUTHORIZATION' },
  });
  const part = captureOf('2', { amount: 50, totalCapturedAmount: 50 });
  const rest = captureOf('3', { amount: 68, totalCapturedAmount: '118.00' });

  assert.equal(noticeOf(part).payment?.pspTransactionId, 'o_1|2');
  assert.equal(noticeOf(part).payment?.targetPspId, 'o_1|1');
  assert.equal(noticeOf(part).payment?.record, 'capture');
  inEveryOrder([authorization, part], (orderState, order) => {
    assert.deepEqual(statusesOf(orderState), { 'o_1|1': 'authorized' });
    assert.equal(order.status, 'pending');
  });
  inEveryOrder([authorization, part, rest], (orderState, order) => {
    assert.deepEqual(statusesOf(orderState), { 'o_1|1': 'succeeded' });
    assert.equal(orderState.transactions[0]?.amount, 11800);
    assert.equal(order.status, 'completed');
  });
});

test('a capture without a target is identified by its own id', () => {
  const capture = gatewayBody({ order: { id: 'o_1' }, transaction: { id: '2', type: 'CAPTURE' } });
  assert.equal(noticeOf(capture).payment?.pspTransactionId, 'o_1|2');
});

test('a capture whose order has no total counts with its own amount', () => {
  const capture = captureOf('2', { amount: 118, totalCapturedAmount: undefined });
  assert.equal(noticeOf(capture).payment?.amount, 11800);
});

test('a failed capture leaves the authorisation as it is', () => {
  const authorization = gatewayBody({
    order: { id: 'o_1', status: 'AUTHORIZED' },
    transaction: { id: '1', type: 'AUTHORIZATION' },
  });
  const failed = {
    ...captureOf('2', { amount: 118, totalCapturedAmount: 0 }),
    result: 'FAILURE',
  };
  inEveryOrder([authorization, failed], (orderState) => {
    assert.deepEqual(statusesOf(orderState), { 'o_1|1': 'authorized' });
    assert.equal(orderState.transactions[0]?.amount, 11800);
  });
});

for (const type of ['VOID_PAYMENT', 'VOID_AUTHORIZATION']) {
  test(`${type} reverses the payment its target names`, () => {
    const authorized = type === 'VOID_AUTHORIZATION' && { type: 'AUTHORIZATION' };
    const first = gatewayBody({ order: { id: 'o_1' }, transaction: { ...authorized } });
    const { orderState, order } = orderStateAfter([first, voidOf('2', type, '1')]);
    assert.deepEqual(statusesOf(orderState), { 'o_1|1': 'reversed' });
    assert.equal(order.status, 'pending');
  });
}

test('a void waits for the payment it names and creates none', () => {
  const voided = voidOf('2', 'VOID_PAYMENT', '1');
  const { orderState } = orderStateAfter([voided]);
  assert.deepEqual(statusesOf(orderState), {});
  assert.equal(lacksTarget(orderState, delivered(voided)), true);
  const paid = orderStateAfter([gatewayBody({ order: { id: 'o_1' } })]).orderState;
  assert.equal(lacksTarget(paid, delivered(voided)), false);
});

test('a pending void that fails reverses nothing, in whatever order they come', () => {
  const first = gatewayBody({ order: { id: 'o_1' } });
  const pending = { ...voidOf('2', 'VOID_PAYMENT', '1'), result: 'PENDING' };
  const failed = { ...voidOf('2', 'VOID_PAYMENT', '1'), result: 'FAILURE' };
  assert.deepEqual(statusesOf(orderStateAfter([first, pending]).orderState), {
    'o_1|1': 'reversing',
  });
  for (const arrival of [
    [first, failed],
    [first, pending, failed],
    [first, failed, pending],
  ]) {
    const { orderState, order } = orderStateAfter(arrival);
    assert.deepEqual(statusesOf(orderState), { 'o_1|1': 'succeeded' });
    assert.equal(order.status, 'completed');
  }
});

test('VOID_CAPTURE returns the payment to authorized', () => {
  const authorization = gatewayBody({
    order: { id: 'o_1', status: 'AUTHORIZED' },
    transaction: { id: '1', type: 'AUTHORIZATION' },
  });
  const capture = captureOf('2', { amount: 118, totalCapturedAmount: 118 });
  const { orderState, order } = orderStateAfter([
    authorization,
    capture,
    voidOf('3', 'VOID_CAPTURE', '2'),
  ]);
  assert.deepEqual(statusesOf(orderState), { 'o_1|1': 'authorized' });
  assert.deepEqual(orderState.transactions[0]?.flags, ['payment_reversed']);
  assert.equal(order.status, 'pending');
});

test('a refund is translated field by field', () => {
  const transaction = { id: '9', type: 'REFUND', amount: 18, reference: 'RR-1', receipt: 'R-9' };
  const body = gatewayBody({ order: { id: 'o_1', status: 'PARTIALLY_REFUNDED' }, transaction });
  assert.deepEqual(noticeOf(body), {
    references: { ...namedBy('o_1'), fallbacks: [anyOf('RR-1')] },
    refund: {
      pspTransactionId: 'o_1|9',
      status: 'succeeded',
      amount: 1800,
      currency: 'INR',
      occurredAtMs: seconds('31'),
      statusSinceMs: seconds('31'),
      startedAtMs: seconds('30'),
      recordedAtMs: seconds('30'),
      message: 'Approved',
      refundRequestId: 'RR-1',
      refundArn: 'R-9',
      paymentPspOrder: 'o_1',
      capturedTotal: { amount: 11800, atMs: seconds('31') },
      refundedTotal: { amount: 0, atMs: seconds('31') },
    },
  });
});

test('a refund without an amount has none, and not that of its order', () => {
  const transaction = { id: '9', type: 'REFUND', amount: undefined };
  const body = gatewayBody({ order: { id: 'o_1', amount: 118 }, transaction });
  assert.equal(noticeOf(body).refund?.amount, undefined);
});

test('a refund without a reference is identified by its transaction id, and its target by the pair of ids', () => {
  const transaction = { id: '9', type: 'REFUND', receipt: null, targetTransactionId: '1' };
  const { refund } = noticeOf(gatewayBody({ order: { id: 'o_1' }, transaction }));
  assert.equal(refund?.refundRequestId, '9');
  assert.equal(refund?.paymentPspId, 'o_1|1');
  assert.equal(refund?.refundArn, undefined);
});

/** Changes to a payment's notification, and the expected changes to its notice. */
const paymentCases: Record<string, readonly [Fields, Fields]> = {
  'a debit card': [cardOf({ fundingMethod: 'DEBIT' }), { paymentMode: 'Debit Card' }],
  'a card of another funding': [cardOf({ fundingMethod: 'PREPAID' }), { paymentMode: 'Card' }],
  'a card without a funding method': [
    cardOf({ fundingMethod: undefined }),
    { paymentMode: undefined },
  ],
  'a card number in full': [
    cardOf({ number: '4111111111111111', scheme: '', brand: '', fundingMethod: '', issuer: '' }),
    { subPaymentMode: { masked_card: '411111******1111' } },
  ],
  'a card with a brand only': [
    cardOf({ scheme: undefined, brand: 'MASTERCARD', fundingMethod: undefined, issuer: '' }),
    { subPaymentMode: { scheme: 'MASTERCARD', masked_card: '411111xxxxxx1111' } },
  ],
  'no card': [
    { sourceOfFunds: { type: 'CARD', provided: undefined } },
    { paymentMode: undefined, subPaymentMode: undefined },
  ],
  'a number': [{ transaction: { amount: 1 }, order: { amount: 1 } }, { amount: 100 }],
  'text with decimals': [{ transaction: { amount: '1.00' } }, { amount: 100 }],
  'text without decimals': [{ transaction: { amount: '118' } }, { amount: 11800 }],
  'many decimals that are zeros': [{ transaction: { amount: '118.0000' } }, { amount: 11800 }],
  'more decimals than there are': [{ transaction: { amount: 1.234 } }, { amount: undefined }],
  'the amount of the order': [
    { transaction: { amount: undefined }, order: { amount: 7.5 } },
    { amount: 750 },
  ],
  'the currency of the order': [
    { transaction: { currency: undefined } },
    { amount: 11800, currency: 'INR' },
  ],
  'yen as text': [
    { transaction: { amount: '500.00', currency: 'JPY' } },
    { amount: 500, currency: 'JPY' },
  ],
  'yen as a number': [{ transaction: { amount: 500, currency: 'JPY' } }, { amount: 500 }],
  dinars: [{ transaction: { amount: 1.234, currency: 'KWD' } }, { amount: 1234, currency: 'KWD' }],
  'an unknown currency': [
    { transaction: { currency: 'ZZZ' } },
    { amount: undefined, currency: 'ZZZ', status: 'succeeded' },
  ],
  'its receipt': [{ transaction: { receipt: 'R' } }, { paymentArn: 'R' }],
  "the acquirer's id": [{ transaction: { receipt: undefined } }, { paymentArn: '331510000123' }],
  'its authorisation': [
    { transaction: { receipt: '', acquirer: { id: 'A' } } },
    { paymentArn: '091234', paymentAcquirer: 'A' },
  ],
  'no acquirer': [
    { transaction: { acquirer: undefined, receipt: null, authorizationCode: null } },
    { paymentArn: undefined, paymentAcquirer: undefined },
  ],
  'the code for a message': [
    { response: { acquirerMessage: '', gatewayCode: 'APPROVED_AUTO' } },
    { message: 'APPROVED_AUTO' },
  ],
  'no response': [
    { response: { acquirerMessage: null, gatewayCode: null } },
    { message: undefined, status: 'succeeded' },
  ],
  'the time of its record': [
    { timeOfLastUpdate: undefined },
    { occurredAtMs: seconds('30'), statusSinceMs: seconds('30') },
  ],
  'the time of its order': [
    { timeOfLastUpdate: '', timeOfRecord: null },
    { occurredAtMs: seconds('31'), startedAtMs: seconds('00'), recordedAtMs: seconds('00') },
  ],
};

for (const [name, [changes, expected]] of Object.entries(paymentCases)) {
  test(`a payment with ${name} is translated correctly`, () => {
    const body = gatewayBody(changes);
    const order = { ...(body.order as Fields), id: 'o_1' };
    const actual = noticeOf({ ...body, order }).payment as Fields;
    const fields = Object.keys(expected).map((field) => [field, actual[field]]);
    assert.deepEqual(Object.fromEntries(fields), expected);
  });
}

test('groups that real bodies lack are optional, and all versions are translated alike', () => {
  const bare = {
    order: { id: 'o_1', status: 'CAPTURED' },
    transaction: { id: '1', type: 'PAYMENT', amount: 118, currency: 'INR' },
    result: 'SUCCESS',
  };
  const expected = {
    references: { ...namedBy('o_1'), fallbacks: [] },
    payment: {
      pspTransactionId: 'o_1|1',
      pspOrder: 'o_1',
      status: 'succeeded',
      amount: 11800,
      currency: 'INR',
    },
  };
  for (const version of [undefined, '22', '61', '100', 100]) {
    assert.deepEqual(noticeOf({ ...bare, version }), expected);
  }
  for (const nothing of [null, [], '']) {
    const groups = { authentication: nothing, device: nothing, sourceOfFunds: nothing };
    const body = { ...bare, ...groups, response: nothing, risk: nothing };
    assert.deepEqual(noticeOf(body), expected);
  }
});

test('an id that is too long counts as missing, and such a reference is ignored', () => {
  const long = 'x'.repeat(256);
  for (const path of [
    ['order', 'id'],
    ['transaction', 'id'],
  ]) {
    assert.equal(translate(replaceAt(everyField, path, long)).kind, 'unreadable');
  }
  const body = replaceAt(everyField, ['order', 'reference'], long);
  assert.deepEqual(noticeOf(body).references.fallbacks, [anyOf('INV-1/1')]);
});

test('numeric ids become their text', () => {
  const body = gatewayBody({ order: { id: 20261114 }, transaction: { id: 1 } });
  const notice = noticeOf(body);
  assert.equal(notice.payment?.pspTransactionId, '20261114|1');
  assert.deepEqual(notice.references, { ...namedBy('20261114'), fallbacks: [] });
});

test('the notification id is the header', () => {
  const body = Buffer.from(JSON.stringify(everyField));
  const headers = { 'x-notification-id': 'N-1' };
  assert.equal(bankGateway.findEventId({ headers, body }), 'N-1');
});

test('without a notification id a repeat is the same transaction in the same state', () => {
  const key = keyOf(JSON.stringify(everyField));
  assert.match(key ?? '', /^[0-9a-f]{64}$/);
  assert.equal(keyOf(JSON.stringify({ ...everyField, device: null })), key);
  const within = replaceAt(everyField, ['response', 'result'], 'SUCCESS');
  assert.equal(keyOf(JSON.stringify({ ...within, result: undefined })), key);
  const paths = [
    ['merchant'],
    ['order', 'id'],
    ['transaction', 'id'],
    ['timeOfLastUpdate'],
    ['result'],
    ['response', 'gatewayCode'],
  ];
  for (const path of paths) {
    const other = JSON.stringify(replaceAt(everyField, path, 'other'));
    assert.notEqual(keyOf(other), key, path.join('.'));
  }
});

test('values cannot move from one part of the key to the next', () => {
  const one = gatewayBody({ order: { id: 'a' }, transaction: { id: 'b|c' } });
  const two = gatewayBody({ order: { id: 'a|b' }, transaction: { id: 'c' } });
  assert.notEqual(keyOf(JSON.stringify(one)), keyOf(JSON.stringify(two)));
});

test('without an id and a time only the bytes identify a repeat', () => {
  const timeless = { ...everyField, timeOfLastUpdate: undefined };
  assert.equal(keyOf(JSON.stringify(timeless)), undefined);
  assert.equal(keyOf('not a body'), undefined);
});

test('a notification with another merchant is applied and flagged', () => {
  const cases = [
    ['TESTMERCHANT', 'TESTMERCHANT', undefined],
    ['OTHER', 'TESTMERCHANT', ['merchant_mismatch']],
    ['OTHER', null, undefined],
    [undefined, 'TESTMERCHANT', undefined],
    ['', 'TESTMERCHANT', undefined],
  ] as const;
  for (const [merchant, expectedMerchant, flags] of cases) {
    for (const [type, about] of [
      ['PAYMENT', 'payment'],
      ['REFUND', 'refund'],
    ] as const) {
      const body = gatewayBody({ order: { id: 'o_1' }, merchant, transaction: { type } });
      const translation = translate(body, expectedMerchant);
      if (translation.kind !== 'notice') assert.fail(translation.why);
      assert.deepEqual(translation.notice[about]?.flags, flags, `${merchant} ${type}`);
    }
  }
});

function translate(body: Fields, expectedMerchant: string | null = 'TESTMERCHANT') {
  return translateBytes(JSON.stringify(body), expectedMerchant);
}

function translateBytes(
  text: string,
  expectedMerchant: string | null = 'TESTMERCHANT',
): Translation {
  const body = Buffer.from(text, 'utf8');
  return bankGateway.translate({ headers: {}, body }, { expectedMerchant });
}

function keyOf(text: string): string | undefined {
  return bankGateway.findContentKey({ headers: {}, body: Buffer.from(text, 'utf8') });
}

function noticeOf(body: Fields): Notice {
  const translation = translate(body);
  if (translation.kind !== 'notice') assert.fail(translation.why);
  return translation.notice;
}

/** A short description such as `payment succeeded` or `refund pending`. */
function summary(translation: Translation): string {
  if (translation.kind !== 'notice') return translation.kind;
  const { payment, refund } = translation.notice;
  return payment ? `payment ${payment.status}` : `refund ${refund?.status}`;
}

function withoutResult(type: string | undefined, order: Fields, response: Fields = {}): Fields {
  return gatewayBody({
    order: { id: 'o_1', ...order },
    result: undefined,
    response: { gatewayCode: undefined, acquirerCode: undefined, ...response },
    transaction: { id: '2', type, targetTransactionId: '1' },
  });
}

function captureOf(id: string, amounts: { amount: number; totalCapturedAmount: unknown }): Fields {
  return gatewayBody({
    order: { id: 'o_1', totalCapturedAmount: amounts.totalCapturedAmount },
    transaction: { id, type: 'CAPTURE', targetTransactionId: '1', amount: amounts.amount },
  });
}

function voidOf(id: string, type: string, targetTransactionId: string): Fields {
  return gatewayBody({
    order: { id: 'o_1', status: 'CANCELLED', totalCapturedAmount: 0 },
    transaction: { id, type, targetTransactionId },
  });
}

function cardOf(changes: Fields): Fields {
  const { card } = (gatewayBody().sourceOfFunds as { provided: { card: Fields } }).provided;
  return { sourceOfFunds: { provided: { card: { ...card, ...changes } } } };
}

function inEveryOrder(
  bodies: readonly Fields[],
  check: (orderState: OrderState, order: OrderSummary) => void,
): void {
  for (const arrival of permutations(bodies)) {
    const { orderState, order } = orderStateAfter(arrival);
    check(orderState, order);
  }
}

/** The order state of an order of 118 rupees after these notifications. */
function orderStateAfter(bodies: readonly Fields[]): {
  orderState: OrderState;
  order: OrderSummary;
} {
  const now = new Date('2026-11-14T11:00:00.000Z');
  const amounts = { currency: 'INR', beforeTax: 10000, tax: 1800, total: 11800 };
  const lapsesAt = new Date('2026-11-15T10:00:00.000Z');
  const empty: OrderState = {
    order: { orderId: 'o_1', amounts, lapsesAt },
    transactions: [],
    held: [],
  };
  const orderState = bodies.reduce<OrderState>(
    (before, body) => applyNotice(before, delivered(body)),
    empty,
  );
  return { orderState, order: decideOrderSummary(orderState, now) };
}

function delivered(body: Fields): DeliveredNotice {
  const receivedAt = new Date('2026-11-14T11:00:00.000Z');
  const deliveryKey = JSON.stringify(body);
  return { ...noticeOf(body), provider: 'bank-gateway', deliveryKey, receivedAt };
}

function permutations<T>(entries: readonly T[]): T[][] {
  if (entries.length <= 1) return [[...entries]];
  return entries.flatMap((entry, index) =>
    permutations(entries.toSpliced(index, 1)).map((rest) => [entry, ...rest]),
  );
}

function statusesOf(orderState: OrderState): Record<string, string> {
  return Object.fromEntries(
    orderState.transactions.map(({ pspTransactionId, status }) => [pspTransactionId, status]),
  );
}
