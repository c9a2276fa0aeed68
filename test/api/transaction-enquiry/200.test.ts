import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { test } from 'node:test';
import { commandLine } from '../../../src/domain/audit.ts';
import { rotateSecret } from '../../../src/use-cases/accounts/rotate-secret.ts';
import { partnerEvent, partnerPayment, partnerRefund } from '../../support/deliveries.ts';
import type { Reply } from '../../support/test-service.ts';
import {
  assertInvariants,
  captureOf,
  gatewayPaymentOf,
  openShop,
  shopOf,
} from '../webhooks/shop.ts';

const shop = await openShop();
const { service, account } = shop;

type Fields = Record<string, unknown>;

const voided = { id: '2', type: 'VOID_PAYMENT', targetTransactionId: '1' };

/** Every field of contract 5.8, null where nothing is known. */
const unknownFields = {
  transaction_type: null,
  completion_time: null,
  svc_transaction_id: null,
  payment_status: null,
  message: null,
  svc_signature: null,
  signature_version: 'v3',
  failure_reason: null,
  payment_partner: null,
  processing_payment_partner: null,
  psp_transaction_id: null,
  transaction_amount: null,
  transaction_currency: null,
  additional_charges: null,
  offer_discount: null,
  offer_id: null,
  payment_acquirer: null,
  payment_mode: null,
  payment_arn: null,
  emi: null,
  sub_payment_mode: null,
  refund_status: null,
  refund_request_id: null,
  refund_arn: null,
  authorization_details: null,
  disputes: [],
};

test('a new order has no transactions', async () => {
  const { order_id, invoice_id } = await shop.createOrder();
  const reply = await shop.enquire({ order_id });
  assert.equal(reply.status, 200);
  assert.deepEqual(reply.body, {
    transaction: [],
    order: {
      svc_order_id: order_id,
      invoice_id,
      status: 'new',
      custom_attributes: [],
      currency_conversion: null,
      refund_details: null,
    },
  });
});

test("a partner's payment and its refunds are shown whole, oldest first", async () => {
  const { order_id, invoice_id } = await shop.createOrder({
    custom_attributes: { campaign: 'diwali', gift: true, items: 2 },
  });
  const payment = partnerPayment({
    method: 'upi',
    card: null,
    upi: { vpa: 'asha.rao@okbank', flow: 'collect' },
    vpa: 'asha.rao@okbank',
    acquirer_data: { rrn: '331510000777', upi_transaction_id: 'UPI777' },
    notes: { svc_order_id: order_id },
  });
  const part = partnerRefund(payment, {
    amount: 1800,
    receipt: 'REFUND-1',
    acquirer_data: { arn: '74111' },
    created_at: 1794703600,
  });
  const waiting = partnerRefund(payment, {
    amount: 2000,
    notes: { refund_request_id: 'REFUND-2' },
    status: 'pending',
    created_at: 1794707200,
  });
  // The newest first, to show that the reply is not in the order of arrival.
  await shop.sendPartner(
    partnerEvent('refund.created', { refund: waiting, payment }, { created_at: 1794707201 }),
  );
  await shop.sendPartner(
    partnerEvent('refund.processed', { refund: part, payment }, { created_at: 1794703660 }),
  );
  await shop.sendPartner(partnerEvent('payment.captured', { payment }));

  const reply = await shop.enquire({ invoice_id });

  assert.equal(reply.status, 200);
  assert.deepEqual(Object.keys(reply.body), ['transaction', 'order']);
  assert.deepEqual(reply.body.transaction, [
    {
      ...unknownFields,
      transaction_type: 'payment',
      completion_time: 42,
      svc_transaction_id: `${order_id}-261114234640`,
      payment_status: 'succeeded',
      svc_signature: sign(
        account.accessSecret,
        `${invoice_id}|${order_id}-261114234640|118.00|INR|succeeded|payment`,
      ),
      payment_partner: 'Razorpay',
      processing_payment_partner: 'Razorpay',
      psp_transaction_id: payment.id,
      transaction_amount: 118,
      transaction_currency: 'INR',
      payment_mode: 'UPI',
      payment_arn: '331510000777',
      sub_payment_mode: { upi_id: 'asha.rao@okbank', upi_flow: 'collect' },
      refund_status: 'pending',
      refund_request_id: 'REFUND-2',
    },
    {
      ...unknownFields,
      transaction_type: 'partial_refund',
      completion_time: 60,
      svc_transaction_id: `${order_id}-261115004640`,
      svc_signature: sign(
        account.accessSecret,
        `${invoice_id}|${order_id}-261115004640|18.00|INR|succeeded|partial_refund`,
      ),
      payment_partner: 'Razorpay',
      processing_payment_partner: 'Razorpay',
      psp_transaction_id: part.id,
      transaction_amount: 18,
      transaction_currency: 'INR',
      refund_status: 'succeeded',
      refund_request_id: 'REFUND-1',
      refund_arn: '74111',
    },
    {
      ...unknownFields,
      transaction_type: 'partial_refund',
      svc_transaction_id: `${order_id}-261115014640`,
      payment_partner: 'Razorpay',
      processing_payment_partner: 'Razorpay',
      psp_transaction_id: waiting.id,
      transaction_amount: 20,
      transaction_currency: 'INR',
      refund_status: 'pending',
      refund_request_id: 'REFUND-2',
    },
  ]);
  assert.deepEqual(reply.body.order, {
    svc_order_id: order_id,
    invoice_id,
    status: 'completed',
    custom_attributes: [
      { key: 'campaign', value: 'diwali' },
      { key: 'gift', value: 'true' },
      { key: 'items', value: '2' },
    ],
    currency_conversion: null,
    refund_details: {
      refundable_currency: 'INR',
      available_refundable_amount: 80,
      refunded_amount: 18,
      total_refundable_amount: 118,
    },
  });
});

