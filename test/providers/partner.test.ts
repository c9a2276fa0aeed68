import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Translation } from '../../src/domain/inbox/translation.ts';
import type { Notice, PaymentNotice, RefundNotice } from '../../src/domain/payments/notice.ts';
import { partner } from '../../src/providers/partner/partner.ts';
import {
  flatPartnerEvent,
  partnerEvent,
  partnerPayment,
  partnerRefund,
} from '../support/deliveries.ts';

type Fields = Record<string, unknown>;

const paymentId = 'pay_LZ7rTqkY6Pm3xA';
const refundId = 'rfnd_LZ8bMGtX0pVq4s';
const paymentOf = (changes: Fields = {}) => partnerPayment({ id: paymentId, ...changes });
const refundOf = (changes: Fields = {}) =>
  partnerRefund({ id: paymentId }, { id: refundId, ...changes });

const vector = {
  secret: 'partner-secret-1',
  body: Buffer.from('{"event":"payment.captured","note":"a\\/b é"}', 'utf8'),
  signature: '309ba5c7ab86a6f2a66ceae80bc6ada963abd9241dbc18af5e297ed6d8bf5a92',
};

test('a known signature verifies over the raw bytes', () => {
  assert.equal(vector.body.length, 45);
  assert.equal(verify(vector.body), 'verified');
});

test('a body that was parsed and re-encoded does not verify', () => {
  const rewritten = Buffer.from(JSON.stringify(JSON.parse(vector.body.toString('utf8'))));
  assert.equal(verify(rewritten), 'refused');
  assert.equal(verify(Buffer.concat([vector.body, Buffer.from('\n')])), 'refused');
  assert.equal(verify(Buffer.from(vector.body.toString('utf8').normalize('NFD'))), 'refused');
});

test('the event id is the header, and without it only the bytes identify a repeat', () => {
  const { body } = vector;
  const headers = { 'x-razorpay-event-id': 'LZ8cA0bQdE2fGh' };
  assert.equal(partner.findEventId({ headers, body }), 'LZ8cA0bQdE2fGh');
  assert.equal(partner.findEventId({ headers: {}, body }), undefined);
  assert.equal(partner.findContentKey({ headers: {}, body }), undefined);
});

test('a captured card payment is a succeeded payment with all its fields', () => {
  const payment = paymentOf({
    order_id: 'order_LZ7pXQNdQ2kS1f',
    notes: {
      svc_transaction_id: 'o_1-261114234640',
      svc_order_id: 'o_1',
      order_id: 'o_one',
      invoice_id: 'INV-1',
    },
  });
  assert.deepEqual(noticeOf(partnerEvent('payment.captured', { payment })), {
    references: {
      providerOrderId: 'order_LZ7pXQNdQ2kS1f',
      transactionIds: ['o_1-261114234640'],
      orderIds: ['o_1', 'o_one'],
      invoiceIds: ['INV-1'],
    },
    payment: {
      pspTransactionId: paymentId,
      status: 'succeeded',
      occurredAtMs: 1794700042000,
      statusSinceMs: 1794700042000,
      startedAtMs: 1794700000000,
      recordedAtMs: 1794700000000,
      amount: 11800,
      currency: 'INR',
      paymentMode: 'Credit Card',
      subPaymentMode: {
        scheme: 'Visa',
        card_type: 'credit',
        issuer: 'HDFC',
        masked_card: '******1111',
      },
      paymentArn: '828553',
    },
  });
});

test('a processed refund is a succeeded refund and reports that its payment was captured', () => {
  const payment = paymentOf({ order_id: 'order_LZ7pXQNdQ2kS1f', status: 'refunded' });
  const refund = refundOf({ receipt: 'RR-1', acquirer_data: { arn: '7485' } });
  const notice = noticeOf(partnerEvent('refund.processed', { refund, payment }));
  assert.deepEqual(notice.refund, {
    pspTransactionId: refundId,
    status: 'succeeded',
    occurredAtMs: 1794700042000,
    statusSinceMs: 1794700042000,
    startedAtMs: 1794703600000,
    recordedAtMs: 1794703600000,
    amount: 11800,
    currency: 'INR',
    refundRequestId: 'RR-1',
    refundArn: '7485',
    paymentPspId: paymentId,
  });
  assert.equal(notice.references.providerOrderId, 'order_LZ7pXQNdQ2kS1f');
  assertFields(notice.payment, {
    pspTransactionId: paymentId,
    status: 'succeeded',
    amount: 11800,
    occurredAtMs: 1794700000000,
    statusSinceMs: undefined,
  });
});

