/** The partner's Orders, Payments and Refunds API. */
import { paymentLimits } from '../../domain/payments/limits.ts';
import type { ProviderApi } from '../call.ts';
import {
  type OperationToRequest,
  type OutboundProvider,
  outcomeOf,
  type PaymentToStart,
} from '../outbound.ts';
import { id, segment, text, truncate, type WireObject } from '../wire.ts';
import { accountFields, withoutAccount } from './bank-account.ts';
import {
  callPartner,
  disputeEvent,
  methods,
  notesOf,
  paymentEvent,
  readPartner,
  refundEvent,
} from './call-partner.ts';
import { fetchStatus } from './fetch-status.ts';
import { startIntent } from './upi-intent.ts';

export const partnerOutbound: OutboundProvider = {
  startPayment: async (api, payment) => {
    const answer = await callPartner(api, {
      method: 'POST',
      path: '/v1/orders',
      body: {
        amount: payment.amount,
        currency: payment.currency,
        receipt: payment.orderId,
        notes: notesOf(payment),
        payment: payment.isHeld ? manualCapture : automaticCapture,
        ...accountFields(payment),
      },
      // A repeat could create a second order, so only a call that took no effect is retried.
      isRepeatable: false,
    });
    const created = outcomeOf(answer, (body) => {
      const providerOrderId = id(body.id);
      return providerOrderId === undefined ? undefined : { providerOrderId };
    });
    if (created.result.kind === 'refused') return withoutAccount(created, payment);
    if (created.result.kind !== 'done') return created;
    const { providerOrderId } = created.result;
    const intent = await startIntent(api, payment, providerOrderId, answer);
    return { answer, result: { kind: 'done', providerOrderId, ...intent } };
  },

  startRefund: async (api, refund) => {
    const answer = await callPartner(api, {
      method: 'POST',
      path: `/v1/payments/${segment(refund.paymentPspId)}/refund`,
      // The partner recognises a repeat by this key and returns the refund it created first.
      headers: { 'x-refund-idempotency': refund.callId },
      body: {
        amount: refund.amount,
        receipt: truncate(refund.refundRequestId, receiptCharsMax),
        notes: {
          svc_transaction_id: refund.transactionId,
          refund_request_id: refund.refundRequestId,
        },
      },
      isRepeatable: true,
    });
    return outcomeOf(answer, (body) =>
      id(body.id) === undefined ? undefined : { records: [refundEvent(body)] },
    );
  },

  fetchStatus,

  holds: { capture, takesParts: false, days: () => holdMinutes / (24 * 60) },

  fetchDispute: (api, { disputeId, now }) =>
    readPartner(api, `/v1/disputes/${segment(disputeId)}`, (body) =>
      id(body.id) === disputeId ? { records: disputeEvent(body, now) } : undefined,
    ),

  launchForm: ({ url, login }, payment) => ({
    action: `${url.replace(/\/$/, '')}/v1/checkout/embedded`,
    fields: {
      key_id: login,
      order_id: payment.providerOrderId,
      amount: String(payment.amount),
      currency: payment.currency,
      name: payment.shopName,
      description: payment.description,
      method: methods[payment.modeCode],
      ...prefill(payment.choice),
      ...(payment.callbackUrl !== undefined && {
        callback_url: payment.callbackUrl,
        cancel_url: payment.callbackUrl,
      }),
      ...Object.fromEntries(
        Object.entries(notesOf(payment)).map(([name, value]) => [`notes[${name}]`, value]),
      ),
    },
  }),

  paidField: 'razorpay_payment_id',
};

/** The consumer need not choose again. A UPI id is left out: anyone with the link could read it. */
function prefill({ bank_name, wallet_name }: PaymentToStart['choice']) {
  return {
    ...(bank_name !== undefined && { bank: bank_name }),
    ...(wallet_name !== undefined && { wallet: wallet_name }),
  };
}

/** The longest that the partner offers. It overrides what is set on its dashboard. Contract 16.2. */
const holdMinutes = 7200;
const manualCapture = {
  capture: 'manual',
  capture_options: { manual_expiry_period: holdMinutes, refund_speed: 'normal' },
} as const;

/**
 * Contract 4.8: without it, payments of an account with manual capture would stay authorized until the partner
 * releases them. A payment that is authorized after twelve minutes may still be captured for five days.
 */
const automaticCapture = {
  capture: 'automatic',
  capture_options: {
    automatic_expiry_period: 12,
    manual_expiry_period: holdMinutes,
    refund_speed: 'normal',
  },
} as const;

/** There is no id of ours in a capture, so only the payment itself tells whether a call without an answer took effect. */
async function capture(api: ProviderApi, { paymentPspId, amount, currency }: OperationToRequest) {
  const path = `/v1/payments/${segment(paymentPspId)}`;
  const body = { amount, currency };
  const request = { method: 'POST', path: `${path}/capture`, body, isRepeatable: true } as const;
  const answer = await callPartner(api, request);
  const captured = outcomeOf(answer, readCaptured);
  const { kind } = captured.result;
  if (kind === 'done' || kind === 'not-sent') return captured;
  // Its refusals do not say whether this payment was captured before. Contract 16.4.
  const answerMsMax = paymentLimits.providerAnswerMsMax - answer.durationMs;
  const { result } = await readPartner(api, path, readCaptured, answerMsMax);
  return result.kind === 'done' ? { answer, result } : captured;
}

/** Undefined if the payment is not captured, so that the answer is not one to a capture. */
function readCaptured(payment: WireObject) {
  const isCaptured = payment.captured === true || text(payment.status) === 'captured';
  return isCaptured ? { records: paymentEvent(payment) } : undefined;
}

const receiptCharsMax = 40;