test("the gateway's payment and its refund are shown whole", async () => {
  const { order_id, invoice_id } = await shop.createOrder();
  await shop.sendGateway(gatewayPaymentOf({ order_id }));
  await shop.sendGateway(
    gatewayPaymentOf(
      { order_id },
      {
        order: { status: 'REFUNDED', totalRefundedAmount: 118 },
        timeOfRecord: '2026-11-15T09:00:00.000Z',
        timeOfLastUpdate: '2026-11-15T09:00:05.000Z',
        transaction: {
          id: '2',
          type: 'REFUND',
          targetTransactionId: '1',
          reference: 'REFUND-9',
          receipt: '331610000456',
        },
      },
    ),
  );
  const { transaction, order } = (await shop.enquire({ order_id })).body;
  const paymentId = `${order_id}-261114100000`;
  const refundId = `${order_id}-261115090000`;
  assert.deepEqual(transaction, [
    {
      ...unknownFields,
      transaction_type: 'payment',
      completion_time: 31,
      svc_transaction_id: paymentId,
      payment_status: 'succeeded',
      message: 'Approved',
      svc_signature: sign(
        account.accessSecret,
        `${invoice_id}|${paymentId}|118.00|INR|succeeded|payment`,
      ),
      payment_partner: 'Mastercard Gateway',
      processing_payment_partner: 'Mastercard Gateway',
      psp_transaction_id: `${order_id}|1`,
      transaction_amount: 118,
      transaction_currency: 'INR',
      payment_acquirer: 'HDFC_S2I',
      payment_mode: 'Credit Card',
      payment_arn: '331510000123',
      sub_payment_mode: {
        scheme: 'VISA',
        card_type: 'CREDIT',
        issuer: 'HDFC BANK',
        masked_card: '411111xxxxxx1111',
      },
      refund_status: 'succeeded',
      refund_request_id: 'REFUND-9',
      refund_arn: '331610000456',
    },
    {
      ...unknownFields,
      transaction_type: 'full_refund',
      completion_time: 5,
      svc_transaction_id: refundId,
      message: 'Approved',
      svc_signature: sign(
        account.accessSecret,
        `${invoice_id}|${refundId}|118.00|INR|succeeded|full_refund`,
      ),
      payment_partner: 'Mastercard Gateway',
      processing_payment_partner: 'Mastercard Gateway',
      psp_transaction_id: `${order_id}|2`,
      transaction_amount: 118,
      transaction_currency: 'INR',
      refund_status: 'succeeded',
      refund_request_id: 'REFUND-9',
      refund_arn: '331610000456',
    },
  ]);
  assert.deepEqual(order.refund_details, {
    refundable_currency: 'INR',
    available_refundable_amount: 0,
    refunded_amount: 118,
    total_refundable_amount: 118,
  });
});

