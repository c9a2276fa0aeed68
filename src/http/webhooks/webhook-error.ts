/** Turns any error into the contract's webhook error bodies. Contract 6.5. */
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { prepareErrorReply } from '../error-reply.ts';

export const RefusedBody = Type.Object({
  status: Type.Integer({ description: 'The HTTP status' }),
  message: Type.String(),
  error: Type.Object({
    http_status_code: Type.Integer(),
    transaction_status: Type.String(),
    message: Type.String(),
  }),
});
export const FailedBody = Type.Object({
  status: Type.Integer({ description: 'The HTTP status' }),
  error: Type.String(),
});

export const webhookErrorReplies = { '4XX': RefusedBody, '5XX': FailedBody };

export function sendWebhookError(
  failure: FastifyError,
  request: FastifyRequest,
  reply: FastifyReply,
): void {
  const error = prepareErrorReply(failure, request, reply);
  const { status } = error.entry;
  const message = error.merchantMessage;
  reply.send(
    status >= 500
      ? { status, error: message }
      : {
          status,
          message,
          error: { http_status_code: status, transaction_status: 'not_processed', message },
        },
  );
}