test('the payment within a refund event counts only if it was captured', () => {
  const cases = [
    ['captured', 'succeeded'],
    ['refunded', 'succeeded'],
    ['authorized', undefined],
    ['failed', undefined],
    ['created', undefined],
    [null, undefined],
  ] as const;
  for (const event of ['refund.created', 'refund.processed', 'refund.failed']) {
    for (const [status, expected] of cases) {
      const payment = paymentOf({ status });
      const notice = noticeOf(partnerEvent(event, { refund: refundOf(), payment }));
      assert.equal(notice.payment?.status, expected, `${event} ${status}`);
    }
  }
});

test('another payment within a refund event is not taken for the refunded one', () => {
  const payment = partnerPayment({ id: 'pay_another0000001' });
  const notice = noticeOf(partnerEvent('refund.processed', { refund: refundOf(), payment }));
  assert.equal(notice.payment, undefined);
  assert.equal(notice.refund?.paymentPspId, paymentId);
});

test('a refund without its payment record, or without payment_id, still names its payment', () => {
  const alone = noticeOf(partnerEvent('refund.processed', { refund: refundOf() }));
  assert.equal(alone.refund?.paymentPspId, paymentId);
  const refund = refundOf({ payment_id: null });
  const beside = noticeOf(partnerEvent('refund.processed', { refund, payment: paymentOf() }));
  assert.equal(beside.refund?.paymentPspId, paymentId);
  assert.equal(translate(partnerEvent('refund.processed', { refund })).kind, 'unreadable');
});

test('a payment is captured only if its record says so, whatever the event', () => {
  const cases: ReadonlyArray<readonly [Fields, string]> = [
    [{ status: 'captured', captured: true }, 'succeeded'],
    [{ status: 'captured', captured: undefined }, 'succeeded'],
    [{ status: 'refunded', captured: true }, 'succeeded'],
    [{ status: 'refunded', captured: undefined }, 'succeeded'],
    [{ status: 'refunded', captured: false }, 'reversed'],
    [{ status: 'authorized', captured: false }, 'authorized'],
    [{ status: 'created', captured: false }, 'pending'],
    [{ status: 'failed', captured: false }, 'failed'],
  ];
  for (const event of ['payment.captured', 'order.paid']) {
    for (const [changes, status] of cases) {
      const { payment } = noticeOf(partnerEvent(event, { payment: paymentOf(changes) }));
      assert.equal(payment?.status, status, `${event} ${JSON.stringify(changes)}`);
    }
  }
});

test('a refund event also reports the release of an authorisation, with its time', () => {
  const released = paymentOf({ status: 'refunded', captured: false });
  const { payment } = noticeOf(
    partnerEvent('refund.processed', { payment: released, refund: refundOf() }),
  );
  assert.equal(payment?.status, 'reversed');
  assert.equal(payment?.isRelease, true);
  assert.equal(payment?.statusSinceMs, 1794700042_000);
});

test('an offer is named by the payment or listed by its order, whose amount comes with it', () => {
  const lower = { amount: 10_620 };
  const named = { ...lower, offer_id: 'offer_1' };
  const listed = { id: 'order_1', amount: 11_800, offers: ['offer_2'] };
  const collection = { ...listed, offers: { entity: 'collection', items: [{ id: 'offer_3' }] } };
  const cases: ReadonlyArray<readonly [Fields, Fields | undefined, unknown, unknown]> = [
    [named, undefined, 'offer_1', undefined],
    [named, listed, 'offer_1', 11_800],
    [lower, listed, 'offer_2', 11_800],
    [lower, collection, 'offer_3', 11_800],
    [lower, { ...listed, offers: [] }, undefined, undefined],
    [{}, listed, undefined, undefined],
    [{ ...lower, offer_id: null }, undefined, undefined, undefined],
    [{ amount: 10_856, fee: 236, fee_bearer: 'customer' }, listed, 'offer_2', 11_800],
  ];
  for (const [changes, order, offerId, orderAmount] of cases) {
    const payment = paymentOf(changes);
    const records: Record<string, Fields> = order ? { payment, order } : { payment };
    const notice = noticeOf(partnerEvent('order.paid', records)).payment;
    assert.deepEqual([notice?.offerId, notice?.providerOrderAmount], [offerId, orderAmount]);
  }
});

