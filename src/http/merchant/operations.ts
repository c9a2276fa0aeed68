/** `POST /api/v3/capture` and `POST /api/v3/void`. Contract 16.3. */
import type { FastifyInstance } from 'fastify';
import { Type } from 'typebox';
import { limits } from '../../domain/limits.ts';
import { operationStatuses } from '../../domain/payments/transaction.ts';
import type { OperationReply } from '../../use-cases/payments/operate.ts';
import type { HttpContext } from '../http-context.ts';
import { field, object, text, word } from '../open-api/fields.ts';
import { IdempotencyHeaders, markReplay, readIdempotencyKey } from './idempotency-key.ts';
import { addOperation } from './operation.ts';
import { sentAmount, toText } from './order-request.ts';

/** Neither null nor empty: an amount that was lost on its way must not capture everything. */
const commonFields = {
  transaction_id: field('string', 'The payment.', { minLength: 1, maxLength: limits.textCharsMax }),
  comment: Type.Optional(
    field('string', 'For your own records.', { minLength: 1, maxLength: limits.textCharsMax }),
  ),
};

const CaptureBody = object('CaptureRequest', 'Which payment to capture, and how much of it.', {
  ...commonFields,
  capture_amount: Type.Optional(
    field(
      ['number', 'string'],
      'More than 0, in major units. Without it, all that is still authorised is captured.',
      { minLength: 1, maxLength: 64 },
    ),
  ),
});
const VoidBody = object('VoidRequest', 'Which payment to void.', commonFields);

const replyFields = (kind: OperationReply['kind']) => ({
  original_payment_transaction_id: text('Identifier of the payment.'),
  transaction_id: text(`Identifier of the ${kind}.`),
  order_id: text('Identifier of the order.'),
  [`${kind}_status`]: word(
    operationStatuses,
    'pending is normal: the result follows as an event and in transaction-enquiry.',
  ),
  transaction_type: word([kind], 'What was requested.'),
  message: text('What has happened, in words.'),
});
const CaptureReply = object('Capture', 'A capture.', replyFields('capture'));
const VoidReply = object('Void', 'A void.', replyFields('void'));

const replay =
  'With an Idempotency-Key, a repeat makes no second one and returns the first reply, with the header Idempotent-Replayed: true.';

const common = {
  tag: 'Payments',
  access: 'merchant',
  headers: IdempotencyHeaders,
  replays: true,
} as const;

const commonErrors = [
  'TRANSACTION_NOT_FOUND',
  'CAPTURE_IN_PROGRESS',
  'VOID_IN_PROGRESS',
  'IDEMPOTENCY_KEY_REUSED',
] as const;

export function addOperations(app: FastifyInstance, { useCases }: HttpContext): void {
  addOperation(app, 'POST /capture', {
    ...common,
    operationId: 'capturePayment',
    summary: 'Capture an authorised payment, in whole or in part',
    description: `Takes money that a payment has reserved. ${replay}`,
    body: CaptureBody,
    reply: CaptureReply,
    replyDescription: 'The capture as it stands now.',
    errors: [
      ...commonErrors,
      'CAPTURE_NOT_ALLOWED',
      'INVALID_CAPTURE_AMOUNT',
      'CAPTURE_AMOUNT_NOT_SUPPORTED',
    ],
    handler: async (request, reply) => {
      const { body, caller } = request;
      const wanted = {
        kind: 'capture',
        transactionId: body.transaction_id,
        amount: sentAmount(body, 'capture_amount'),
        comment: toText(body.comment),
      } as const;
      const options = { idempotencyKey: readIdempotencyKey(request) };
      const made = await useCases.operate(caller, wanted, options);
      markReplay(reply, made.replayed);
      return operationView(made.reply);
    },
  });

  addOperation(app, 'POST /void', {
    ...common,
    operationId: 'voidPayment',
    summary: 'Release what an authorised payment has reserved',
    description: `Nothing more is captured from then on. Not every provider can be told so; there the hold ends by itself, and the void is pending until then. ${replay}`,
    body: VoidBody,
    reply: VoidReply,
    replyDescription: 'The void as it stands now.',
    errors: [...commonErrors, 'VOID_NOT_ALLOWED'],
    handler: async (request, reply) => {
      const { body, caller } = request;
      const wanted = {
        kind: 'void',
        transactionId: body.transaction_id,
        amount: undefined,
        comment: toText(body.comment),
      } as const;
      const options = { idempotencyKey: readIdempotencyKey(request) };
      const made = await useCases.operate(caller, wanted, options);
      markReplay(reply, made.replayed);
      return operationView(made.reply);
    },
  });
}

function operationView(reply: OperationReply) {
  const { kind, status } = reply;
  return {
    original_payment_transaction_id: reply.paymentTransactionId,
    transaction_id: reply.transactionId,
    order_id: reply.orderId,
    ...(kind === 'capture' ? { capture_status: status } : { void_status: status }),
    transaction_type: kind,
    message: reply.message,
  };
}