test('a transaction_id gives that one element, beside the whole order', async () => {
  const { order_id, invoice_id } = await shop.createOrder();
  const payment = partnerPayment({ notes: { svc_order_id: order_id } });
  await shop.sendPartner(partnerEvent('payment.captured', { payment }));
  const refund = partnerRefund(payment, { amount: 100 });
  await shop.sendPartner(partnerEvent('refund.processed', { refund }));
  const all = (await shop.enquire({ order_id })).body;
  assert.equal(all.transaction.length, 2);
  for (const element of all.transaction) {
    const transaction_id = element.svc_transaction_id;
    const expected = { transaction: [element], order: all.order };
    assert.deepEqual((await shop.enquire({ transaction_id })).body, expected);
    assert.deepEqual((await shop.enquire({ transaction_id, order_id, invoice_id })).body, expected);
  }
});

test('transactions of both providers are listed in the order in which they were started', async () => {
  const { order_id } = await shop.createOrder();
  const startedAt = [1794700300, 1794700100, 1794700200];
  for (const created_at of startedAt) {
    const payment = partnerPayment({ notes: { svc_order_id: order_id }, created_at });
    await shop.sendPartner(partnerEvent('payment.failed', { payment }));
  }
  await shop.sendGateway(
    gatewayPaymentOf(
      { order_id },
      {
        order: { creationTime: '2026-11-14T23:49:10.000Z' },
        timeOfRecord: '2026-11-14T23:49:10.000Z',
      },
    ),
  );
  const { transaction } = (await shop.enquire({ order_id })).body;
  assert.deepEqual(
    transaction.map((entry: Reply['body']) => entry.svc_transaction_id),
    ['261114234820', '261114234910', '261114235000', '261114235140'].map(
      (time) => `${order_id}-${time}`,
    ),
  );
});

test('two payments of the same second get different ids: the second one takes the next second', async () => {
  const { order_id } = await shop.createOrder();
  for (const _ of [1, 2]) {
    const payment = partnerPayment({ notes: { svc_order_id: order_id } });
    await shop.sendPartner(partnerEvent('payment.failed', { payment }));
  }
  const { transaction } = (await shop.enquire({ order_id })).body;
  assert.deepEqual(transaction.map((entry: Reply['body']) => entry.svc_transaction_id).sort(), [
    `${order_id}-261114234640`,
    `${order_id}-261114234641`,
  ]);
});

