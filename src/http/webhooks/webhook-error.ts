/** Turns any error into the contract's webhook error bodies. Contract 6.5. */
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import type { ServiceError } from '../../domain/errors.ts';
import { prepareErrorReply } from '../error-reply.ts';
import type { ErrorShape } from '../open-api/documentation.ts';
import { object, text, word } from '../open-api/fields.ts';

const RefusedBody = object('WebhookRefusal', 'The delivery was refused and nothing was stored.', {
  status: Type.Integer({ description: 'The HTTP status.' }),
  message: text('What is wrong, and what to do.'),
  error: Type.Object(
    {
      http_status_code: Type.Integer({ description: 'The HTTP status.' }),
      transaction_status: word(['not_processed'], 'Always that the delivery was not processed.'),
      message: text('The same message.'),
    },
    { description: 'The same, as some callers expect it.' },
  ),
});
const FailedBody = object('WebhookFailure', 'The delivery could not be stored: send it again.', {
  status: Type.Integer({ description: 'The HTTP status.' }),
  error: text('What is wrong, and what to do.'),
});

export const webhookErrorReplies = { '4XX': RefusedBody, '5XX': FailedBody };

export const webhookErrorShape: ErrorShape = {
  prefix: 'webhook_',
  schemaOf: (status) => (status >= 500 ? FailedBody : RefusedBody),
  bodyOf: webhookErrorBody,
};

export function sendWebhookError(
  failure: FastifyError,
  request: FastifyRequest,
  reply: FastifyReply,
): void {
  reply.send(webhookErrorBody(prepareErrorReply(failure, request, reply)));
}

function webhookErrorBody({ entry: { status }, merchantMessage: message }: ServiceError) {
  return status >= 500
    ? { status, error: message }
    : {
        status,
        message,
        error: { http_status_code: status, transaction_status: 'not_processed', message },
      };
}
