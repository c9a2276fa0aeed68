import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  type FailureCode,
  type FailureReason,
  failureTable,
} from '../../src/domain/payments/failure.ts';
import { bankGateway } from '../../src/providers/bank-gateway/bank-gateway.ts';
import { gatewayBody, toFormData } from '../support/deliveries.ts';

type Fields = Record<string, unknown>;

/** Our code, whether a retry is allowed, and the gateway's codes for it. */
const table: readonly (readonly [FailureCode, boolean, readonly string[]])[] = [
  ['PAYMENT_CANCELLED_BY_CONSUMER', true, ['CANCELLED', 'ABORTED']],
  ['AUTHENTICATION_FAILED_AT_BANK', true, ['AUTHENTICATION_FAILED', 'NOT_ENROLLED_3D_SECURE']],
  ['INSUFFICIENT_FUNDS', true, ['INSUFFICIENT_FUNDS']],
  ['LIMIT_EXCEEDED', true, ['EXCEEDED_RETRY_LIMIT']],
  [
    'INVALID_PAYMENT_DETAILS',
    true,
    [
      'EXPIRED_CARD',
      'INVALID_CSC',
      'DECLINED_CSC',
      'DECLINED_AVS',
      'DECLINED_AVS_CSC',
      'DECLINED_INVALID_PIN',
    ],
  ],
  ['DECLINED_BY_BANK', true, ['DECLINED', 'REFERRED', 'DECLINED_PAYMENT_PLAN']],
  ['DECLINED_BY_BANK', false, ['DECLINED_DO_NOT_CONTACT']],
  ['RISK_REJECTED', false, ['BLOCKED']],
  ['PAYMENT_TIMED_OUT', true, ['TIMED_OUT']],
  [
    'PROVIDER_TECHNICAL_ERROR',
    true,
    ['SYSTEM_ERROR', 'ACQUIRER_SYSTEM_ERROR', 'LOCK_FAILURE', 'UNSPECIFIED_FAILURE'],
  ],
  ['PAYMENT_MODE_NOT_ENABLED', false, ['NOT_SUPPORTED']],
  ['PAYMENT_FAILED', true, ['A_CODE_OF_TOMORROW', 'declined', 'constructor', 'BALANCE_AVAILABLE']],
];

for (const [code, retryAllowed, gatewayCodes] of table) {
  for (const gatewayCode of gatewayCodes) {
    test(`${gatewayCode} is ${code}, and a retry is ${retryAllowed ? 'allowed' : 'not allowed'}`, () => {
      for (const type of ['PAYMENT', 'AUTHORIZATION', 'CAPTURE']) {
        const failure = failureOf({ response: { gatewayCode }, transaction: { type } });
        assert.equal(failure?.code, code, type);
        assert.equal(failure?.retryAllowed, retryAllowed, type);
      }
    });
  }
}

test('every failure code occurs for the gateway, except those of other sources', () => {
  const others = [
    'REFUND_FAILED',
    'ORDER_ALREADY_PAID',
    'PROVIDER_UNAVAILABLE',
    'BANK_ACCOUNT_MISMATCH',
  ];
  const payable = Object.keys(failureTable).filter((code) => !others.includes(code));
  assert.deepEqual([...new Set(table.map(([code]) => code))].sort(), payable.sort());
});

test('the acquirer codes 61 and 65 mean LIMIT_EXCEEDED if the gateway only says declined', () => {
  for (const acquirerCode of ['61', '65', 61, 65]) {
    for (const gatewayCode of ['DECLINED', '', null]) {
      const failure = failureOf({ response: { gatewayCode, acquirerCode } });
      assert.equal(failure?.code, 'LIMIT_EXCEEDED', `${gatewayCode} ${acquirerCode}`);
      assert.equal(failure?.retryAllowed, true);
    }
  }
  const other = failureOf({ response: { gatewayCode: 'DECLINED', acquirerCode: '05' } });
  assert.equal(other?.code, 'DECLINED_BY_BANK');
});

test('a recommendation to abandon the order forbids a retry, any other does not', () => {
  const cases = [
    ['DO_NOT_PROCEED_ABANDON_ORDER', false],
    ['DO_NOT_PROCEED', true],
    ['RESUBMIT_WITH_ALTERNATIVE_PAYMENT_DETAILS', true],
    ['NO_ACTION', true],
    [null, true],
  ] as const;
  for (const [gatewayRecommendation, retryAllowed] of cases) {
    const failure = failureOf({ response: { gatewayCode: 'DECLINED', gatewayRecommendation } });
    assert.equal(failure?.code, 'DECLINED_BY_BANK');
    assert.equal(failure?.retryAllowed, retryAllowed, `${gatewayRecommendation}`);
  }
});