test('each event that is acted on has its status', () => {
  const meanings = [
    ['payment.authorized', 'payment', 'authorized'],
    ['payment.captured', 'payment', 'succeeded'],
    ['order.paid', 'payment', 'succeeded'],
    ['payment.failed', 'payment', 'failed'],
    ['refund.processed', 'refund', 'succeeded'],
    ['refund.failed', 'refund', 'failed'],
  ] as const;
  for (const [event, about, status] of meanings) {
    const notice = noticeOf(partnerEvent(event, { payment: paymentOf(), refund: refundOf() }));
    assert.equal(notice[about]?.status, status, event);
  }
});

test('a created refund is pending, unless its record has a final status', () => {
  const cases = [
    ['pending', 'pending'],
    ['processed', 'succeeded'],
    ['failed', 'failed'],
    ['queued_somewhere', 'pending'],
    [null, 'pending'],
    [undefined, 'pending'],
  ] as const;
  for (const [status, expected] of cases) {
    const event = partnerEvent('refund.created', { refund: refundOf({ status }) });
    assert.equal(noticeOf(event).refund?.status, expected, `${status}`);
  }
});

test('a failed refund has our own reason, since the partner gives none', () => {
  for (const event of ['refund.failed', 'refund.created']) {
    const refund = refundOf({ status: 'failed' });
    const failure = noticeOf(partnerEvent(event, { refund })).refund?.failure;
    assert.equal(failure?.code, 'REFUND_FAILED', event);
    assert.equal(failure?.retryAllowed, true);
    assert.notEqual(failure?.merchantMessage, '');
  }
  const processed = noticeOf(partnerEvent('refund.processed', { refund: refundOf() }));
  assert.equal(processed.refund?.failure, undefined);
});

test('every other event is ignored, whatever its payload', () => {
  const names = [
    'payment.dispute',
    'payment.downtime.started',
    'payment.downtime.resolved',
    'payment.pending',
    'refund.speed_changed',
    'refund.arn_updated',
    'settlement.processed',
    'invoice.paid',
    'invoice.expired',
    'payment_link.paid',
    'payment_link.cancelled',
    'subscription.charged',
    'subscription.halted',
    'order.notification.delivered',
    'Payment.Captured',
    'toString',
    '__proto__',
    'constructor',
  ];
  for (const name of names) {
    const payloads: Record<string, Fields>[] = [{ payment: paymentOf(), refund: refundOf() }, {}];
    for (const records of payloads) {
      assert.deepEqual(translate(partnerEvent(name, records)), {
        kind: 'ignored',
        why: `the event ${name} is not acted on`,
        isForeignEvent: true,
      });
    }
  }
  const payload = { 'payment.downtime': { entity: { id: 'down_1', method: 'upi' } } };
  const downtime = partnerEvent('payment.downtime.started', {}, { payload });
  assert.equal(translate(downtime).kind, 'ignored');
});

