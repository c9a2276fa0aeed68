/** `POST /api/v3/initiate-payment`. Contract 11.4. */
import type { FastifyInstance } from 'fastify';
import { type Static, Type } from 'typebox';
import { isSecurityCode, maskFields } from '../../domain/cards/card-fields.ts';
import { holdsCardNumber } from '../../domain/cards/card-numbers.ts';
import { refuseField } from '../../domain/errors.ts';
import {
  type PaymentModeCode,
  paymentChoices,
  paymentModeCodes,
  readPaymentModeCode,
} from '../../domain/payment-mode.ts';
import { paymentStatuses } from '../../domain/payments/notice.ts';
import type { PaymentReply } from '../../use-cases/payments/payment-reply.ts';
import type { PaymentRequest } from '../../use-cases/payments/start-payment.ts';
import type { HttpContext } from '../http-context.ts';
import { object, refined, text, word } from '../open-api/fields.ts';
import { IdempotencyHeaders, markReplay, readIdempotencyKey } from './idempotency-key.ts';
import { addOperation } from './operation.ts';
import { NextCalls } from './order-reply-schemas.ts';
import { readOrderId, toText } from './order-request.ts';
import { documentedCallbackMode, optionalText, orderIdField } from './order-schemas.ts';

const modeNames = [...paymentModeCodes, 'card', 'netbanking'];

const Body = object(
  'PaymentRequest',
  'Card details are never sent here: the consumer enters them at the provider.',
  {
    order_id: orderIdField,
    payment_mode_code: Type.String({ maxLength: 64 }),
    bank_code: optionalText('The bank; required for net_banking.', 64),
    wallet_code: optionalText('The wallet; required for wallet.', 64),
    upi_id: optionalText(
      'The UPI id, for upi. Without it the consumer chooses at the page of the provider, or opens their UPI app with the intent.',
      255,
    ),
    callback_url: optionalText('Where the consumer returns to; defaults to that of the order.'),
    callback_mode: optionalText('How the consumer returns; defaults to that of the order.'),
  },
);
type Body = Static<typeof Body>;

/** More precise than what is validated: new clients send a code. */
const documentedBody = refined(Body, {
  payment_mode_code: word(
    modeNames,
    'How the consumer pays; one that payment-modes lists. card is routed like credit_card, and netbanking is net_banking. The display names that payment-modes returns, such as Credit Card, are accepted too, in any case.',
  ),
  callback_mode: documentedCallbackMode,
});

const Reply = object(
  'StartedPayment',
  'A started payment. next has the action redirect with the URL of the payment page. If the provider returned a UPI intent, the action upi_intent is before it: its URL opens a UPI app on a phone, and is shown as a QR code elsewhere.',
  {
    order_id: text('Identifier of the order.'),
    transaction_id: text('Identifier of the payment.'),
    payment_status: word(
      paymentStatuses,
      'pending, or failed when the provider refused it. A repeated request may return a later status.',
    ),
    message: text('What to do next, or why the provider refused it.'),
    next: NextCalls,
  },
);

export function addInitiatePayment(app: FastifyInstance, { useCases }: HttpContext): void {
  addOperation(app, 'POST /initiate-payment', {
    operationId: 'initiatePayment',
    tag: 'Payments',
    access: 'order',
    summary: 'Start a payment and get the address where the consumer pays',
    description:
      'If the provider does not answer in time, the payment stays pending: transaction-enquiry returns its outcome.',
    headers: IdempotencyHeaders,
    body: Body,
    documentedBody,
    reply: Reply,
    replyDescription: 'The payment, and where to send the consumer.',
    errors: [
      'ORDER_NOT_FOUND',
      'ORDER_COMPLETED',
      'ORDER_LAPSED',
      'ORDER_CONFLICT',
      'IDEMPOTENCY_KEY_REUSED',
      'PAYMENT_MODE_NOT_ENABLED',
      'PAYMENT_MODE_NOT_ALLOWED',
    ],
    replays: true,
    handler: async (request, reply) => {
      const orderId = readOrderId(request);
      const key = readIdempotencyKey(request);
      const paymentRequest = toPaymentRequest(orderId, request.body);
      const started = await useCases.startPayment(request.caller, paymentRequest, key);
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
  const modeCode = readPaymentModeCode(body.payment_mode_code);
  if (!modeCode) refuseField('payment_mode_code', `must be one of ${modeNames.join(', ')}`);
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
