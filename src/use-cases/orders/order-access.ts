/** Which orders a caller may see, lock and change. Contract 2.3, 2.9 and 2.10. */
import { type ErrorCode, ServiceError } from '../../domain/errors.ts';
import { isOrderId } from '../../domain/ids.ts';
import { limits } from '../../domain/limits.ts';
import type { ChangedBy } from '../../domain/orders/consumer.ts';
import type { Order } from '../../domain/orders/order.ts';
import { refuseClosed } from '../../domain/orders/order-update.ts';
import type { Transaction } from '../../postgres/database.ts';
import type { Caller } from '../../security/tokens.ts';
import type { Services } from '../../services/services.ts';
import { addTokenChange, lockOrder } from '../../store/orders/orders.ts';

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

/** Locks an order that the caller may see, so that nothing else changes it until the transaction ends. */
export async function lockOpenOrder(
  tx: Transaction,
  services: Pick<Services, 'clock'>,
  caller: Caller,
  orderId: string,
) {
  const order = await lockVisibleOrder(tx, caller, orderId);
  refuseClosed(order, services.clock());
  return order;
}

/** Also locks an order that is closed to changes. */
export function lockVisibleOrder(tx: Transaction, caller: Caller, orderId: string) {
  return getVisible(caller, orderId, () => lockOrder(tx, caller.accountId, orderId));
}

/** Checked before it is read too: an order token must not be able to hold a lock on another order. */
export async function getVisible<Found extends Order>(
  caller: Caller,
  orderId: string,
  find: () => Promise<Found | undefined>,
): Promise<Found> {
  const isVisible = isOrderId(orderId) && isOpenTo(caller, { orderId });
  return checkAccess(caller, isVisible ? await find() : undefined, 'ORDER_NOT_FOUND');
}

/**
 * Limits how often an order's own tokens may change it, so that its history stays bounded. Contract 2.9. Call it under
 * the order's lock, before the change.
 */
export async function countTokenChange(tx: Transaction, caller: Caller, order: Order) {
  if (caller.type === 'merchant') return;
  if (await addTokenChange(tx, order, limits.orderTokenChangesMax)) return;
  throw new ServiceError(
    'RATE_LIMITED',
    `The order was changed ${limits.orderTokenChangesMax} times with its own tokens: use a merchant token from generate-token.`,
  );
}
