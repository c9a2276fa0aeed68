/** What became of the gateway's transaction: one word out of `result`, `gatewayCode` or `order.status`. */
import { object, text, type WireObject } from '../wire.ts';

export type Outcome = 'success' | 'failed' | 'pending';

/** Undecided: they change later under the same transaction id. */
const undecidedCodes = new Set([
  'PENDING',
  'SUBMITTED',
  'UNKNOWN',
  'DEFERRED_TRANSACTION_RECEIVED',
  'AUTHENTICATION_IN_PROGRESS',
]);

const outcomesByOrderStatus: ReadonlyMap<string, Outcome> = new Map<string, Outcome>([
  ['AUTHORIZED', 'success'],
  ['CAPTURED', 'success'],
  ['PARTIALLY_CAPTURED', 'success'],
  ['REFUNDED', 'success'],
  ['PARTIALLY_REFUNDED', 'success'],
  ['EXCESSIVELY_REFUNDED', 'success'],
  ['AUTHENTICATED', 'success'],
  ['AUTHENTICATION_NOT_NEEDED', 'success'],
  ['CANCELLED', 'success'],
  ['FAILED', 'failed'],
  ['AUTHENTICATION_UNSUCCESSFUL', 'failed'],
]);

export function readOutcome(body: WireObject): Outcome | undefined {
  const response = object(body.response);
  const result = text(body.result) ?? text(response.result);
  const orderStatus = text(object(body.order).status);
  if (isFailedAuthentication(body)) return 'failed';
  switch (result) {
    case 'FAILURE':
    case 'ERROR':
      return 'failed';
    case 'SUCCESS':
      return undecidedCodes.has(text(response.gatewayCode) ?? '') ? 'pending' : 'success';
    case undefined:
      return orderStatus === undefined
        ? undefined
        : (outcomesByOrderStatus.get(orderStatus) ?? 'pending');
    default:
      return 'pending';
  }
}

/** A consumer who could not prove to be the one fails the attempt, whatever the call's result says. */
function isFailedAuthentication(body: WireObject): boolean {
  const transaction = object(body.transaction);
  if (text(transaction.type) !== 'AUTHENTICATION') return false;
  const statuses = [transaction.authenticationStatus, object(body.order).authenticationStatus];
  return statuses.some((status) => text(status) === 'AUTHENTICATION_UNSUCCESSFUL');
}
