/** Real calls that move money, the enquiry about them, and the deliveries of both providers. */
import {
  gatewayBody,
  partnerEvent,
  partnerPayment,
  sendGateway,
  sendPartner,
  toFormData,
} from '../support/deliveries.ts';
import type { Call, Reply } from '../support/test-service.ts';
import { anyAccount, cartOf, type Stage } from './record-merchant.ts';

export async function recordPayments(stage: Stage): Promise<void> {
  const { journey, plainShop } = stage;
  const record = stage.recorder('initiate-payment');
  const pay = (body: object, call: Call = {}): Promise<Reply> =>
    journey.service.call('/api/v3/initiate-payment', { token: journey.shop.token, body, ...call });
  const order_id = await journey.createOrder(cartOf('INV-2026-0050', anyAccount));
  const upi = { order_id, payment_mode_code: 'upi', upi_id: 'asha@okbank' };
  const headers = { 'idempotency-key': '5a8f6f0e-2f0c-4d7a-9c53-0b8f3b1f7a11' };
  record.parameters({ 'Idempotency-Key': headers['idempotency-key'] });
  record.request('upi', 'By UPI: the consumer chooses the app or types their UPI id later', {
    order_id,
    payment_mode_code: 'upi',
  });
  record.request('upi_id', 'By UPI with a UPI id', upi);
  record.request('net_banking', 'By net banking', {
    order_id,
    payment_mode_code: 'net_banking',
    bank_code: 'HDFC',
  });
  const card = { order_id, payment_mode_code: 'card' };
  record.request('card', 'By card: the provider asks for its details', card);
  record.reply('started', 'A started payment', await pay(upi, { headers }));
  const noBank = { order_id, payment_mode_code: 'net_banking' };
  record.error('INVALID_REQUEST_PARAMETER', 400, await pay(noBank));
  record.error('ORDER_NOT_FOUND', 404, await pay({ ...upi, order_id: 'o_unknown' }));
  record.error('ORDER_COMPLETED', 409, await pay({ ...upi, order_id: stage.paid.order_id }));
  const otherUpi = { ...upi, upi_id: 'ravi@okbank' };
  record.error('IDEMPOTENCY_KEY_REUSED', 409, await pay(otherUpi, { headers }));
  const { token } = plainShop;
  const unrouted = await journey.service.call('/api/v3/create-order', {
    token,
    body: cartOf('INV-2026-0051', anyAccount),
  });
  const notEnabled = { ...upi, order_id: unrouted.body.order_id };
  record.error('PAYMENT_MODE_NOT_ENABLED', 422, await pay(notEnabled, { token }));
  const fromAccount = await journey.createOrder(cartOf('INV-2026-0052'));
  const unchecked = { order_id: fromAccount, payment_mode_code: 'credit_card' };
  record.error('PAYMENT_MODE_NOT_ALLOWED', 422, await pay(unchecked));
}

export async function recordRefund(stage: Stage): Promise<void> {
  const { createPaid, createOrder, initiate, heal, service, shop, simulator } = stage.journey;
  const record = stage.recorder('refund');
  const { transactionId } = await createPaid(cartOf('INV-2026-0060'));
  const refund = (body: object, headers = {}) =>
    service.call('/api/v3/refund', { token: shop.token, body, headers });
  const request = {
    transaction_id: transactionId,
    refund_amount: 18.5,
    refund_request_id: 'RETURN-7',
  };
  const headers = { 'idempotency-key': '0d1c7c0c-51a0-4a0b-8f4b-6d1f0f4f2b52' };
  record.parameters({ 'Idempotency-Key': headers['idempotency-key'] });
  record.request('partial', 'A part of a payment', request);
  record.request('all', 'Everything that is left of an invoice', { invoice_id: 'INV-2026-0060' });
  // Without a webhook the first reply is always pending, and a poll finds the result.
  simulator.setScenario({ name: 'lost-webhook' });
  record.reply('pending', 'The provider has accepted the refund', await refund(request, headers));
  simulator.setScenario({ name: 'happy' });
  await heal();
  record.reply('replayed', 'The same request later', await refund(request));
  record.error('INVALID_REQUEST_PARAMETER', 400, await refund({ refund_amount: 1 }));
  const unknown = { transaction_id: 'o_unknown-261116120000' };
  record.error('TRANSACTION_NOT_FOUND', 404, await refund(unknown));
  record.error('INVOICE_NOT_FOUND', 404, await refund({ invoice_id: 'INV-UNKNOWN' }));
  const otherAmount = { ...request, refund_amount: 20 };
  record.error('DUPLICATE_REFUND_REQUEST', 409, await refund(otherAmount));
  record.error('IDEMPOTENCY_KEY_REUSED', 409, await refund(otherAmount, headers));
  const tooMuch = { transaction_id: transactionId, refund_amount: 500 };
  record.error('INVALID_REFUND_AMOUNT', 422, await refund(tooMuch));
  const pending = await initiate(await createOrder());
  const notPaid = { transaction_id: pending.body.transaction_id };
  record.error('REFUND_NOT_ALLOWED', 422, await refund(notPaid));
}

