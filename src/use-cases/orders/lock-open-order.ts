/** An order that the caller may see and that still takes changes, nobody else changing it meanwhile. */
import { isOrderId } from '../../domain/ids.ts';
import type { Order } from '../../domain/orders/order.ts';
import { refuseClosed } from '../../domain/orders/order-update.ts';
import type { Clock } from '../../domain/time.ts';
import type { Transaction } from '../../postgres/database.ts';
import type { Caller } from '../../security/tokens.ts';
import { lockOrder } from '../../store/orders.ts';
import { checkAccess, isOpenTo } from './order-access.ts';

type Needs = {
  readonly clock: Clock;
};

export async function lockOpenOrder(
  tx: Transaction,
  services: Needs,
  caller: Caller,
  orderId: string,
): Promise<Order> {
  const order = await lockVisibleOrder(tx, caller, orderId);
  refuseClosed(order, services.clock());
  return order;
}

/** Also one that takes no change any more. */
export async function lockVisibleOrder(
  tx: Transaction,
  caller: Caller,
  orderId: string,
): Promise<Order> {
  // Another order does not exist for an order token, so it is not even locked.
  const isVisible = isOrderId(orderId) && isOpenTo(caller, { orderId });
  const found = isVisible ? await lockOrder(tx, caller.accountId, orderId) : undefined;
  return checkAccess(caller, found, 'ORDER_NOT_FOUND');
}