test('no recommendation allows a retry that the code forbids', () => {
  const response = { gatewayCode: 'BLOCKED', gatewayRecommendation: 'NO_ACTION' };
  assert.equal(failureOf({ response })?.retryAllowed, false);
});

test('a risk rejection is recognised in the field of the current and of old versions', () => {
  const places: Fields[] = [
    { risk: { response: { gatewayCode: 'REJECTED' } } },
    { response: { gatewayCode: 'DECLINED', risk: { gatewayCode: 'REJECTED' } } },
  ];
  for (const place of places) {
    const failure = failureOf({ response: { gatewayCode: 'DECLINED' }, ...place });
    assert.equal(failure?.code, 'RISK_REJECTED', JSON.stringify(place));
    assert.equal(failure?.retryAllowed, false);
  }
});

test('an accepted or absent risk decision is not a reason', () => {
  for (const gatewayCode of ['ACCEPTED', 'NOT_CHECKED', 'REVIEW_REQUIRED', null]) {
    const risk = { response: { gatewayCode } };
    assert.equal(
      failureOf({ risk, response: { gatewayCode: 'DECLINED' } })?.code,
      'DECLINED_BY_BANK',
    );
  }
});

test('a failed authentication has its own code, unless the consumer cancelled', () => {
  const transaction = { type: 'AUTHENTICATION' };
  for (const gatewayCode of ['DECLINED', 'AUTHENTICATION_FAILED', '', null]) {
    const failure = failureOf({ response: { gatewayCode }, transaction });
    assert.equal(failure?.code, 'AUTHENTICATION_FAILED_AT_BANK', `${gatewayCode}`);
    assert.equal(failure?.retryAllowed, true);
  }
  const cancelled = failureOf({ response: { gatewayCode: 'CANCELLED' }, transaction });
  assert.equal(cancelled?.code, 'PAYMENT_CANCELLED_BY_CONSUMER');
});

test('the merchant message names the gateway code and the message of the acquirer', () => {
  const response = { gatewayCode: 'EXPIRED_CARD', acquirerMessage: 'Card expired 01/24' };
  const words = failureOf({ response })?.merchantMessage ?? '';
  assert.ok(words.includes('EXPIRED_CARD') && words.includes('Card expired 01/24'), words);
});

test('a failure without a response is PAYMENT_FAILED', () => {
  for (const nothing of [null, '', undefined, []]) {
    const response = { gatewayCode: nothing, acquirerMessage: nothing, acquirerCode: nothing };
    const failure = failureOf({ response });
    assert.equal(failure?.code, 'PAYMENT_FAILED');
    assert.equal(failure?.retryAllowed, true);
    assert.doesNotMatch(failure?.merchantMessage ?? '', /null|undefined|object/);
  }
});

test('a failed refund has the code for refunds and the message of the gateway', () => {
  const response = { gatewayCode: 'DECLINED', acquirerMessage: 'No such card' };
  for (const type of ['REFUND', 'REFUND_REQUEST']) {
    const failure = failureOf({ response, transaction: { type } });
    assert.equal(failure?.code, 'REFUND_FAILED');
    const words = failure?.merchantMessage ?? '';
    assert.ok(words.includes('DECLINED') && words.includes('No such card'), words);
  }
});

test('a transaction that did not fail has no failure reason, whatever its codes say', () => {
  for (const result of ['SUCCESS', 'PENDING', 'UNKNOWN']) {
    for (const type of ['PAYMENT', 'AUTHORIZATION', 'REFUND', 'AUTHENTICATION']) {
      const response = { gatewayCode: 'DECLINED' };
      assert.equal(failureOf({ result, response, transaction: { type } }), undefined);
    }
  }
});

/** The failure reason of a notification, which is the same as JSON and as form data. */
function failureOf(changes: Fields): FailureReason | undefined {
  const body = gatewayBody({
    result: 'FAILURE',
    order: { id: 'o_1', status: 'FAILED' },
    ...changes,
  });
  const [failure, fromForm] = [JSON.stringify(body), toFormData(body)].map(failureIn);
  assert.deepEqual(fromForm, failure);
  return failure;
}

function failureIn(text: string): FailureReason | undefined {
  const delivery = { headers: {}, body: Buffer.from(text) };
  const translation = bankGateway.translate(delivery, { expectedMerchant: null });
  if (translation.kind !== 'notice') assert.fail(translation.why);
  const { payment, refund } = translation.notice;
  return payment?.failure ?? refund?.failure;
}
