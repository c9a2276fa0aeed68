/** The outcome of the gateway's transaction, from `result`, `gatewayCode` or `order.status`. */
import { object, text, type WireObject } from '../wire.ts';

export type Outcome = 'success' | 'failed' | 'pending';

/** A later notification of the same transaction id reports the final code. */
const undecidedCodes = new Set([
  'PENDING',
  'SUBMITTED',
  'UNKNOWN',
  'DEFERRED_TRANSACTION_RECEIVED',
  'AUTHENTICATION_IN_PROGRESS',
]);

const captured = ['CAPTURED', 'PARTIALLY_CAPTURED'];
const refunded = ['REFUNDED', 'PARTIALLY_REFUNDED', 'EXCESSIVELY_REFUNDED'];

/** Used without a result: the order states that prove that a transaction of the type succeeded. */
const successStates: ReadonlyMap<string, readonly string[]> = new Map([
  ['PAYMENT', [...captured, ...refunded]],
  ['CAPTURE', [...captured, ...refunded]],
  ['AUTHORIZATION', ['AUTHORIZED', ...captured, ...refunded]],
  ['AUTHENTICATION', ['AUTHENTICATED', 'AUTHENTICATION_NOT_NEEDED']],
  ['REFUND', refunded],
  ['REFUND_REQUEST', ['REFUND_REQUESTED', ...refunded]],
  ['VOID_PAYMENT', ['CANCELLED']],
  ['VOID_CAPTURE', ['CANCELLED']],
  ['VOID_AUTHORIZATION', ['CANCELLED']],
]);
const failureStates = ['FAILED', 'AUTHENTICATION_UNSUCCESSFUL'];

export function readOutcome(body: WireObject): Outcome | undefined {
  const response = object(body.response);
  if (isFailedAuthentication(body)) return 'failed';
  switch (text(body.result) ?? text(response.result)) {
    case 'FAILURE':
    case 'ERROR':
      return 'failed';
    case 'SUCCESS':
      return undecidedCodes.has(text(response.gatewayCode) ?? '') ? 'pending' : 'success';
    case undefined:
      return outcomeOfOrder(body);
    default:
      return 'pending';
  }
}

function outcomeOfOrder(body: WireObject): Outcome | undefined {
  const status = text(object(body.order).status);
  if (status === undefined) return undefined;
  if (failureStates.includes(status)) return 'failed';
  // The code belongs to this transaction; the status of the order may come from another attempt.
  const gatewayCode = text(object(body.response).gatewayCode);
  if (gatewayCode !== undefined && undecidedCodes.has(gatewayCode)) return 'pending';
  if (gatewayCode !== undefined && !/(^|_)APPROVED/.test(gatewayCode)) return 'failed';
  const type = text(object(body.transaction).type) ?? '';
  return successStates.get(type)?.includes(status) ? 'success' : 'pending';
}

const failedAuthentications = new Set([
  'AUTHENTICATION_UNSUCCESSFUL',
  'AUTHENTICATION_FAILED',
  'AUTHENTICATION_REJECTED',
]);

/** A failed authentication fails the attempt, whatever the result of the call says. */
function isFailedAuthentication(body: WireObject): boolean {
  const transaction = object(body.transaction);
  if (text(transaction.type) !== 'AUTHENTICATION') return false;
  const order = object(body.order);
  // The status of the order is that of the latest attempt, which may be another one.
  const own = text(transaction.authenticationStatus);
  const statuses = own === undefined ? [order.authenticationStatus, order.status] : [own];
  return statuses.some((status) => failedAuthentications.has(text(status) ?? ''));
}
