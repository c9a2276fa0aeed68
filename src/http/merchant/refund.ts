/** `POST /api/v3/refund`, also under `/api/v2`. Contract 11.5 and 11.12. */
import type { FastifyInstance } from 'fastify';
import { type Static, Type } from 'typebox';
import { refuseField } from '../../domain/errors.ts';
import { limits } from '../../domain/limits.ts';
import { refundStatuses } from '../../domain/payments/notice.ts';
import type { RefundReply } from '../../use-cases/payments/store-refund.ts';
import type { HttpContext } from '../http-context.ts';
import { field, object, text, textOrNull, word } from '../open-api/fields.ts';
import { IdempotencyHeaders, markReplay, readIdempotencyKey } from './idempotency-key.ts';
import { addOperation } from './operation.ts';
import { NextCalls } from './order-reply-schemas.ts';
import { sentAmount, toText } from './order-request.ts';

/** Neither null nor empty: a value that was lost on its way must not refund everything, or the same twice. */
const id = (description: string, maxLength: number = limits.textCharsMax) =>
  Type.Optional(field(['string', 'number'], description, { minLength: 1, maxLength }));
const amount = (description: string) =>
  Type.Optional(field(['number', 'string'], description, { minLength: 1, maxLength: 64 }));

const Body = object(
  'RefundRequest',
  'transaction_id or invoice_id is required; when both are sent, they must belong together. Null and empty are refused: leave out what you do not send.',
  {
    transaction_id: id('The payment to refund.'),
    invoice_id: id('Alternatively, the invoice whose payment is refunded.'),
    refund_amount: amount(
      'More than 0, in major units. Only if it is left out, everything that can still be refunded is.',
    ),
    amount: amount('Another name of refund_amount. If both are sent, they must be equal.'),
    refund_request_id: id(
      'Your own unique reference for this refund.',
      limits.refundRequestIdCharsMax,
    ),
  },
);
type Body = Static<typeof Body>;

const Reply = object('Refund', 'A refund.', {
  orignal_payment_transaction_id: text(
    'The same as original_payment_transaction_id; misspelt, as shipped clients read it.',
  ),
  original_payment_transaction_id: text('Identifier of the refunded payment.'),
  transaction_id: text('Identifier of the refund.'),
  refund_request_id: textOrNull(
    'Your reference for the refund, or its identifier when you sent none.',
  ),
  refund_status: word(
    refundStatuses,
    'pending until the provider has decided, then succeeded or failed.',
  ),
  refund_arn: textOrNull("The bank's reference of the refund; null until it is known."),
  transaction_type: word(
    ['full_refund', 'partial_refund'],
    'Whether the whole payment is refunded.',
  ),
  next: NextCalls,
});

export function addRefund(app: FastifyInstance, { useCases }: HttpContext, isAlias = false): void {
  addOperation(app, 'POST /refund', {
    isAlias,
    aliases: ['POST /api/v2/refund'],
    operationId: 'refundPayment',
    tag: 'Payments',
    access: 'merchant',
    summary: 'Refund a payment, in whole or in part',
    description:
      'If the provider cannot be reached, the refund stays pending and is retried until it is done. The same refund_request_id with the same content returns that refund in its current state, with the header Idempotent-Replayed: true.',
    headers: IdempotencyHeaders,
    body: Body,
    reply: Reply,
    replyDescription: 'The refund as it stands now.',
    errors: [
      'TRANSACTION_NOT_FOUND',
      'INVOICE_NOT_FOUND',
      'ORDER_CONFLICT',
      'DUPLICATE_REFUND_REQUEST',
      'IDEMPOTENCY_KEY_REUSED',
      'INVALID_REFUND_AMOUNT',
      'PAYMENT_DISPUTED',
      'REFUND_NOT_ALLOWED',
    ],
    replays: true,
    handler: async (request, reply) => {
      const { body } = request;
      const idempotencyKey = readIdempotencyKey(request);
      const refundRequest = {
        transactionId: toText(body.transaction_id),
        invoiceId: toText(body.invoice_id),
        amount: sentAmount(body, 'refund_amount'),
        amountAlias: sentAmount(body, 'amount'),
        refundRequestId: readRequestId(body),
      };
      const made = await useCases.refund(request.caller, refundRequest, { idempotencyKey });
      markReplay(reply, made.replayed);
      return refundView(made.reply);
    },
  });
}

function readRequestId({ refund_request_id: sent }: Body): string | undefined {
  const id = toText(sent);
  if (id?.trim() === '') refuseField('refund_request_id', 'must not be blank');
  return id;
}

function refundView(reply: RefundReply) {
  return {
    orignal_payment_transaction_id: reply.paymentTransactionId,
    original_payment_transaction_id: reply.paymentTransactionId,
    transaction_id: reply.transactionId,
    refund_request_id: reply.refundRequestId,
    refund_status: reply.status,
    refund_arn: reply.refundArn,
    transaction_type: reply.transactionType,
    next: [{ action: 'refund_enquiry', url: '/api/v3/transaction-enquiry' }],
  };
}