test('a dispute is a notice of its own, with all references to its order', () => {
  const payment = paymentOf({ order_id: 'order_1', notes: { invoice_id: 'INV-1' } });
  const references = {
    providerOrderId: 'order_1',
    transactionIds: [],
    orderIds: [],
    invoiceIds: ['INV-1'],
  };
  const record = {
    id: 'disp_1',
    payment_id: payment.id,
    amount: 500,
    currency: 'INR',
    amount_deducted: 0,
    reason_code: 'fraud',
    reason_description: null,
    respond_by: 1794900000,
    phase: 'chargeback',
    created_at: 1794800000,
  };
  const translated = (event: string, dispute: Record<string, unknown>, more = {}) =>
    translate(partnerEvent(`payment.dispute.${event}`, { payment, dispute }, more));
  const fields = {
    disputeId: 'disp_1',
    paymentPspId: payment.id,
    phase: 'chargeback',
    reasonCode: 'fraud',
    amount: 500,
    currency: 'INR',
    amountDeducted: 0,
    respondByMs: 1794900000_000,
    createdAtMs: 1794800000_000,
    occurredAtMs: 1794700042_000,
  };
  for (const [event, status, expected] of [
    ['created', 'open', { status: 'open' }],
    ['created', undefined, { status: 'open' }],
    ['won', undefined, { status: 'won' }],
    // The record counts, and not the name of the event.
    ['under_review', 'lost', { status: 'lost' }],
    ['action_required', 'under_review', { asksForAction: true }],
  ] as const) {
    const dispute = { ...fields, ...expected };
    assert.deepEqual(translated(event, { ...record, status }), {
      kind: 'notice',
      notice: { references, dispute },
    });
  }
  const read = translated('open', { ...record, status: 'open' }, { read_at: 1794950000 });
  const dispute = { ...fields, status: 'open', isRead: true, occurredAtMs: 1794950000_000 };
  assert.deepEqual(read, { kind: 'notice', notice: { references, dispute } });

  assert.deepEqual(translated('of_tomorrow', { ...record, status: 'of_tomorrow' }), {
    kind: 'report',
    state: 'needs_review',
    names: { references, payment: { pspTransactionId: payment.id } },
    why: 'Razorpay reports a dispute with a status that is not known: of_tomorrow',
    flags: ['dispute'],
  });
  assert.equal(translated('won', { ...record, id: '' }).kind, 'unreadable');
  const unnamed = partnerEvent('payment.dispute.won', { dispute: { id: 'disp_1' } });
  assert.equal(translate(unnamed).kind, 'unreadable');
});

test('an event that is acted on but names nothing is unreadable', () => {
  const cases: [string, Fields][] = [
    ['payment.captured', {}],
    ['payment.captured', { payment: null }],
    ['payment.captured', { payment: { entity: null } }],
    ['payment.captured', { payment: { entity: [] } }],
    ['payment.captured', { payment: [] }],
    ['payment.captured', { payment: { entity: paymentOf({ id: '' }) } }],
    ['order.paid', { order: { entity: { id: 'order_1' } } }],
    ['refund.processed', { payment: { entity: paymentOf() } }],
    ['refund.processed', { refund: null, payment: { entity: paymentOf() } }],
    ['refund.processed', { refund: { entity: refundOf({ id: null }) } }],
  ];
  for (const [event, payload] of cases) {
    const translation = translate(partnerEvent(event, {}, { payload }));
    assert.equal(translation.kind, 'unreadable', `${event} ${JSON.stringify(payload)}`);
  }
});

test('the real nested format and the flat format of the contract give the same notice', () => {
  const payment = paymentOf({ order_id: 'order_1', notes: { invoice_id: 'INV-1' } });
  const order = { id: 'order_1', entity: 'order', receipt: 'INV-1' };
  const cases: [string, Record<string, Fields>][] = [
    ['payment.captured', { payment }],
    ['payment.failed', { payment: { ...payment, error_reason: 'payment_timed_out' } }],
    ['order.paid', { payment, order }],
    ['refund.processed', { payment, refund: refundOf({ receipt: 'RR-1' }) }],
    ['refund.failed', { payment, refund: refundOf({ status: 'failed' }) }],
  ];
  for (const [event, records] of cases) {
    const nested = noticeOf(partnerEvent(event, records));
    assert.deepEqual(noticeOf(flatPartnerEvent(event, records)), nested, event);
    const withoutEntity = Object.fromEntries(
      Object.entries(records).map(([name, { entity: _, ...record }]) => [name, record]),
    );
    assert.deepEqual(noticeOf(flatPartnerEvent(event, withoutEntity)), nested, event);
  }
});

test('only the event, the payload and an id are required', () => {
  const bare = { event: 'payment.captured', payload: { payment: { id: paymentId } } };
  assert.deepEqual(noticeOf(bare), {
    references: { transactionIds: [], orderIds: [], invoiceIds: [] },
    payment: { pspTransactionId: paymentId, status: 'succeeded' },
  });
});

