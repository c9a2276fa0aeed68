import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  partnerEvent,
  partnerId,
  partnerPayment,
  partnerRefund,
  sendPartner,
} from '../../support/deliveries.ts';
import { orderBody } from '../../support/order-bodies.ts';
import { startTestService } from '../../support/test-service.ts';

const service = await startTestService();
const account = await service.createAccount();

test('a captured payment completes its order and shows in the enquiry', async () => {
  const { order_id, invoice_id } = await createOrder();
  const payment = partnerPayment({ notes: { svc_order_id: order_id } });

  const reply = await sendPartner(service, account, partnerEvent('payment.captured', { payment }));

  assert.equal(reply.status, 200);
  assert.equal(reply.body.status, 'processed');
  assert.equal(reply.body.order_id, order_id);
  const { body } = await enquire({ invoice_id });
  assert.equal(body.order.status, 'completed');
  assert.equal(body.transaction.length, 1);
  const [transaction] = body.transaction;
  assert.match(transaction.svc_signature, /^[0-9a-f]{64}$/);
  assert.deepEqual(
    { ...transaction, svc_signature: undefined },
    {
      transaction_type: 'payment',
      completion_time: 42,
      svc_transaction_id: `${order_id}-261114234640`,
      payment_status: 'succeeded',
      message: null,
      svc_signature: undefined,
      signature_version: 'v3',
      failure_reason: null,
      payment_partner: 'Razorpay',
      processing_payment_partner: 'Razorpay',
      psp_transaction_id: payment.id,
      transaction_amount: 118,
      transaction_currency: 'INR',
      additional_charges: null,
      offer_discount: null,
      offer_id: null,
      payment_acquirer: null,
      payment_mode: 'Credit Card',
      payment_arn: '828553',
      emi: null,
      sub_payment_mode: {
        scheme: 'Visa',
        card_type: 'credit',
        issuer: 'HDFC',
        masked_card: '******1111',
      },
      refund_status: null,
      refund_request_id: null,
      refund_arn: null,
    },
  );
  assert.deepEqual(body.order, {
    svc_order_id: order_id,
    invoice_id,
    status: 'completed',
    custom_attributes: [],
    currency_conversion: null,
    refund_details: {
      refundable_currency: 'INR',
      available_refundable_amount: 118,
      refunded_amount: 0,
      total_refundable_amount: 118,
    },
  });
});

test('deliveries that come before their order are parked and applied when it is created', async () => {
  const invoice_id = `LATE-${partnerId('order')}`;
  const payment = partnerPayment({ notes: { invoice_id }, order_id: partnerId('order') });
  const refund = partnerRefund(payment, { amount: 1800 });
  const nameless = partnerPayment({ order_id: payment.order_id, status: 'failed' });

  const replies = [
    await sendPartner(service, account, partnerEvent('refund.processed', { refund })),
    await sendPartner(service, account, partnerEvent('payment.failed', { payment: nameless })),
    await sendPartner(service, account, partnerEvent('payment.captured', { payment })),
  ];
  assert.deepEqual(
    replies.map(({ status, body }) => [status, body.status]),
    [
      [200, 'parked'],
      [200, 'parked'],
      [200, 'parked'],
    ],
  );

  await createOrder({ invoice_id });
  const { body } = await enquire({ invoice_id });
  assert.equal(body.order.status, 'completed');
  assert.equal(body.transaction.length, 3);
  assert.equal(body.order.refund_details.refunded_amount, 18);
});

async function createOrder(changes: Record<string, unknown> = {}) {
  const reply = await service.call('/api/v3/create-order', {
    token: account.token,
    body: orderBody(changes),
  });
  assert.equal(reply.status, 200);
  return reply.body as { order_id: string; invoice_id: string };
}

function enquire(body: Record<string, string>) {
  return service.call('/api/v3/transaction-enquiry', { token: account.token, body });
}