test('a failed payment has a failure reason, only while it is failed', async () => {
  const { order_id, invoice_id } = await shop.createOrder();
  const payment = partnerPayment({
    notes: { svc_order_id: order_id },
    status: 'failed',
    error_code: 'BAD_REQUEST_ERROR',
    error_description: 'Your payment was declined by the bank.',
    error_source: 'bank',
    error_step: 'payment_authorization',
    error_reason: 'insufficient_funds',
  });
  await shop.sendPartner(partnerEvent('payment.failed', { payment }));
  const failed = (await shop.enquire({ order_id })).body.transaction[0];
  assert.deepEqual(failed.failure_reason, {
    svc_error_code: 'INSUFFICIENT_FUNDS',
    svc_consumer_message: 'There were not enough funds. Please use another payment mode.',
    svc_merchant_message:
      'Razorpay reports: reason insufficient_funds, source bank, step payment_authorization.',
    retry_allowed: true,
  });
  assert.equal(failed.payment_status, 'failed');
  assert.equal(failed.message, 'Your payment was declined by the bank.');
  assert.equal(
    failed.svc_signature,
    sign(
      account.accessSecret,
      `${invoice_id}|${failed.svc_transaction_id}|118.00|INR|failed|payment`,
    ),
  );

  const captured = { ...payment, status: 'captured' };
  await shop.sendPartner(
    partnerEvent('payment.captured', { payment: captured }, { created_at: 1794700100 }),
  );
  const succeeded = (await shop.enquire({ order_id })).body.transaction[0];
  assert.equal(succeeded.payment_status, 'succeeded');
  assert.equal(succeeded.failure_reason, null);
  assert.equal(succeeded.completion_time, 100);
});

test('a decline of the gateway has a reason and forbids a retry', async () => {
  const order = await shop.createOrder();
  await shop.sendGateway(
    gatewayPaymentOf(order, {
      result: 'FAILURE',
      response: { gatewayCode: 'DECLINED_DO_NOT_CONTACT', acquirerMessage: 'Do not honour' },
    }),
  );
  const [failed] = (await shop.enquire({ order_id: order.order_id })).body.transaction;
  assert.equal(failed.payment_status, 'failed');
  assert.equal(failed.message, 'Do not honour');
  assert.deepEqual(failed.failure_reason, {
    svc_error_code: 'DECLINED_BY_BANK',
    svc_consumer_message: 'Your bank declined the payment. Please use another payment mode.',
    svc_merchant_message:
      'Mastercard Gateway reports: gateway code DECLINED_DO_NOT_CONTACT, acquirer message Do not honour.',
    retry_allowed: false,
  });
});

test('a failed refund is shown as failed and leaves the amount available', async () => {
  const { order_id } = await shop.createOrder();
  const payment = partnerPayment({ notes: { svc_order_id: order_id } });
  await shop.sendPartner(partnerEvent('payment.captured', { payment }));
  const refund = partnerRefund(payment, { status: 'failed' });
  await shop.sendPartner(partnerEvent('refund.failed', { refund, payment }));
  const { transaction, order } = (await shop.enquire({ order_id })).body;
  const [paid, failed] = transaction;
  assert.deepEqual([paid.failure_reason, paid.refund_status], [null, 'failed']);
  assert.equal(failed.failure_reason.svc_error_code, 'REFUND_FAILED');
  assert.equal(failed.transaction_type, 'full_refund');
  assert.notEqual(failed.svc_signature, null);
  assert.deepEqual(order.refund_details, {
    refundable_currency: 'INR',
    available_refundable_amount: 118,
    refunded_amount: 0,
    total_refundable_amount: 118,
  });
});

test('the signature is present only once the status is final', async () => {
  const order = await shop.createOrder();
  const { order_id } = order;
  const pending = { result: 'PENDING', response: { gatewayCode: 'PENDING' } };
  const steps: [changes: Fields, status: string, isFinal: boolean][] = [
    [pending, 'pending', false],
    [{ result: 'FAILURE' }, 'failed', true],
    [{ transaction: { type: 'AUTHORIZATION' } }, 'authorized', false],
    [{}, 'succeeded', true],
    [{ ...pending, transaction: voided }, 'reversing', false],
    [{ transaction: voided }, 'reversed', true],
  ];
  for (const [changes, status, isFinal] of steps) {
    await shop.sendGateway(gatewayPaymentOf(order, changes), { eventId: `final-${status}` });
    const [payment] = (await shop.enquire({ order_id })).body.transaction;
    assert.equal(payment.payment_status, status);
    assert.equal(payment.svc_signature !== null, isFinal, status);
    assert.equal(payment.completion_time !== null, isFinal, status);
  }
});

