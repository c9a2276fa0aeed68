/** Turns any error into the contract's error body. Contract 8.1. */
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { errorTable, ServiceError } from '../domain/errors.ts';
import { limits } from '../domain/limits.ts';
import { addCrossOriginHeaders } from './cross-origin.ts';
import { describeInvalid } from './describe-invalid.ts';
import { httpLimits } from './limits.ts';

/** Shared: in a flood it would cost too much to collect a stack trace and to log for each request. */
export const serviceUnavailable = new ServiceError('SERVICE_UNAVAILABLE');

export const ErrorBody = Type.Object(
  {
    error: Type.Object(
      {
        svc_error_code: Type.Unsafe<string>({
          type: 'string',
          enum: Object.keys(errorTable),
          title: 'ErrorCode',
          description: 'Branch on this in your code.',
        }),
        svc_consumer_message: Type.String({ description: 'May be shown to the consumer.' }),
        svc_merchant_message: Type.String({ description: 'Tells your team what to do.' }),
        message: Type.String({
          description: 'The same as svc_merchant_message, for plugins that show it.',
        }),
      },
      { description: 'What is wrong.' },
    ),
  },
  { title: 'Error', description: 'The body of every error of the merchant API.' },
);

/** One serialiser for all errors; the reference lists the statuses and codes of each operation. */
export const errorReplies = { '4XX': ErrorBody, '5XX': ErrorBody };

export function errorBody(error: ServiceError) {
  return {
    error: {
      svc_error_code: error.code,
      svc_consumer_message: error.entry.consumerMessage,
      svc_merchant_message: error.merchantMessage,
      message: error.merchantMessage,
    },
  };
}

export function sendError(failure: FastifyError, request: FastifyRequest, reply: FastifyReply) {
  reply.send(errorBody(prepareErrorReply(failure, request, reply)));
}

/** Logs server errors and sets status and headers; each scope adds a body of its own shape. */
export function prepareErrorReply(
  failure: FastifyError,
  request: FastifyRequest,
  reply: FastifyReply,
): ServiceError {
  const error = toServiceError(failure, request.routeOptions.bodyLimit);
  const { retryAfterSeconds } = error;
  const { status } = error.entry;
  if (status >= 500 && error !== serviceUnavailable) {
    const about = { requestId: request.id, code: error.code, err: error.cause ?? failure };
    request.log.error(about, 'the request failed');
  }
  // Hooks do not run for a malformed URL, so the headers are set here as well.
  addCommonHeaders(request, reply);
  if (retryAfterSeconds !== undefined) reply.header('retry-after', retryAfterSeconds);
  if (status === 401) reply.header('www-authenticate', 'Bearer');
  if (leavesBodyUnread(request)) reply.header('connection', 'close');
  reply.code(status).type('application/json; charset=utf-8');
  return error;
}

/** A small unread body is discarded and the connection reused; with a large or endless one the connection is closed. */
function leavesBodyUnread({ raw }: FastifyRequest): boolean {
  if (raw.complete) return false;
  const { 'transfer-encoding': encoding, 'content-length': length } = raw.headers;
  return encoding !== undefined || Number(length ?? 0) > httpLimits.unreadBodyBytesMax;
}

/** Replies may hold tokens or personal data, so nothing caches them or guesses their type. */
export function addCommonHeaders(request: FastifyRequest, reply: FastifyReply): void {
  reply.header('x-request-id', request.id);
  reply.header('x-content-type-options', 'nosniff');
  reply.header('cache-control', 'no-store');
  addCrossOriginHeaders(request, reply);
}

function toServiceError(failure: unknown, bodyLimit: number | undefined): ServiceError {
  if (failure instanceof ServiceError) return failure;
  const { code, statusCode, validation, validationContext } = failure as Partial<FastifyError>;
  if (validation?.[0]) {
    return invalid(describeInvalid(validation[0], validationContext ?? 'body'));
  }
  if (code === 'FST_ERR_CTP_BODY_TOO_LARGE') {
    const kibibytesMax = (bodyLimit ?? limits.bodyBytesMax) / 1024;
    const message = `The request body is larger than ${kibibytesMax} KiB: send less.`;
    return new ServiceError('PAYLOAD_TOO_LARGE', message);
  }
  if (code === 'FST_ERR_CTP_INVALID_CONTENT_LENGTH') {
    return invalid('The body is not as long as its Content-Length says: send it whole.');
  }
  if (code === 'FST_ERR_BAD_URL') return new ServiceError('NOT_FOUND');
  if (statusCode !== undefined && statusCode >= 400 && statusCode < 500) {
    return invalid('The request could not be read: check its headers and body.');
  }
  return new ServiceError('INTERNAL_ERROR', undefined, { cause: failure });
}

function invalid(merchantMessage: string): ServiceError {
  return new ServiceError('INVALID_REQUEST_PARAMETER', merchantMessage);
}
