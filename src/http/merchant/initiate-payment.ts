/** `POST /api/v3/initiate-payment`. Contract 11.4. */
import type { FastifyInstance } from 'fastify';
import { type Static, Type } from 'typebox';
import { isSecurityCode, maskFields } from '../../domain/cards/card-fields.ts';
import { holdsCardNumber } from '../../domain/cards/card-numbers.ts';
import { refuseField } from '../../domain/errors.ts';
import { limits } from '../../domain/limits.ts';
import {
  type PaymentModeCode,
  paymentChoices,
  paymentModeCodes,
} from '../../domain/payment-mode.ts';
import { paymentStatuses } from '../../domain/payments/notice.ts';
import type { PaymentReply } from '../../use-cases/payments/payment-reply.ts';
import type { PaymentRequest } from '../../use-cases/payments/start-payment.ts';
import { errorReplies } from '../error-reply.ts';
import { getCaller } from '../guard.ts';
import type { HttpContext } from '../http-context.ts';
import { oneOfWords, refined } from '../open-api/vocabulary.ts';
import { IdempotencyHeaders, markReplay, readIdempotencyKey } from './idempotency-key.ts';
import { orderIdField, readOrderId } from './order-id.ts';
import { NextCalls } from './order-reply-schemas.ts';
import { toText } from './order-request.ts';
import { documentedCallbackMode } from './order-schemas.ts';

const text = (description: string, maxLength: number = 64) =>
  Type.Optional(Type.Unsafe<string | null>({ type: ['string', 'null'], maxLength, description }));

/** Contract 11.9: shops that do not know the type of card send `card`. */
type SentModeCode = PaymentModeCode | 'card';

const Body = Type.Object(
  {
    order_id: orderIdField,
    payment_mode_code: Type.Unsafe<SentModeCode>({
      type: 'string',
      enum: [...paymentModeCodes, 'card'],
      description:
        'How the consumer pays; one that payment-modes lists. card is routed like credit_card.',
    }),
    bank_code: text('The bank; required for net_banking.'),
    wallet_code: text('The wallet; required for wallet.'),
    upi_id: text(
      'The UPI id, for upi. Without it the consumer chooses at the page of the provider, or opens their UPI app with the intent.',
      255,
    ),
    callback_url: text(
      'Where the consumer returns to; defaults to that of the order.',
      limits.textCharsMax,
    ),
    callback_mode: text(
      'How the consumer returns; defaults to that of the order.',
      limits.textCharsMax,
    ),
  },
  {
    title: 'PaymentRequest',
    description: 'Card details are never sent here: the consumer enters them at the provider.',
  },
);
type Body = Static<typeof Body>;
const documentedBody = refined(Body, { callback_mode: documentedCallbackMode });

const Reply = Type.Object(
  {
    order_id: Type.String({ description: 'Identifier of the order.' }),
    transaction_id: Type.String({ description: 'Identifier of the payment.' }),
    payment_status: Type.Unsafe<string>({
      ...oneOfWords(paymentStatuses),
      description:
        'pending, or failed when the provider refused it. A repeated request may return a later status.',
    }),
    message: Type.String({ description: 'What to do next, or why the provider refused it.' }),
    next: NextCalls,
  },
  {
    title: 'StartedPayment',
    description:
      'A started payment. next has the action redirect with the URL of the payment page. If the provider returned a UPI intent, the action upi_intent is before it: its URL opens a UPI app on a phone, and is shown as a QR code elsewhere.',
  },
);

export function addInitiatePayment(app: FastifyInstance, { useCases }: HttpContext): void {
  app.post<{ Body: Body; Reply: Static<typeof Reply> }>('/initiate-payment', {
    config: {
      access: 'order',
      documentation: {
        replyDescription: 'The payment, and where to send the consumer.',
        errors: [
          ...(['ORDER_NOT_FOUND', 'ORDER_COMPLETED', 'ORDER_LAPSED', 'ORDER_CONFLICT'] as const),
          ...(['IDEMPOTENCY_KEY_REUSED', 'PAYMENT_MODE_NOT_ENABLED'] as const),
        ],
        examples: new URL('./examples/initiate-payment.json', import.meta.url),
        loadBody: async () => documentedBody,
        replays: true,
      },
    },
    schema: {
      operationId: 'initiatePayment',
      summary: 'Start a payment and get the address where the consumer pays',
      description:
        'If the provider does not answer in time, the payment stays pending: transaction-enquiry returns its outcome.',
      tags: ['Payments'],
      headers: IdempotencyHeaders,
      body: Body,
      response: { 200: Reply, ...errorReplies },
    },
    handler: async (request, reply) => {
      const caller = getCaller(request);
      const orderId = readOrderId(caller, request.body);
      const key = readIdempotencyKey(request);
      const paymentRequest = toPaymentRequest(orderId, request.body);
      const started = await useCases.startPayment(caller, paymentRequest, key);
      markReplay(reply, started.replayed);
      return paymentView(started.reply);
    },
  });
}

function paymentView(reply: PaymentReply) {
  const { orderId, transactionId, status, message, redirectUrl, intentUrl } = reply;
  return {
    order_id: orderId,
    transaction_id: transactionId,
    payment_status: status,
    message,
    next: [
      ...(intentUrl === undefined ? [] : [{ action: 'upi_intent', url: intentUrl }]),
      ...(redirectUrl === undefined ? [] : [{ action: 'redirect', url: redirectUrl }]),
    ],
  };
}

function toPaymentRequest(orderId: string, body: Body): PaymentRequest {
  refuseCardDetails(body);
  const { payment_mode_code: sent } = body;
  const modeCode = sent === 'card' ? 'credit_card' : sent;
  return {
    orderId,
    modeCode,
    choice: readChoice(body, modeCode),
    callbackUrl: toText(body.callback_url),
    callbackMode: toText(body.callback_mode),
  };
}

function readChoice(body: Body, modeCode: PaymentModeCode): PaymentRequest['choice'] {
  const choice = paymentChoices[modeCode];
  if (!choice) return undefined;
  const { field, shownAs, isRequired, pattern, example } = choice;
  const value = toText(body[field]);
  if (value === undefined && !isRequired) return undefined;
  if (value === undefined) {
    refuseField(field, `is missing: ${modeCode} needs it, such as ${example}`);
  }
  if (!pattern.test(value)) refuseField(field, `is not valid: it should look like ${example}`);
  return { [shownAs]: value };
}

const cardField = /^(card.*|pan|expiry.*)$/i;

/** Card details are entered at the provider's page: data that never arrives here cannot leak from here. */
function refuseCardDetails(body: object): void {
  for (const [name, value] of Object.entries(body)) {
    if (holdsCardNumber(name)) refuseField('The name of a field', holdsCard);
    if (cardField.test(name) || isSecurityCode(name)) {
      refuseField(name, 'is not accepted: card details are entered at the page of the provider');
    }
    if (maskFields(value) !== value) refuseField(name, holdsCard);
  }
}

const holdsCard = 'holds card details: they are entered at the page of the provider';