const amounts: [currency: string, sent: number, minor: number, signed: string][] = [
  ['INR', 118, 11800, '118.00'],
  ['INR', 0.5, 50, '0.50'],
  ['JPY', 500, 500, '500.00'],
  ['KWD', 1.234, 1234, '1.234'],
  ['CLF', 1.2345, 12345, '1.2345'],
];
for (const [currency, total_amount, minor, signedAmount] of amounts) {
  test(`${total_amount} ${currency} is shown as it is and signed as ${signedAmount}, in both versions`, async () => {
    for (const signatureVersion of ['v2', 'v3'] as const) {
      const own = shopOf(service, await service.createAccount({ signatureVersion }));
      const amount = { currency, total_amount, amount_before_tax: total_amount, tax: 0 };
      const { order_id, invoice_id } = await own.createOrder(amount);
      await own.sendPartner(captureOf({ order_id }, { amount: minor, currency }));
      const { transaction, order } = (await own.enquire({ order_id })).body;
      const [payment] = transaction;
      assert.equal(order.status, 'completed');
      assert.equal(payment.transaction_amount, total_amount);
      assert.equal(payment.signature_version, signatureVersion);
      const text = `${invoice_id}|${payment.svc_transaction_id}|${signedAmount}|${currency}`;
      const signed = signatureVersion === 'v2' ? text : `${text}|succeeded|payment`;
      assert.equal(payment.svc_signature, sign(own.account.accessSecret, signed));
      assert.equal(order.refund_details.total_refundable_amount, total_amount);
    }
  });
}

test('after a rotation the signature is made with the new access secret', async () => {
  const own = shopOf(service, await service.createAccount());
  const { accountId } = own.account;
  const { secret } = await rotateSecret(
    service.services,
    accountId,
    'access-secret',
    3600,
    commandLine,
  );
  const { order_id, invoice_id } = await own.createOrder();
  await own.sendPartner(captureOf({ order_id }));
  const { body } = await service.call('/api/v3/generate-token', {
    body: { access_key: own.account.accessKey, access_secret: secret },
  });
  const [payment] = (await own.enquire({ order_id }, body.token)).body.transaction;
  const text = `${invoice_id}|${payment.svc_transaction_id}|118.00|INR|succeeded|payment`;
  assert.equal(payment.svc_signature, sign(secret, text));
});

test('refund_details sum succeeded refunds and reserve pending ones, never below zero', async () => {
  const { order_id } = await shop.createOrder();
  const payment = partnerPayment({ notes: { svc_order_id: order_id } });
  await shop.sendPartner(partnerEvent('payment.captured', { payment }));
  const steps: [event: string, amount: number, refunded: number, available: number][] = [
    ['refund.processed', 1000, 10, 108],
    ['refund.processed', 2050, 30.5, 87.5],
    ['refund.created', 750, 30.5, 80],
    ['refund.failed', 5000, 30.5, 80],
    ['refund.processed', 8000, 110.5, 0],
    ['refund.created', 4000, 110.5, 0],
  ];
  for (const [event, amount, refunded, available] of steps) {
    const status = event === 'refund.created' ? 'pending' : 'processed';
    const refund = partnerRefund(payment, { amount, status });
    await shop.sendPartner(partnerEvent(event, { refund, payment }));
    assert.deepEqual((await shop.enquire({ order_id })).body.order.refund_details, {
      refundable_currency: 'INR',
      available_refundable_amount: available,
      refunded_amount: refunded,
      total_refundable_amount: 118,
    });
  }
});