export async function recordEnquiry(stage: Stage): Promise<void> {
  const { createOrder, pay, enquire, simulator } = stage.journey;
  const record = stage.recorder('transaction-enquiry');
  const invoice_id = 'INV-2026-0060';
  record.request('invoice', 'By your own reference', { invoice_id });
  record.parameters({ order_id: stage.paid.order_id });
  record.reply('refunded', 'A payment with a refund', await enquire({ invoice_id }));
  const declined = await createOrder(cartOf('INV-2026-0070', anyAccount));
  const transaction_id = await pay(declined, 'credit_card', 'decline');
  await simulator.settled();
  record.request('transaction', 'By a transaction', { transaction_id });
  record.reply('failed', 'A card that was declined', await enquire({ transaction_id }));
  const unrelated = { order_id: stage.open.order_id, invoice_id };
  record.error('INVALID_REQUEST_PARAMETER', 400, await enquire(unrelated));
  const unknown = 'o_unknown-261116120000';
  record.error('TRANSACTION_NOT_FOUND', 404, await enquire({ transaction_id: unknown }));
  record.error('ORDER_NOT_FOUND', 404, await enquire({ order_id: 'o_unknown' }));
  record.error('INVOICE_NOT_FOUND', 404, await enquire({ invoice_id: 'INV-UNKNOWN' }));
}

export async function recordOlderReads(stage: Stage): Promise<void> {
  const { service, shop, enquire } = stage.journey;
  const invoice_id = 'INV-2026-0060';
  const { order, transaction } = (await enquire({ invoice_id })).body;
  const { svc_order_id: order_id } = order;
  const [{ svc_transaction_id: transaction_id }] = transaction;
  const call = (path: string, body?: object) =>
    service.call(`/api/v2/${path}`, { token: shop.token, ...(body && { body }) });
  for (const [file, path, summary, ids] of [
    ['older-one', 'fetch-transaction', 'By its id', { transaction_id }],
    ['older-payments', 'order/fetch-transactions', 'By the order', { order_id }],
    ['older-refunds', 'order/fetch-refunds', 'By the order', { order_id }],
  ] as const) {
    const record = stage.recorder(file);
    record.request('ids', summary, ids);
    record.reply('found', 'What was asked for', await call(path, ids));
    record.error('INVALID_REQUEST_PARAMETER', 400, await call(path, {}));
    const ofTransaction = { transaction_id: `${order_id}-200101000000` };
    record.error('TRANSACTION_NOT_FOUND', 404, await call(path, ofTransaction));
    const unknown = { transaction_id, order_id: 'o_unknown' };
    record.error('ORDER_NOT_FOUND', 404, await call(path, unknown));
    const noInvoice = { transaction_id, invoice_id: 'INV-UNKNOWN' };
    record.error('INVOICE_NOT_FOUND', 404, await call(path, noInvoice));
  }
  const record = stage.recorder('older-order');
  record.parameters({ order_id });
  record.reply('refunded', 'A payment with a refund', await call(`get-order/${order_id}`));
  record.error('ORDER_NOT_FOUND', 404, await call('get-order/o_unknown'));
}

export async function recordPartner(stage: Stage): Promise<void> {
  const { service, shop, createOrder } = stage.journey;
  const record = stage.recorder('partner');
  const svc_order_id = await createOrder(cartOf('INV-2026-0080'));
  const payment = partnerPayment({ id: 'pay_QkT3vN8yR2mZ5a', notes: { svc_order_id } });
  const event = partnerEvent('payment.captured', { payment });
  const eventId = 'QkT4aBcD5eFgH6';
  record.parameters({ account_id: shop.accountId, 'x-razorpay-event-id': eventId });
  record.request('captured', 'A payment was captured', event);
  record.reply('processed', 'Applied', await sendPartner(service, shop, event, { eventId }));
  record.reply(
    'duplicate',
    'Received before',
    await sendPartner(service, shop, event, { eventId }),
  );
  const early = partnerPayment({ notes: { invoice_id: 'INV-TOMORROW' } });
  const parked = partnerEvent('payment.captured', { payment: early });
  record.reply('parked', 'Its order is not known yet', await sendPartner(service, shop, parked));
  record.error('INVALID_REQUEST_PARAMETER', 400, await sendPartner(service, shop, '{}'));
  const wrong = { headers: { 'x-razorpay-signature': '00' } };
  record.error('AUTHENTICATION_FAILED', 401, await sendPartner(service, shop, event, wrong));
  const call = { token: shop.token, body: parked };
  const refused = await service.call('/api/v3/webhooks/partner', {
    ...call,
    body: { ...parked, created_at: 1794700043 },
  });
  record.error('ORDER_NOT_FOUND', 404, refused);
}

export async function recordGateway(stage: Stage): Promise<void> {
  const { service, shop, createOrder } = stage.journey;
  const record = stage.recorder('bank-gateway');
  const id = await createOrder(cartOf('INV-2026-0090'));
  const body = gatewayBody({ merchant: shop.merchantId, order: { id } });
  const eventId = '9a1f3c52-6f1d-4f6f-8a57-3c9a2f0b7d10';
  record.parameters({
    account_id: shop.accountId,
    'x-notification-id': eventId,
    'x-notification-attempt': '1',
  });
  record.request('captured', 'A card was charged', body);
  record.reply('processed', 'Applied', await sendGateway(service, shop, body, { eventId }));
  const form = Object.fromEntries(new URLSearchParams(toFormData(body)));
  record.form('captured', 'A card was charged', form);
  const again = await sendGateway(service, shop, toFormData(body));
  record.reply('stale', 'What is known is not older', again);
  record.error('INVALID_REQUEST_PARAMETER', 400, await sendGateway(service, shop, {}));
  const wrong = { headers: { 'x-notification-secret': 'wrong' } };
  record.error('AUTHENTICATION_FAILED', 401, await sendGateway(service, shop, body, wrong));
  const unknown = gatewayBody({ order: { id: 'INV-UNKNOWN' } });
  const call = { token: shop.token, body: unknown };
  const refused = await service.call('/api/v3/webhooks/bank-gateway', call);
  record.error('ORDER_NOT_FOUND', 404, refused);
}