test('the receipt of a paid order may be our order id or our invoice id', () => {
  const payment = paymentOf({ order_id: 'order_1' });
  const order = { id: 'order_1', entity: 'order', receipt: 'INV-1', notes: { order_id: 'o_1' } };
  assert.deepEqual(noticeOf(partnerEvent('order.paid', { payment, order })).references, {
    providerOrderId: 'order_1',
    transactionIds: [],
    orderIds: ['o_1', 'INV-1'],
    invoiceIds: ['INV-1'],
  });
  for (const receipt of [null, '', undefined]) {
    const nameless = { id: 'order_1', receipt };
    const { references } = noticeOf(partnerEvent('order.paid', { payment, order: nameless }));
    assert.deepEqual([references.orderIds, references.invoiceIds], [[], []]);
  }
});

test('a payment without an order id takes that of the order record in the same event', () => {
  const payment = paymentOf({ order_id: null });
  const notice = noticeOf(partnerEvent('order.paid', { payment, order: { id: 'order_9' } }));
  assert.equal(notice.references.providerOrderId, 'order_9');
});

test('an order id that is null or absent is not a reference and not an error', () => {
  for (const order_id of [null, undefined, '']) {
    const { references } = noticeOf(
      partnerEvent('payment.captured', { payment: paymentOf({ order_id }) }),
    );
    assert.deepEqual(references, { transactionIds: [], orderIds: [], invoiceIds: [] });
  }
});

test('notes may be an object, an empty list, null or absent, in payment and refund alike', () => {
  for (const notes of [[], {}, null, undefined, '', 'text', 7]) {
    const records = { payment: paymentOf({ notes }), refund: refundOf({ notes }) };
    const { references, refund } = noticeOf(partnerEvent('refund.processed', records));
    assert.deepEqual(references, { transactionIds: [], orderIds: [], invoiceIds: [] });
    assert.equal(refund?.refundRequestId, refundId);
  }
});

test('numbers in notes become their text, and each reference is listed once', () => {
  const notes = { invoice_id: 20261114, order_id: 'o_1', svc_order_id: 'o_1' };
  const records = { payment: paymentOf({ notes }), refund: refundOf({ notes }) };
  assert.deepEqual(noticeOf(partnerEvent('refund.processed', records)).references, {
    transactionIds: [],
    orderIds: ['o_1'],
    invoiceIds: ['20261114'],
  });
});

const card = { id: 'card_1', last4: '1111', network: 'Visa', type: 'credit', issuer: 'HDFC' };
const cardFields = { scheme: 'Visa', card_type: 'credit', issuer: 'HDFC' };