test("a payment shows its own latest refund by the provider's time, not by arrival", async () => {
  const { order_id } = await shop.createOrder();
  const payments = ['pay_latest1', 'pay_latest2'].map((id, index) =>
    partnerPayment({
      id,
      notes: { svc_order_id: order_id },
      created_at: 1794700000 + index,
    }),
  );
  for (const payment of payments) {
    await shop.sendPartner(partnerEvent('payment.captured', { payment }));
  }
  const [one = {}, two = {}] = payments;
  for (const [payment, receipt, created_at] of [
    [one, 'NEWEST', 1794703900],
    [one, 'OLDEST', 1794703700],
    [one, 'MIDDLE', 1794703800],
    [two, 'OTHER', 1794709999],
  ] as const) {
    const refund = partnerRefund(payment, { receipt, created_at, amount: 100 });
    await shop.sendPartner(partnerEvent('refund.processed', { refund }));
  }
  const { transaction } = (await shop.enquire({ order_id })).body;
  assert.deepEqual(
    transaction.slice(0, 2).map((entry: Reply['body']) => entry.refund_request_id),
    ['NEWEST', 'OTHER'],
  );
});

test('a converted order is paid in the converted currency and shows both', async () => {
  const own = shopOf(
    service,
    await service.createAccount({
      alternateCurrencies: [{ from: 'USD', to: 'INR', rate: '83.25' }],
    }),
  );
  const { order_id } = await own.createOrder({ currency: 'USD' });
  const wrong = await own.sendPartner(captureOf({ order_id }, { amount: 11800, currency: 'USD' }));
  assert.equal(wrong.body.status, 'needs_review');
  await own.sendPartner(captureOf({ order_id }, { amount: 982350 }));
  const { order } = (await own.enquire({ order_id })).body;
  assert.equal(order.status, 'completed');
  assert.deepEqual(order.currency_conversion, {
    original_currency: 'USD',
    converted_currency: 'INR',
    exchange_rate: 83.25,
    conversion_reason: 'ALTERNATE_CURRENCY_CONFIG',
    original_amount_before_tax: 100,
    original_tax: 18,
    original_total_amount: 118,
  });
  assert.equal(order.refund_details.refundable_currency, 'INR');
  assert.equal(order.refund_details.total_refundable_amount, 9823.5);
});

test('empty strings and nulls count as absent, and a number is read as its text', async () => {
  const { order_id } = await shop.createOrder({ invoice_id: '20261115' });
  const expected = (await shop.enquire({ order_id })).body;
  for (const ids of [
    { order_id, invoice_id: '', transaction_id: null },
    { order_id: null, invoice_id: 20261115, transaction_id: '' },
    { order_id, invoice_id: '20261115', unknown_field: [] },
  ]) {
    const reply = await shop.enquire(ids);
    assert.equal(reply.status, 200, JSON.stringify(ids));
    assert.deepEqual(reply.body, expected);
  }
});

test("an order token sees its own order, and the consumer's UPI id masked", async () => {
  const { order_id, invoice_id, token } = await shop.createOrder();
  const payment = partnerPayment({
    method: 'upi',
    upi: { vpa: 'asha.rao@okbank' },
    notes: { svc_order_id: order_id },
  });
  await shop.sendPartner(partnerEvent('payment.captured', { payment }));
  const merchant = (await shop.enquire({ order_id })).body;
  const transaction_id = merchant.transaction[0].svc_transaction_id;
  assert.deepEqual(merchant.transaction[0].sub_payment_mode, { upi_id: 'asha.rao@okbank' });
  for (const ids of [{ order_id }, { invoice_id }, { transaction_id }]) {
    const reply = await shop.enquire(ids, token);
    assert.equal(reply.status, 200);
    assert.deepEqual(reply.body, {
      order: merchant.order,
      transaction: [{ ...merchant.transaction[0], sub_payment_mode: { upi_id: 'a***o@okbank' } }],
    });
  }
});

test('the invariants hold after all of this', () => assertInvariants(shop));

/** As a merchant would check it: the whole secret, prefix included. Contract 5.4. */
function sign(accessSecret: string, text: string): string {
  assert.match(accessSecret, /^access_secret_/);
  return createHmac('sha256', accessSecret).update(text).digest('hex');
}
