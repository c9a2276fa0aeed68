/** Which orders a caller may see and change. Contract 2.3, 2.9 and 2.10. */
import { type ErrorCode, ServiceError } from '../../domain/errors.ts';
import type { ChangedBy } from '../../domain/orders/consumer.ts';
import type { Order } from '../../domain/orders/order.ts';
import type { Caller } from '../../security/tokens.ts';

/** The id of the order of a call. With an order token, the caller may omit it. */
export function getOrderId(caller: Caller, given: string | undefined): string {
  const orderId = given ?? (caller.type === 'merchant' ? undefined : caller.orderId);
  if (orderId !== undefined) return orderId;
  throw new ServiceError(
    'INVALID_REQUEST_PARAMETER',
    'order_id is missing: send the order_id of create order.',
  );
}

export function changedBy(caller: Caller): ChangedBy {
  return caller.type === 'merchant' ? 'merchant' : 'order';
}

/** An order token sees its own order only. */
export function isOpenTo(caller: Caller, { orderId }: Pick<Order, 'orderId'>): boolean {
  return caller.type === 'merchant' || caller.orderId === orderId;
}

/** Returns the order if the caller may see it. Otherwise it throws `unknown`, as for an order that does not exist. */
export function checkAccess<Found extends Pick<Order, 'orderId' | 'restricted' | 'userId'>>(
  caller: Caller,
  order: Found | undefined,
  unknown: ErrorCode,
): Found {
  if (!order || !isOpenTo(caller, order)) throw new ServiceError(unknown);
  const isOfOtherConsumer =
    caller.type === 'order' && order.restricted && caller.userId !== order.userId;
  if (!isOfOtherConsumer) return order;
  throw new ServiceError(
    'PERMISSION_DENIED',
    'The order is restricted to one consumer: use the token that resolve-user or refresh-token returned since.',
  );
}