/** Changes to a payment record, and the expected changes to its notice; undefined means absent. */
const paymentCases: Record<string, readonly [Fields, Partial<PaymentNotice> | Fields]> = {
  'a debit card': [{ card: { ...card, type: 'debit' } }, { paymentMode: 'Debit Card' }],
  'a prepaid card': [{ card: { ...card, type: 'prepaid' } }, { paymentMode: 'Prepaid Card' }],
  'a card of unknown type': [{ card: { ...card, type: 'unknown' } }, { paymentMode: 'Card' }],
  'a card with its first digits': [
    { card: { ...card, iin: '411111' } },
    { subPaymentMode: { ...cardFields, masked_card: '411111******1111' } },
  ],
  'a card that is null': [{ card: null }, { paymentMode: 'Card', subPaymentMode: undefined }],
  'a card that is absent': [
    { card: undefined },
    { paymentMode: 'Card', subPaymentMode: undefined },
  ],
  'a card that is an empty list': [{ card: [] }, { paymentMode: 'Card' }],
  'an EMI on a credit card': [
    { method: 'emi', card },
    {
      paymentMode: 'Credit Card EMI',
      subPaymentMode: { ...cardFields, masked_card: '******1111' },
      paymentArn: '828553',
    },
  ],
  'an EMI on a debit card': [
    { method: 'emi', card: { ...card, type: 'debit' } },
    { paymentMode: 'Debit Card EMI' },
  ],
  'a UPI payment': [
    {
      method: 'upi',
      card: undefined,
      vpa: 'name@okbank',
      upi: { vpa: 'name@okbank', flow: 'collect', payer_account_type: 'bank_account' },
      acquirer_data: { rrn: '331510000123', upi_transaction_id: 'ABC' },
    },
    {
      paymentMode: 'UPI',
      subPaymentMode: { upi_id: 'name@okbank', upi_flow: 'collect' },
      paymentArn: '331510000123',
    },
  ],
  'a UPI payment without its object, the address at the top': [
    { method: 'upi', vpa: 'name@okbank', acquirer_data: { upi_transaction_id: 'ABC' } },
    { paymentMode: 'UPI', subPaymentMode: { upi_id: 'name@okbank' }, paymentArn: 'ABC' },
  ],
  'a UPI payment whose object has no address': [
    { method: 'upi', vpa: 'name@okbank', upi: { vpa: null, flow: 'intent' } },
    { subPaymentMode: { upi_id: 'name@okbank', upi_flow: 'intent' } },
  ],
  'a UPI payment with an address like an e-mail': [
    { method: 'upi', vpa: null, upi: { vpa: 'asha.k@bank.co' } },
    { subPaymentMode: { upi_id: 'asha.k@bank.co' } },
  ],
  'a UPI payment without any address': [
    { method: 'upi', vpa: '', upi: { vpa: null } },
    { paymentMode: 'UPI', subPaymentMode: undefined },
  ],
  'a netbanking payment': [
    { method: 'netbanking', bank: 'HDFC', acquirer_data: { bank_transaction_id: '0125836177' } },
    {
      paymentMode: 'Netbanking',
      subPaymentMode: { bank_name: 'HDFC' },
      paymentArn: '0125836177',
    },
  ],
  'a wallet payment': [
    { method: 'wallet', wallet: 'payzapp', acquirer_data: { transaction_id: 'W-1' } },
    { paymentMode: 'Wallet', subPaymentMode: { wallet_name: 'payzapp' }, paymentArn: 'W-1' },
  ],
  'a payment later': [
    { method: 'paylater', wallet: 'lazypay', card: null },
    { paymentMode: 'Pay Later', subPaymentMode: undefined, paymentArn: undefined },
  ],
  'a cardless EMI': [{ method: 'cardless_emi' }, { paymentMode: undefined, status: 'succeeded' }],
  'a bank transfer': [{ method: 'bank_transfer' }, { paymentMode: undefined, amount: 11800 }],
  'a method nobody knows': [{ method: 'telepathy' }, { paymentMode: undefined, amount: 11800 }],
  'a method that is null': [{ method: null }, { paymentMode: undefined, amount: 11800 }],
  'a card with its arn': [
    { acquirer_data: { arn: 'A', rrn: 'R', auth_code: 'C' } },
    { paymentArn: 'A' },
  ],
  'a card with its rrn': [
    { acquirer_data: { arn: null, rrn: 'R', auth_code: 'C' } },
    { paymentArn: 'R' },
  ],
  'a card with an empty arn and rrn': [
    { acquirer_data: { arn: '', rrn: '', auth_code: 'C' } },
    { paymentArn: 'C' },
  ],
  'acquirer data as an empty list': [{ acquirer_data: [] }, { paymentArn: undefined }],
  'acquirer data as an empty object': [{ acquirer_data: {} }, { paymentArn: undefined }],
  'acquirer data that is absent': [{ acquirer_data: undefined }, { paymentArn: undefined }],
  'yen, which have no decimals': [
    { amount: 500, currency: 'JPY' },
    { amount: 500, currency: 'JPY' },
  ],
  'dinars, which have three decimals': [
    { amount: 1234, currency: 'KWD' },
    { amount: 1234, currency: 'KWD' },
  ],
  'an amount as text': [{ amount: '11800' }, { amount: 11800 }],
  'an amount with a fraction': [{ amount: 118.5 }, { amount: undefined }],
  'a negative amount': [{ amount: -1 }, { amount: undefined }],
  'an amount that is null': [{ amount: null }, { amount: undefined, status: 'succeeded' }],
  'a fee that the customer bears': [
    { fee_bearer: 'customer', amount: 12036, fee: 236 },
    { amount: 12036, customerFee: 236 },
  ],
  'a fee that the platform bears': [
    { fee_bearer: 'platform', fee: 236 },
    { customerFee: undefined },
  ],
  'a fee that is not known yet': [
    { fee_bearer: 'customer', fee: null },
    { customerFee: undefined },
  ],
  'a start that is absent': [
    { created_at: undefined },
    { startedAtMs: undefined, recordedAtMs: undefined, occurredAtMs: 1794700042000 },
  ],
};

for (const [name, [changes, expected]] of Object.entries(paymentCases)) {
  test(`${name} is translated correctly`, () => {
    const payment = paymentOf(changes);
    assertFields(noticeOf(partnerEvent('payment.captured', { payment })).payment, expected);
  });
}

test('an event without a time takes that of the payment and reports no time of change', () => {
  const event = partnerEvent('payment.captured', { payment: paymentOf() });
  const { created_at: _, ...timeless } = event;
  for (const body of [timeless, { ...event, created_at: null }, { ...event, created_at: '' }]) {
    assertFields(noticeOf(body).payment, {
      occurredAtMs: 1794700000000,
      startedAtMs: 1794700000000,
      statusSinceMs: undefined,
    });
  }
});

test('the message is the description of the error, and absent if that is empty', () => {
  const cases = [
    ['Payment was cancelled by the customer.', 'Payment was cancelled by the customer.'],
    ['', undefined],
    [null, undefined],
    [undefined, undefined],
  ] as const;
  for (const [error_description, message] of cases) {
    const payment = paymentOf({ status: 'failed', error_description });
    const notice = noticeOf(partnerEvent('payment.failed', { payment }));
    assert.equal(notice.payment?.message, message);
  }
});

/** Changes to a refund record, and the expected changes to its notice. */
const refundCases: Record<string, readonly [Fields, Partial<RefundNotice> | Fields]> = {
  'a receipt before anything else': [
    { receipt: 'RR-1', notes: { refund_request_id: 'RR-2' } },
    { refundRequestId: 'RR-1' },
  ],
  'the request id of the notes without a receipt': [
    { receipt: null, notes: { refund_request_id: 'RR-2' } },
    { refundRequestId: 'RR-2' },
  ],
  'an empty receipt as none': [
    { receipt: '', notes: { refund_request_id: 'RR-2' } },
    { refundRequestId: 'RR-2' },
  ],
  'the refund id when nothing names it': [{ receipt: null }, { refundRequestId: refundId }],
  'the arn first': [{ acquirer_data: { arn: 'A', rrn: 'R', utr: 'U' } }, { refundArn: 'A' }],
  'the rrn next': [{ acquirer_data: { arn: null, rrn: 'R', utr: 'U' } }, { refundArn: 'R' }],
  'the utr last': [{ acquirer_data: { utr: 'U' } }, { refundArn: 'U' }],
  'no arn even when processed': [{ acquirer_data: { arn: null } }, { refundArn: undefined }],
  'acquirer data as an empty list': [{ acquirer_data: [] }, { refundArn: undefined }],
  'acquirer data that is absent': [{ acquirer_data: undefined }, { refundArn: undefined }],
  'yen in yen': [
    { amount: 500, currency: 'JPY' },
    { amount: 500, currency: 'JPY' },
  ],
  'a part of the payment': [{ amount: 1800 }, { amount: 1800, currency: 'INR' }],
};

for (const [name, [changes, expected]] of Object.entries(refundCases)) {
  test(`a refund has ${name}`, () => {
    const refund = refundOf(changes);
    assertFields(noticeOf(partnerEvent('refund.processed', { refund })).refund, expected);
  });
}

function verify(body: Buffer) {
  const headers = { 'x-razorpay-signature': vector.signature };
  return partner.verify({ headers, body }, [vector.secret]);
}

function translate(event: Fields): Translation {
  const body = Buffer.from(JSON.stringify(event), 'utf8');
  return partner.translate({ headers: {}, body }, { expectedMerchant: null });
}

function noticeOf(event: Fields): Notice {
  const translation = translate(event);
  if (translation.kind !== 'notice') assert.fail(JSON.stringify(translation));
  return translation.notice;
}

function assertFields(actual: object | undefined, expected: Fields): void {
  assert.ok(actual, 'there is no such part of the notice');
  const fields = Object.keys(expected).map((name) => [name, (actual as Fields)[name]]);
  assert.deepEqual(Object.fromEntries(fields), expected);
}
